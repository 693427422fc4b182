import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { VERBS } from '../../src/cli/commands/verbs.ts'
import { commandOf, HEADINGS } from '../../src/cli/terminal/verb.ts'
import { pay } from '../../src/testing/index.ts'
import { Document, quoted } from './support/document.ts'
import { temporaryFolder } from './support/fixtures.ts'
import { freePort } from './support/free-port.ts'
import { type Running, startCommand } from './support/process.ts'
import { root } from './support/runtimes.ts'
import { runLine } from './support/verb.ts'

const startIn = (cwd: string, ...words: string[]): Running =>
  startCommand(join(root, 'node_modules/.bin/node'), [join(root, 'src/cli/main.ts'), ...words], { cwd })

const guide = new Document('guides/command-line.md')

/** The commands of a section's blocks, each in its words; a quoted text is one. */
function commandsOf(title: string): string[][] {
  const blocks = [...guide.section(title).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
  return blocks.flatMap((code) => code.trim().split('\n')).map((line) => line.split(' '))
}

it('guides/command-line.md leads from an empty folder to the first webhook', async () => {
  const folder = temporaryFolder()
  const ports = { 4010: `${await freePort()}`, 4011: `${await freePort()}` }
  const run = (words: string[]): Running => {
    const given = words.map((word) => word.replace(/\b401[01]\b/, (port) => ports[port as unknown as 4010]))
    expect(given.slice(0, 2)).toEqual(['npx', 'edgetill'])
    return startIn(folder, ...given.slice(2).filter((word) => word !== '&'))
  }
  const [emulator = [], listen = [], payment = [], order = [], refund = []] = commandsOf('The first webhook')
  await run(emulator).seen('Ctrl-C stops it.')
  const listening = run(listen)
  await listening.seen('Ctrl-C stops it.')
  const created = await run(payment).finished
  expect(created).toMatchObject({ code: 0 })
  const [checkout = ''] = /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(created.output) ?? []
  await pay(checkout)
  const [line = ''] = quoted(/^webhook appears in the second terminal: (.*)$/m.exec(guide.text)?.[1] ?? '')
  expect(line).toContain('100.50 UAH')
  await listening.seen(line)
  expect(await run(order).finished).toMatchObject({ code: 0, output: expect.stringContaining('A-1') })
  expect(await run(refund).finished).toMatchObject({ code: 0 })
  await listening.seen('refund success 20.00 UAH order A-1')

  const [trigger = []] = commandsOf('Webhooks')
  expect(await run(trigger).finished).toMatchObject({ code: 0 })
  await listening.seen('refund success 20.00 UAH order A-1')
})

it.each(Object.entries(VERBS))(
  'the help of %s has two examples, 46 lines of 80 characters, and where to read on',
  async (verb, load) => {
    const { code, output } = await runLine(verb, '--help')
    expect(code).toBe(0)
    const lines = output.trimEnd().replaceAll('\n\n\n', '\n\n').split('\n')
    expect([lines[0], lines[4]]).toEqual(['Examples:', expect.stringMatching(`^Usage: edgetill ${verb} `)])
    expect(lines.length).toBeLessThanOrEqual(verb === 'emulator' ? 55 : 46)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    const [, file = ''] = /^Read on: (\S+) in the package/.exec(lines.at(-1) ?? '') ?? []
    expect(existsSync(join(root, file))).toBe(true)
    for (const line of lines.slice(1, 3)) {
      const [edgetill, name, ...words] = line
        .trim()
        .replace(/ [<>].*/, '')
        .split(' ')
      expect([edgetill, name]).toEqual(['edgetill', verb])
      const parsed = vi.fn()
      await commandOf(await load(), parsed)
        .exitOverride()
        .parseAsync(words, { from: 'user' })
      expect(parsed).toHaveBeenCalled()
    }
  },
)

it('the table of the guide says of every verb what its row says', async () => {
  const verbs = await Promise.all(Object.values(VERBS).map((load) => load()))
  const rows = verbs.map(({ name, argument, summary }) => [
    [name, argument?.name.replaceAll(/[<>]/g, '')].filter(Boolean).join(' '),
    summary,
  ])
  expect(guide.rows('The verbs').map(([verb = '', says]) => [verb.replaceAll('`', ''), says])).toEqual(rows)
})

it('the help lists every verb but completion, under headings', async () => {
  const { output } = await runLine('--help')
  const listed = [...output.matchAll(/^(?: {2}([\w-]+) {2,}\S|(\w+):$)/gm)].map(
    ([, verb, heading]) => heading ?? verb ?? '',
  )
  const headings = listed.filter((name) => (HEADINGS as readonly string[]).includes(name))
  expect(headings).toEqual(HEADINGS)
  const verbs = Object.keys(VERBS)
  expect(listed.filter((name) => verbs.includes(name))).toEqual(verbs.filter((name) => name !== 'completion'))
})

it('the completion of bash completes verbs, options and their values', { timeout: 60_000 }, async () => {
  const { output } = await runLine('completion', 'bash')
  const cases = {
    ...{ ref: 'refund', 'refund --dr': '--dry-run', 'completion f': 'fish', 'order A': '' },
    ...{ 'trigger cap': 'capture', 'payment --method au': 'auth', 'emulator --perturb late': 'late_init' },
  }
  const lines = Object.keys(cases).map(
    (line) => `COMP_WORDS=(edgetill ${line}); COMP_CWORD=${line.split(' ').length}; _edgetill; echo "\${COMPREPLY[*]}"`,
  )
  const completed = execFileSync(
    'bash',
    ['-c', [`edgetill() { "${process.execPath}" src/cli/main.ts "$@"; }`, output, ...lines].join('\n')],
    { ...{ encoding: 'utf8', cwd: root } },
  )
  expect(completed.split('\n')).toEqual([...Object.values(cases), ''])
})

// Neither shell is on every machine: they get what bash gets, with a description.
it.each([
  ['zsh', 'refund:refund a paid order, in full or in part'],
  ['fish', 'refund\trefund a paid order, in full or in part'],
])('the completion of %s asks the command, which describes each word', async (shell, line) => {
  expect((await runLine('completion', shell)).output).toContain(`edgetill completion ${shell} --line`)
  const { stdout } = spawnSync(process.execPath, ['src/cli/main.ts', 'completion', shell, '--line', 're'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(stdout.split('\n')).toContain(line)
})
