import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
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

  it('leads from each of nine tasks to files', () => {
    const tasks = contributing.rows(TASKS)
    expect(tasks).toHaveLength(9)
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
    const inherited = /^(VITEST|VITE_|NODE_|EDGETILL_|npm_)/
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !inherited.test(name)))
    for (const { runtime, words } of commands) {
      const { stdout } = await promisify(execFile)('npm', words, { cwd: root, env: { ...env, NO_COLOR: '1' } })
      expect([runtime, stdout]).toEqual([runtime, expect.stringMatching(/^[1-9]\d* passed, 0 failed$/m)])
    }
  })
})
