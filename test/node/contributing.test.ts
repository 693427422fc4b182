import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Document, quoted } from './support/document.ts'
import { root } from './support/runtimes.ts'

const contributing = new Document('CONTRIBUTING.md')
const TASKS = 'I want to …'

describe('CONTRIBUTING.md', () => {
  it('names only paths that exist', () => {
    const words = quoted(contributing.text).flatMap((text) => text.split(' '))
    const paths = words.filter((word) => /^\.?[\w-]+\/|^[\w.-]+\.(ts|md|json|toml)$/.test(word))
    expect(paths.length).toBeGreaterThan(30)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('leads from each of eight tasks to files', () => {
    const tasks = contributing.rows(TASKS)
    expect(tasks).toHaveLength(8)
    for (const [task, files = ''] of tasks) expect([task, quoted(files).length > 0]).toEqual([task, true])
  })

  it('is one page', () => {
    expect(contributing.text.split('\n').length).toBeLessThanOrEqual(100)
  })

  it('shows how to run one test on each runtime', { timeout: 60_000 }, async () => {
    const commands = contributing.rows('Run one test').map(([runtime, command = '']) => ({
      runtime,
      words: quoted(command)[0]?.split(' ').slice(1) ?? [],
    }))
    expect(commands.map(({ runtime }) => runtime)).toEqual(['Node', 'workerd', 'Deno', 'Bun'])
    // As from a terminal: not as a part of this run.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|VITE_|NODE_)/.test(name)))
    const bin = join(root, 'node_modules/.bin')
    for (const { runtime, words } of commands) {
      const [program = '', ...rest] = words
      const { stdout } = await promisify(execFile)(join(bin, program), rest, {
        cwd: root,
        env: { ...env, PATH: [bin, process.env.PATH].join(delimiter), NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' },
      })
      expect([runtime, stdout]).toEqual([runtime, expect.stringMatching(/Tests +\d+ passed/)])
    }
  })
})
