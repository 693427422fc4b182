import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { afterEach, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { writeProject } from '../../src/cli/commands/write-project.ts'
import { variablesOf } from '../../src/emulator/control/pages/connect.ts'
import { createEmulator } from '../../src/emulator/index.ts'
import { type Client, signWebhook, type WebhookEvent } from '../../src/index.ts'
import { testEvent } from '../../src/testing/index.ts'
import { HOSTED } from '../support/inputs.ts'
import { openShop } from '../support/shop.ts'
import { Document } from './support/document.ts'
import { temporaryFolder } from './support/fixtures.ts'
import { freePort } from './support/free-port.ts'
import { startCommand } from './support/process.ts'
import { complaintsOf, load, programOf, SOURCE_PATHS, writeProgram } from './support/program.ts'
import { root } from './support/runtimes.ts'
import { blocks } from './support/snippets.ts'

// The guides that are ordered by task: each of their programs runs here.
const [goingLive, troubleshooting] = [new Document('guides/going-live.md'), new Document('guides/troubleshooting.md')]
type Program = Record<string, (...given: unknown[]) => Promise<never>>

const sell = (client: Client, order_id: string) => client.createPayment({ ...HOSTED, order_id })

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

it('guides/going-live.md: the sweep finds a payment whose webhook was lost, and names what could not be asked', async () => {
  const { sweep } = (await load(goingLive.program('The sweep of unpaid orders'))) as Program
  const { events: stored, emulator, client } = openShop({ maxRetries: 0 })
  emulator.faults.next({ kind: 'drop' })
  await emulator.pay((await sell(client, 'A-1')).url)
  await sell(client, 'A-2')
  expect(stored).toEqual([])
  const found: WebhookEvent[] = []
  const store = (event: WebhookEvent) => void found.push(event)
  expect(await sweep?.(client, ['A-1', 'A-2', 'never-created'], store)).toEqual([])
  expect(found.map(({ order_id, record }) => [order_id, record.status])).toEqual([
    ['A-1', 'success'],
    ['A-2', 'init'],
  ])
  emulator.faults.next({ kind: 'server_error' })
  expect(await sweep?.(client, ['A-1'], store)).toEqual(['A-1'])
})

it('guides/troubleshooting.md: shows an order as the service has it, and names the code of a used order_id', async () => {
  const { look } = (await load(troubleshooting.program('What the service says of an order'))) as Program
  const { emulator, client } = openShop({ maxRetries: 0 })
  await emulator.pay((await sell(client, 'A-1')).url)
  await client.refundPayment({ order_id: 'A-1', order_currency: 'UAH', refund_amount: 20 })
  const lines = (await look?.(client, 'A-1')) as unknown as string[]
  expect(lines.map((line) => line.split('  ').slice(1, 3).join(' '))).toEqual([
    ...['purchase success', 'refund success', ''],
  ])
  expect(lines.at(-1)).toBe('success: captured 100.5, refunded 20')
  const { apiCode } = await sell(client, 'A-1').catch((error) => error)
  expect(troubleshooting.rows('Calls').map(([cell]) => cell)).toContain(`\`${apiCode}\``)
})

it('guides/moving.md: compares what the old code made of its webhooks', async () => {
  const { compare } = (await load(new Document('guides/moving.md').program('Compare'))) as unknown as {
    compare(rows: object[], secret: string, old: Map<string, string>): string[]
  }
  const form = (order_id: string, status: 'success' | 'failure', created_at: string) => {
    const { data, signature } = testEvent('purchase', { order_id, status, created_at, payment_id: created_at })
    return { data, signature }
  }
  const [declined, paid] = [
    form('A-1', 'failure', '2026-03-01T10:00:00'),
    form('A-1', 'success', '2026-03-01T10:05:00'),
  ]
  const forged = signWebhook({ order_id: 'A-3' }, 'another secret')
  const rows = [paid, declined, form('A-2', 'failure', '2026-03-01T10:00:00'), forged]
  const old = new Map([
    ['A-1', 'unpaid'],
    ['A-2', 'unpaid'],
  ])
  expect(compare(rows, 'emulator-api-secret', old)).toEqual([
    'a webhook was taken that is not genuine: signature_mismatch',
    'A-1: unpaid before, paid (success) now',
  ])
  expect(compare([paid, paid], 'emulator-api-secret', new Map([['A-1', 'paid']]))).toEqual([])
})

// guides/platforms.md, over SQLite in place of Postgres.
const platforms = new Document('guides/platforms.md')
const TILL = platforms
  .program('Vercel, Netlify, Deno Deploy')
  .replace("import connect from 'postgres'", "import { DatabaseSync } from 'node:sqlite'")
  .replace('createTill, postgres', 'createTill, sqlite')
  .replace(/postgres\(connect\(.*\)\),/, "sqlite(new DatabaseSync(':memory:')),")
const WEBHOOKS = 'https://shop.example.com/webhooks'
type Handler = (request: Request) => Promise<Response>
it.each(['Vercel', 'Netlify', 'Deno Deploy'])('%s: stores a webhook before its 200, ships once', async (title) => {
  for (const line of variablesOf(createEmulator().credentials)) vi.stubEnv(...(line.split('=') as [string, string]))
  const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const code = platforms.program(title).replace(/^import .* from '.\/till.ts'$/m, '')
  const program = await load(`${TILL}\nexport const migrate = () => till.migrate()\n${code}\n// ${title}`)
  await (program.migrate as () => Promise<void>)()
  const { POST, default: own } = program as { POST?: Handler; default?: Handler & { fetch?: Handler } }
  const handle = POST ?? own?.fetch ?? (own as Handler)
  const paid = testEvent('purchase', { order_id: 'A-1', amount: 20 })
  const [first, again] = [await handle(paid.request(WEBHOOKS)), await handle(paid.request(WEBHOOKS))]
  const forged = await handle(testEvent('purchase', {}, { secret: 'another' }).request(WEBHOOKS))
  expect([first.status, again.status, forged.status]).toEqual([200, 200, 401])
  expect(logged.mock.calls.map(([line]) => String(line).slice(0, 8))).toEqual(['ship A-1'])
})

it('guides/own-code.md: compiles in a project of init, and passes its own test there', {
  timeout: 120_000,
}, async () => {
  const project = temporaryFolder()
  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(project, file)), { recursive: true })
    writeFileSync(join(project, file), text)
    return join(project, file)
  }
  await writeProject(project, 'shop')
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
  const [migration = ''] = blocks('guides/own-code.md', 'text').map(({ code }) => code)
  put('migrations/0001_payment.sql', migration)
  const written = blocks('guides/own-code.md', 'typescript').map(({ code }): [string, string] => {
    return [put(/^\/\/ (\S+)\n/.exec(code)?.[1] ?? '', code), code]
  })
  const { config } = ts.readConfigFile(join(project, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, project)
  const program = programOf(new Map(written), { ...options, paths: SOURCE_PATHS }, project)
  expect(written.flatMap(([file]) => complaintsOf(program, file))).toEqual([])
  const [file = '', code = ''] = written.at(-1) ?? []
  const bundle = await writeProgram(code, join(project, 'shop.test.mjs'), dirname(file), [])
  const node = join(root, 'node_modules/.bin/node')
  const ran = await startCommand(node, ['--test', bundle], { cwd: project }).finished
  expect(ran).toEqual({ code: 0, output: expect.stringContaining('pass 1') })
})

it('guides/ci.md: has a job whose steps pass, for the shop of SKILL.md', { timeout: 240_000 }, async () => {
  const folder = temporaryFolder()
  const [service, port] = [await freePort(), await freePort()]
  const local = (text: string) =>
    text
      .replaceAll('edgetill emulator', `edgetill emulator --port ${service}`)
      .replaceAll('127.0.0.1:4010', `127.0.0.1:${service}`)
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
  const bin = join(folder, 'node_modules/.bin')
  mkdirSync(bin, { recursive: true })
  const edgetill = `#!/bin/sh\nexec "${root}/node_modules/.bin/node" "${root}/src/cli/main.ts" "$@"\n`
  writeFileSync(join(bin, 'edgetill'), edgetill, { mode: 0o755 })
  const skill = new Document('SKILL.md').program('A shop that is right').replace('3000', String(port))
  const serve = `import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { serve } from '@hono/node-server'
const { fetch } = await openShop(process.env, new DatabaseSync('shop.db'))
serve({ fetch, port: ${port} })`
  await writeProgram(`${skill}\n${serve}`, join(folder, 'shop.ts'), root, [])
  await writeProgram(new Document('guides/ci.md').program('In CI'), join(folder, 'shop.test.js'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const [workflow = ''] = blocks('guides/ci.md', 'yaml').map(({ code }) => code)
  const { steps } = parse(workflow).jobs.test as { steps: { run?: string; if?: string }[] }
  const lines = steps.flatMap(({ run, if: when }) =>
    run === undefined || run === 'npm ci' || when ? [] : [local(run)],
  )
  expect(lines).toHaveLength(3)
  const env = { PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` }
  // Processes that it starts in the background end with it.
  const script = `trap 'kill 0' EXIT\n${lines.join('\n')}\necho all passed`
  const job = startCommand('bash', ['-e', '-c', script], { cwd: folder, env })
  await job.seen('all passed')
  expect(job.output()).toMatch(/nothing found/)
})
