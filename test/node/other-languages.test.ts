import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv, promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { verb as emulatorVerb } from '../../src/cli/commands/emulator.ts'
import { commandOf } from '../../src/cli/terminal/verb.ts'
import { createEmulator } from '../../src/emulator/index.ts'
import { configFromEnv, createClient } from '../../src/index.ts'
import { Document, quoted } from './support/document.ts'
import { temporaryFolder } from './support/fixtures.ts'
import { start } from './support/process.ts'
import { root } from './support/runtimes.ts'
import { blocks } from './support/snippets.ts'

// The programs of guides/clients.md, run as they stand: witnesses in other languages, which send numbers as text.

const run = promisify(execFile)
const folder = temporaryFolder()
const guide = new Document('guides/clients.md')
const emulator = start('src/cli/main.ts', 'emulator', '--port', '0', '--write-env', join(folder, '.env'))
const printed = (name: string) => new RegExp(`^ *${name} +(\\S+)$`, 'm').exec(emulator.output())?.[1]
beforeAll(() => emulator.seen('Ctrl-C'))

it.each([
  ['php', 'php', 'PHP'],
  ['python', 'python3', 'Python'],
])('the program in %s prints what the guide says', async (language, program, title) => {
  const [block, ...others] = blocks('guides/clients.md', language)
  expect(others).toEqual([])
  const file = join(folder, `program.${language}`)
  writeFileSync(file, block?.code ?? '')
  const settings = parseEnv(readFileSync(join(folder, '.env'), 'utf8'))
  const shown = ['base_url', 'posId', 'apiKey', 'apiSecret', 'endpointsKey', 'scheme'].map(printed)
  expect(Object.values(settings)).toEqual(expect.arrayContaining(shown))
  const { stdout } = await run(program, [file], { env: { ...process.env, ...settings } })
  const promised = quoted(/^It prints ([^\n]+)\.$/m.exec(guide.section(title))?.[1] ?? '')
  expect(stdout.trim().split('\n')).toEqual(promised)
  const response = await fetch(`${settings.EDGETILL_BASE_URL}/_emulator/api/notes?order_id=${language}-1`)
  const notes = (await response.json()) as { field: string }[]
  expect(notes.map(({ field }) => field)).toContain('refund_amount')
})

it('the Dockerfile and the compose file of the emulator start the emulator with options that it has', () => {
  const [compose = ''] = blocks('guides/emulator.md', 'yaml').map(({ code }) => code)
  const dockerfile = readFileSync(join(root, 'examples/emulator/Dockerfile'), 'utf8')
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
  const [command, checked, ...flags] = listOf(dockerfile, 'HEALTHCHECK CMD')
  parsed.parse(flags, { from: 'user' })
  expect([command, checked, options]).toEqual(['edgetill', 'emulator', expect.objectContaining({ wait: true })])
  // The tests of the compose file have a whole configuration.
  const { services } = parse(compose) as { services: { tests: { environment: Record<string, string> } } }
  const { environment } = services.tests
  expect(createClient(configFromEnv(environment))).toBeDefined()
  expect(environment).toMatchObject({ EDGETILL_API_SECRET: createEmulator().credentials.apiSecret })
  expect(compose).not.toMatch(/\t| $/m)
})
