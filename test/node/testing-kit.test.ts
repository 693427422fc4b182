import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Document, quoted } from './support/document.ts'
import { folderInCheckout, serve, serveNewEmulator } from './support/fixtures.ts'
import { startCommand } from './support/process.ts'
import { load, writeProgram } from './support/program.ts'
import { root } from './support/runtimes.ts'
import { blocks } from './support/snippets.ts'

const guide = new Document('guides/testing.md')
const README = new Document('README.md').program('Test a checkout')
const NODE = guide.program('A checkout under node:test and Deno')

const folder = folderInCheckout()
afterEach(() => vi.restoreAllMocks())

/** Writes a test as one module, in which `edgetill` is this checkout. */
async function write(name: string, code: string): Promise<string> {
  const outfile = await writeProgram(code, join(folder, name, 'checkout.test.mjs'), root, ['vitest', 'bun:test'])
  writeFileSync(join(folder, name, 'vitest.config.mjs'), 'export default {}\n')
  return outfile
}

/** Runs a test file, and returns what the runner printed and how it ended. */
const run = (command: string, words: readonly string[], file: string) =>
  startCommand(join(root, 'node_modules/.bin', command), words, { cwd: join(file, '..') }).finished

const RUNNERS = [
  ['vitest', README, 'vitest', ['run', '--config', 'vitest.config.mjs'], /Tests +1 passed/],
  ['bun test', README.replace("'vitest'", "'bun:test'"), 'bun', ['test'], / 1 pass/],
  ['node --test', NODE, 'node', ['--test'], /pass 1/],
  ['deno test', NODE, 'deno', ['test', '--no-prompt', '--no-check', '--no-config'], /1 passed/],
] as const

it.each(RUNNERS)(
  'the test of a checkout passes under %s, and fails when the card is declined',
  { timeout: 60_000 },
  async (runner, code, command, words, passed) => {
    const name = runner.replaceAll(/\W/g, '-')
    const file = await write(name, code)
    const good = await run(command, words, file)
    expect(good.output).toMatch(passed)
    expect(good.code).toBe(0)
    const declined = await run(command, words, await write(name, code.replace('three_d_secure', 'declined')))
    expect(declined.output).toContain('What came instead: purchase failure of order "A-1"')
    expect(declined.code).not.toBe(0)
  },
)

describe('guides/testing.md', () => {
  it('names each runner', () => {
    const started = guide.rows('A checkout under node:test and Deno').flatMap(([, cell = '']) => quoted(cell))
    for (const [runner] of RUNNERS) expect(started.some((command) => command.includes(runner))).toBe(true)
  })

  it('pays at an emulator that is served', async () => {
    const { checkout } = (await load(guide.program('Wait for a webhook'))) as {
      checkout: (baseUrl: string, server_url: string) => Promise<unknown>
    }
    const { origin } = await serveNewEmulator()
    const shop = await serve(() => new Response())
    expect(await checkout(origin, `${shop.origin}/webhooks`)).toBe('failure')
  })

  it('runs ten tests at once, each in its own shop, in TypeScript and in Python', { timeout: 60_000 }, async () => {
    const { emulator, origin } = await serveNewEmulator()
    const file = await write('ten', guide.program('Ten tests at once').replace('http://127.0.0.1:4010', origin))
    const [python] = blocks('guides/testing.md', 'python')
    const inPython = promisify(execFile)('python3', ['-c', python?.code ?? ''], { env: { EMULATOR: origin } })
    expect(await run('node', ['--test'], file)).toMatchObject({ code: 0, output: expect.stringMatching(/pass 10/) })
    expect((await inPython).stdout.trim()).toBe('10 paid, 10 webhooks')
    expect([emulator.shops.list(), emulator.orders.list()]).toEqual([[], []])
  })

  it.each(['Webhooks of any kind', 'Workers KV'])('%s: prints what its comments say', async (section) => {
    const code = guide.program(section)
    const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    await load(code)
    const lines = printed.mock.calls.map((words) => words.join(' ').trim() || 'null')
    const comments = [...code.matchAll(/console\.log\(.*\/\/ ([^:\n]+)/g)].map(([, comment = '']) => comment.trim())
    expect(comments.length).toBeGreaterThan(1)
    expect(lines).toEqual(comments)
  })

  it('has no program without a test', () => {
    expect(guide.untested()).toEqual([])
  })
})
