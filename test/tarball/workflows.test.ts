import { spawnSync } from 'node:child_process'
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from './support/pack.ts'

interface Step {
  uses?: string
  run?: string
  env?: Record<string, string>
  with?: Record<string, unknown>
}
interface Job {
  'runs-on': string
  'timeout-minutes'?: number
  permissions?: Record<string, string>
  if?: string
  strategy?: { matrix: Record<string, string[]> }
  steps: Step[]
}
interface Workflow {
  on: Record<string, unknown>
  permissions: Record<string, string>
  jobs: Record<string, Job>
}

const folder = join(root, '.github/workflows')
const files = readdirSync(folder)
const read = (file: string) => readFileSync(join(folder, file), 'utf8')

/** What GitHub's own parser finds wrong: unknown keys, wrong types, expressions that name what is not there. */
function faults(content: string): string[] {
  const { context } = parseWorkflow({ name: 'workflow.yml', content }, new NoOperationTraceWriter())
  return context.errors.getErrors().map(({ message }) => message)
}

it('there is one for changes, one for each day and one for releases', () => {
  expect(files.sort()).toEqual(['ci.yml', 'daily.yml', 'release.yml'])
})

describe.each(files)('%s', (file) => {
  const text = read(file)
  const workflow = parse(text) as Workflow
  const jobs = Object.entries(workflow.jobs)
  const steps = jobs.flatMap(([, job]) => job.steps)

  it('is what GitHub understands', async () => {
    expect(faults(text)).toEqual([])
    const { context, value } = parseWorkflow({ name: file, content: text }, new NoOperationTraceWriter())
    const template = await convertWorkflowTemplate(context, value as never)
    expect([template.errors ?? [], template.jobs.length]).toEqual([[], jobs.length])
  })

  it('pins every action by its full commit and says which version that is', () => {
    const uses = text.split('\n').filter((line) => /\buses:/.test(line))
    expect(uses.length).toBe(steps.filter((step) => step.uses !== undefined).length)
    for (const line of uses) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('may read the code and nothing else; publishing alone may ask for an identity', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
    for (const [name, { permissions }] of jobs) {
      const wanted = name === 'publish' ? { contents: 'read', 'id-token': 'write' } : undefined
      expect([name, permissions]).toEqual([name, wanted])
    }
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target')
    // The whole history: what is compared with a base or a tag has to be there.
    for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')))
      expect(step.with).toEqual({ 'persist-credentials': false, 'fetch-depth': 0 })
  })

  it('has a time limit, and no step that an outsider could write', () => {
    for (const [name, job] of jobs) expect([name, (job['timeout-minutes'] ?? 360) <= 60]).toEqual([name, true])
    for (const { run } of steps) expect(run ?? '').not.toContain('${{')
  })

  it('has steps that a shell can read, of commands that are there', () => {
    const commands = steps.flatMap(({ run }) => (run === undefined ? [] : [run]))
    for (const command of commands) {
      expect([command, spawnSync('bash', ['-n', '-c', command], { encoding: 'utf8' }).stderr]).toEqual([command, ''])
    }
    const own = commands.flatMap(
      (command) => /^(\.ci\/\S+|npx changeset|npm run (?:test:frameworks|mutate)|npm test)/.exec(command)?.[1] ?? [],
    )
    expect(own.length).toBe(jobs.length)
    for (const command of own.filter((one) => one.startsWith('.ci/'))) accessSync(join(root, command), constants.X_OK)
  })
})

it('asks each pull request for a changeset', () => {
  const { on, jobs } = parse(read('ci.yml')) as Workflow
  expect(on).toEqual({ push: { branches: ['main'] }, pull_request: null })
  const { if: when, steps } = jobs.changeset as Job
  expect(when).toBe("github.event_name == 'pull_request'")
  expect(steps.at(-1)).toEqual({
    run: 'npx changeset status --since="$BASE"',
    env: { BASE: expect.stringMatching(/^\$\{\{ github\.event\.pull_request\.base\.sha \}\}$/) },
  })
})

it('runs every part of .ci/run, each runtime in its own job', () => {
  const { jobs } = parse(read('ci.yml')) as Workflow
  const { strategy, steps } = jobs.test as Job
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const groups = Object.entries(scripts)
    .filter(([, command]) => /^node scripts\/run-tests\.ts \w+$/.test(command))
    .map(([name]) => name.replace('test:', ''))
  // The frameworks run once a day.
  expect(groups.splice(groups.indexOf('frameworks'), 1)).toEqual(['frameworks'])
  expect(Object.keys((parse(read('daily.yml')) as Workflow).on)).toContain('schedule')
  expect(groups).toEqual(['node', 'deno', 'bun', 'workerd', 'browser', 'package'])
  expect(strategy?.matrix.part?.flatMap((part) => part.split(' ')).sort()).toEqual(['checks', 'demo', ...groups].sort())
  expect(steps.at(-1)?.run).toBe('.ci/run $PART')
})

it('publishes on a tag alone', () => {
  const { on, jobs } = parse(read('release.yml')) as Workflow
  expect(on).toEqual({ push: { tags: ['v*'] }, workflow_dispatch: null })
  const publishing = Object.entries(jobs).filter(([, { steps }]) => steps.some(({ run }) => run?.includes('--publish')))
  expect(publishing.map(([name, { if: when }]) => [name, when])).toEqual([['publish', "github.event_name == 'push'"]])
})

it('the parser here does find what is wrong', () => {
  const wrong = read('ci.yml').replace('runs-on:', 'run-on:')
  expect(faults(wrong).join('\n')).toMatch(/run-on/)
  expect(faults(read('ci.yml').replace('github.ref', 'nothing.ref')).join('\n')).toMatch(/nothing/)
  expect(faults('')).toHaveLength(1)
})
