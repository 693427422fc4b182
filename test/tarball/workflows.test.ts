import { spawnSync } from 'node:child_process'
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from '../node/support/fixtures.ts'
import { blocks } from '../node/support/snippets.ts'
import { packedFolder, root } from './support/pack.ts'
import { installed } from './support/versions.ts'

/** The part that is used here of GitHub's own parser. It is installed with the versions: no other test needs it. */
interface Parser {
  NoOperationTraceWriter: new () => object
  parseWorkflow(
    file: { name: string; content: string },
    trace: object,
  ): { context: { errors: { getErrors(): { message: string }[] } }; value: unknown }
  convertWorkflowTemplate(context: unknown, value: unknown): Promise<{ errors?: unknown[]; jobs: unknown[] }>
}
const { NoOperationTraceWriter, parseWorkflow, convertWorkflowTemplate } = (await import(
  installed('@actions/workflow-parser', 'dist/index.js')
)) as Parser

interface Job {
  'timeout-minutes'?: number
  permissions?: Record<string, string>
  if?: string
  needs?: string
  strategy?: { matrix: Record<string, string[]> }
  steps: { uses?: string; run?: string; with?: Record<string, unknown> }[]
}
interface Workflow {
  on: Record<string, unknown>
  permissions: Record<string, string>
  jobs: Record<string, Job>
}

const folder = join(root, '.github/workflows')
const read = (file: string) => readFileSync(join(folder, file), 'utf8')

/** A workflow as GitHub's own parser reads it, with its mistakes: unknown keys, wrong types, expressions that name what is not there. */
function parsed(content: string) {
  const { context, value } = parseWorkflow({ name: 'workflow.yml', content }, new NoOperationTraceWriter())
  return { context, value, faults: context.errors.getErrors().map(({ message }) => message) }
}

describe.each(readdirSync(folder))('%s', (file) => {
  const text = read(file)
  const { on, permissions, jobs } = parse(text) as Workflow
  const steps = Object.values(jobs).flatMap((job) => job.steps)

  it('is what GitHub understands, of commands that a shell can read and that are there', async () => {
    const { context, value, faults } = parsed(text)
    expect(faults).toEqual([])
    const template = await convertWorkflowTemplate(context, value)
    expect([template.errors ?? [], template.jobs.length]).toEqual([[], Object.keys(jobs).length])
    for (const { run = '' } of steps) {
      expect(run).not.toContain('${{')
      expect([run, spawnSync('bash', ['-n', '-c', run], { encoding: 'utf8' }).stderr]).toEqual([run, ''])
      const [own] = /^\.ci\/\S+/.exec(run) ?? []
      if (own !== undefined) accessSync(join(root, own), constants.X_OK)
    }
  })

  it('pins every action by its full commit, may only read the code, and gives no outsider a step', () => {
    for (const line of text.split('\n').filter((one) => /\buses:/.test(one)))
      expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    expect(permissions).toEqual({ contents: 'read' })
    expect(Object.keys(on)).not.toContain('pull_request_target')
    for (const [name, job] of Object.entries(jobs)) {
      // Publishing alone asks for an identity: the package, and the site of a release.
      const identity = { contents: 'read', 'id-token': 'write' }
      const isSite = file === 'release.yml' && name === 'site'
      const wanted = name === 'publish' ? identity : isSite ? { ...identity, pages: 'write' } : undefined
      expect([name, job.permissions, (job['timeout-minutes'] ?? 360) <= 60]).toEqual([name, wanted, true])
    }
    // The whole history: what is compared with a base or a tag has to be there.
    for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')))
      expect(step.with).toEqual({ 'persist-credentials': false, 'fetch-depth': 0 })
  })
})

it('each change runs every part of .ci/run, each runtime in its own job', () => {
  const { on, jobs } = parse(read('ci.yml')) as Workflow
  expect(on).toEqual({ push: { branches: ['main'] }, pull_request: null })
  const manifest = readFileSync(join(root, 'package.json'), 'utf8')
  const all = [...manifest.matchAll(/"test:(\w+)": "node scripts\/run-tests\.ts \w+"/g)].map(([, name]) => name)
  // The frameworks run once a day.
  const groups = all.filter((name) => name !== 'frameworks')
  const parts = jobs.test?.strategy?.matrix.part?.flatMap((part) => part.split(' '))
  expect(parts?.sort()).toEqual(['checks', 'demo', ...groups].sort())
  expect(jobs.test?.steps.at(-1)?.run).toBe('.ci/run $PART')
})

it('publishes on a tag alone', () => {
  const { on, jobs } = parse(read('release.yml')) as Workflow
  expect(on).toEqual({ push: { tags: ['v*'] }, workflow_dispatch: null })
  const publishing = Object.entries(jobs).filter(([, { steps }]) => steps.some(({ run }) => run?.includes('--publish')))
  const when = "github.event_name == 'push'"
  expect(publishing.map(([name, job]) => [name, job.if])).toEqual([['publish', when]])
  const { site } = jobs
  expect([site?.if, site?.needs]).toEqual([when, 'publish'])
  expect(site?.steps.map(({ run, uses = '' }) => run ?? uses.split('@')[0]).slice(-4)).toEqual([
    ...['npm ci', 'npm run docs', 'actions/upload-pages-artifact', 'actions/deploy-pages'],
  ])
})

it('the workflow of guides/prove.md is what GitHub understands, of commands that a shell can read', async () => {
  const [{ code = '' } = {}] = blocks('guides/prove.md', 'yaml')
  const { context, value, faults } = parsed(code)
  expect(faults).toEqual([])
  expect((await convertWorkflowTemplate(context, value)).errors ?? []).toEqual([])
  const runs = (parse(code) as Workflow).jobs.prove?.steps.flatMap(({ run = [] }) => run) ?? []
  expect(runs).toHaveLength(2)
  for (const run of runs) expect(spawnSync('bash', ['-n', '-c', run], { encoding: 'utf8' }).stderr).toBe('')
})

it('the one file of guides/ci.md is made by one command, in a container too, and runs without Node', () => {
  const text = readFileSync(join(root, 'guides/ci.md'), 'utf8')
  const [command = '', ...others] = text.match(/bun build --compile [^`\n]+/g) ?? []
  expect(others).toEqual([command])
  const made = temporaryFolder()
  const PATH = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`
  const build = command.replace(/edgetill$/, join(made, 'edgetill'))
  expect(spawnSync('sh', ['-c', build], { cwd: packedFolder(), env: { ...process.env, PATH } }).status).toBe(0)
  const words = 'prove --url http://127.0.0.1:9 --state http://127.0.0.1:9/{order_id}'.split(' ')
  const env = { PATH: '/nonexistent', EDGETILL_API_SECRET: 'x' }
  const { status, stderr } = spawnSync(join(made, 'edgetill'), words, { env, encoding: 'utf8' })
  expect([status, stderr]).toEqual([2, expect.stringContaining('The receiver does not respond')])
})

it('the parser here does find what is wrong', () => {
  expect(parsed(read('ci.yml').replace('runs-on:', 'run-on:')).faults.join('\n')).toMatch(/run-on/)
})
