import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv, promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { verb as emulatorVerb } from '../../src/cli/commands/emulator.ts'
import { commandOf } from '../../src/cli/terminal/verb.ts'
import { Document, quoted } from './support/document.ts'
import { temporaryFolder } from './support/fixtures.ts'
import { start } from './support/process.ts'
import { blocks } from './support/snippets.ts'

// The programs of guides/other-languages.md, run as they stand: witnesses in other languages, which send numbers as text.

const run = promisify(execFile)
const folder = temporaryFolder()
const guide = new Document('guides/other-languages.md')
const emulator = start('src/cli/main.ts', 'emulator', '--port', '0', '--write-env', join(folder, '.env'))
const printed = (name: string) => new RegExp(`^ *${name} +(\\S+)$`, 'm').exec(emulator.output())?.[1]
beforeAll(() => emulator.seen('Ctrl-C'))

it.each([
  ['php', 'php', 'PHP'],
  ['python', 'python3', 'Python'],
])('the program in %s prints what the guide says', async (language, program, title) => {
  const [block, ...others] = blocks('guides/other-languages.md', language)
  expect(others).toEqual([])
  const file = join(folder, `program.${language}`)
  writeFileSync(file, block?.code ?? '')
  const settings = parseEnv(readFileSync(join(folder, '.env'), 'utf8'))
  const shown = ['base_url', 'posId', 'apiKey', 'apiSecret', 'endpointsKey', 'scheme'].map(printed)
  expect(Object.values(settings)).toEqual(expect.arrayContaining(shown))
  const { stdout } = await run(program, [file], { env: { ...process.env, ...settings } })
  const said = quoted(/^It prints ([^\n]+)\.$/m.exec(guide.section(title))?.[1] ?? '')
  expect(stdout.trim().split('\n')).toEqual(said)
  const response = await fetch(`${settings.EDGETILL_BASE_URL}/_emulator/api/notes?order_id=${language}-1`)
  const notes = (await response.json()) as { field: string }[]
  expect(notes.map(({ field }) => field)).toContain('refund_amount')
})

it('the Dockerfile and the compose file of guides/emulator.md start the emulator with options that it has', () => {
  const [dockerfile = ''] = blocks('guides/emulator.md', 'dockerfile').map(({ code }) => code)
  const [compose = ''] = blocks('guides/emulator.md', 'yaml').map(({ code }) => code)
  const known = /^(FROM \S+|RUN \S.*|USER node|EXPOSE 4010|HEALTHCHECK CMD \[.*\]|ENTRYPOINT \[.*\])$/
  expect(dockerfile).toMatch(/^FROM node:\d+-slim\n/)
  const lines = dockerfile.trim().split('\n')
  expect(lines.filter((line) => !known.test(line))).toEqual([])
  const listOf = (text: string, name: string) =>
    JSON.parse(new RegExp(`${name}:? (\\[.*\\])$`, 'm').exec(text)?.[1] ?? '[]') as string[]
  const [edgetill, verb, ...words] = [...listOf(dockerfile, 'ENTRYPOINT'), ...listOf(compose, 'command')]
  expect([edgetill, verb, words.length]).toEqual(['edgetill', 'emulator', 6])
  let options: unknown
  const parsed = commandOf(emulatorVerb, async (_, flags) => {
    options = flags
  })
  parsed.exitOverride().parse(words, { from: 'user' })
  expect(options).toMatchObject({ host: '0.0.0.0', origin: 'http://localhost:4010' })
  // The check that the container runs is a program.
  const [, , check = ''] = listOf(dockerfile, 'HEALTHCHECK CMD')
  expect(() => new Function(check)).not.toThrow()
  expect(compose).not.toMatch(/\t| $/m)
})
