import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { serveEmulator } from '../../src/cli/service/serve-emulator.ts'
import { openStateFile } from '../../src/cli/service/state-file.ts'
import { createEmulator } from '../../src/emulator/index.ts'
import type { Json } from '../emulator/call.ts'
import { payAt, startEmulator } from './support/emulator-process.ts'
import { temporaryFolder } from './support/fixtures.ts'
import { start, startCommand } from './support/process.ts'
import { root } from './support/runtimes.ts'
import { runLine } from './support/verb.ts'

const folder = temporaryFolder()

const file = (name: string, content?: unknown): string => {
  const path = join(folder, name)
  if (content !== undefined) writeFileSync(path, JSON.stringify(content))
  return path
}

const served = (...words: string[]) => startEmulator('--clock', '2026-01-31T10:00:00Z', ...words)
const send = (origin: string | undefined, fields: Json) => payAt(origin, { server_url: undefined, ...fields })
const pay = async (origin: string | undefined, order_id: string) =>
  (await (await send(origin, { order_id })).json()) as { payment_id: string }

const json = async (url: string) => (await fetch(url)).json()

describe('edgetill emulator --state', () => {
  it('goes on after a stop as if there had been none, and writes after each change', async () => {
    const state = file('state.json')
    const first = await served('--state', state)
    const one = await pay(first.origins[0], 'A-1')
    await expect.poll(() => readFileSync(state, 'utf8').includes(one.payment_id)).toBe(true)
    expect(statSync(state).mode & 0o077).toBe(0)
    first.run.stop('SIGTERM')
    await first.run.finished
    const second = await served('--state', state)
    const two = await pay(second.origins[0], 'A-2')
    const orders = (await json(`${second.origins[0]}/_emulator/api/orders`)) as { order_id: string }[]
    expect(orders.map(({ order_id }) => order_id)).toEqual(['A-1', 'A-2'])
    const whole = await served()
    expect([await pay(whole.origins[0], 'A-1'), await pay(whole.origins[0], 'A-2')].map((p) => p.payment_id)).toEqual([
      one.payment_id,
      two.payment_id,
    ])
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('%s under load: what was acknowledged is in the file', async (signal) => {
    const state = file(`${signal}.json`)
    const { origins, run } = await served('--state', state)
    const acknowledged: string[] = []
    let count = 0
    const customer = async (): Promise<void> => {
      for (;;) {
        const order_id = `load-${count++}`
        const response = await send(origins[0], { order_id }).catch(() => undefined)
        if (response === undefined) return
        if (response.ok) acknowledged.push(order_id)
        if (acknowledged.length === 150) run.stop(signal)
      }
    }
    await Promise.all(Array.from({ length: 4 }, customer))
    expect((await run.finished).code).toBe(0)
    const text = readFileSync(state, 'utf8')
    expect(acknowledged.length).toBeGreaterThanOrEqual(150)
    expect(acknowledged.filter((id) => !text.includes(`"${id}"`))).toEqual([])
    expect(existsSync(`${state}.lock`)).toBe(false)
  })

  it('close() stops listening before it saves, and resets the emulator afterwards', async () => {
    const { emulator, origin, close } = await serveEmulator({}, {})
    emulator.control.createPayment({ method: 'credit', order_id: 'C', amount: 1, currency: 'UAH' })
    const seen: unknown[] = []
    await close(async () => {
      const error = await fetch(`${origin}/_emulator/health`).catch((error: Error) => error)
      seen.push(error instanceof Error, emulator.orders.list().length)
    })
    expect([...seen, emulator.orders.list().length]).toEqual([true, 1, 0])
  })

  it('a damaged file is named with its option, and stays as it is', async () => {
    const state = file('damaged.json')
    const first = await served('--state', state)
    await pay(first.origins[0], 'A-1')
    first.run.stop('SIGTERM')
    await first.run.finished
    const wrong = JSON.parse(readFileSync(state, 'utf8')) as { state: { orders: Json[] } }
    ;(wrong.state.orders[0] as Json).timeline = null
    const before = JSON.stringify(wrong)
    writeFileSync(state, before)
    const ran = await runLine('emulator', '--port', '0', '--state', state)
    expect(ran).toEqual({ code: 2, output: expect.stringContaining(`--state ${state}: The snapshot is damaged`) })
    expect(readFileSync(state, 'utf8')).toBe(before)
  })

  it.each([
    ['--state', { version: 9, state: {} }, 'The snapshot has version 9'],
    ['--seed-file', [{ order_id: 'A', amount: 0, currency: 'UAH' }], '[0].amount must be a positive number'],
  ])('%s with %j is wrong usage', async (option, content, text) => {
    const ran = await runLine('emulator', '--port', '0', option, file('wrong.json', content))
    expect(ran).toEqual({ code: 2, output: expect.stringContaining(text) })
  })

  it('is written beside its file and renamed: who has the last whole one keeps it, whenever the process ends', async () => {
    const path = file('whole.json')
    const emulator = createEmulator()
    const state = await openStateFile(path, emulator, async () => {})
    const before = readFileSync(path, 'utf8')
    linkSync(path, `${path}.held`)
    emulator.control.createPayment({ order_id: 'A-1', amount: 1, currency: 'UAH', method: 'lookup' })
    state.changed()
    await state.close()
    expect(readFileSync(`${path}.held`, 'utf8')).toBe(before)
    expect(readFileSync(path, 'utf8')).toContain('A-1')
  })
})

describe('edgetill emulator --state ends', () => {
  const good = [{ order_id: 'seeded', amount: 5, currency: 'UAH' }]

  it('at a wrong seed file, of which nothing is stored: the corrected command begins with its orders', async () => {
    const words = ['emulator', '--port', '0', '--state', file('new.json'), '--seed-file']
    const wrong = start('src/cli/main.ts', ...words, file('wrong-seed.json', [{ ...good[0], amout: 1 }]))
    expect(await wrong.finished).toMatchObject({ code: 2, output: expect.stringContaining('[0].amout is not') })
    expect(readdirSync(folder).filter((name) => name.startsWith('new.json'))).toEqual([])
    const { origins } = await served('--state', file('new.json'), '--seed-file', file('seed.json', good))
    expect(await json(`${origins[0]}/_emulator/api/orders`)).toMatchObject([{ order_id: 'seeded' }])
  })

  it('at the first SIGTERM, although its folder is gone; a folder that comes back is written to again', async () => {
    const gone = file('gone')
    mkdirSync(gone)
    const state = join(gone, 'state.json')
    const { run, origins } = await served('--state', state)
    rmSync(gone, { recursive: true })
    await pay(origins[0], 'A-1')
    await run.seen(`--state ${state} cannot be written`)
    mkdirSync(gone)
    await expect.poll(() => existsSync(state) && readFileSync(state, 'utf8')).toContain('A-1')
    await pay(origins[0], 'A-2')
    rmSync(gone, { recursive: true })
    run.stop('SIGTERM')
    expect(await run.finished).toMatchObject({ code: 2, output: expect.stringContaining('cannot be written: ENOENT') })
  })

  it('where another emulator has the file, which it names, and takes it over from one that was killed', async () => {
    const state = file('shared.json')
    const { run, origins } = await served('--state', state)
    const second = start('src/cli/main.ts', 'emulator', '--port', '0', '--state', state)
    const used = expect.stringMatching(/is in use by process \d+: stop it, or choose another file/)
    expect(await second.finished).toMatchObject({ code: 2, output: used })
    await pay(origins[0], 'A-1')
    await expect.poll(() => readFileSync(state, 'utf8')).toContain('A-1')
    run.stop('SIGKILL')
    await run.finished
    const third = await served('--state', state)
    expect(await json(`${third.origins[0]}/_emulator/api/orders`)).toMatchObject([{ order_id: 'A-1' }])
  })

  it('at once where the file is not one', async () => {
    const ran = await start('src/cli/main.ts', 'emulator', '--port', '0', '--state', folder).finished
    expect(ran).toMatchObject({ code: 2, output: expect.stringContaining('is not a regular file') })
  })
})

it('serves https with the files of --tls-cert and --tls-key, which belong together', async () => {
  const [ca, cert, key] = ['authority', 'certificate', 'key'].map((name) =>
    join(root, `test/node/support/loopback-tls/${name}.pem`),
  )
  const alone = await runLine('emulator', '--port', '0', '--tls-cert', String(cert))
  expect(alone).toEqual({ code: 2, output: expect.stringContaining('--tls-key is missing') })
  const swapped = await runLine('emulator', '--port', '0', '--tls-cert', String(key), '--tls-key', String(cert))
  const named = `--tls-cert ${key} and --tls-key ${cert} cannot be used`
  expect(swapped).toEqual({ code: 2, output: expect.stringContaining(named) })
  const { origins } = await served('--tls-cert', String(cert), '--tls-key', String(key))
  const url = `${origins[0]}/_emulator/health`
  const program = `fetch('${url}').then(async (response) => console.log(await response.text()))`
  const asked = startCommand(process.execPath, ['-e', program], { env: { NODE_EXTRA_CA_CERTS: String(ca) } })
  expect([url, await asked.finished]).toEqual([
    ...[expect.stringMatching(/^https:/), { code: 0, output: '{"status":"ok"}\n' }],
  ])
  await expect(fetch(url)).rejects.toThrow()
})

describe('edgetill emulator --write-env', () => {
  it('keeps what else is in the file, and --wait ends when file and emulator are there', async () => {
    const env = join(folder, 'kept.env')
    writeFileSync(env, 'DATABASE=shop.db\nEDGETILL_BASE_URL=http://127.0.0.1:9\nEDGETILL_API_KEY=old\n')
    const waiting = start('src/cli/main.ts', 'emulator', '--write-env', env, '--wait')
    const { origins } = await served('--write-env', env)
    expect(await waiting.finished).toEqual({ code: 0, output: '' })
    const lines = readFileSync(env, 'utf8').trim().split('\n')
    expect(lines.slice(0, 2)).toEqual(['DATABASE=shop.db', `EDGETILL_BASE_URL=${origins[0]}`])
    expect(lines.filter((line) => line.startsWith('EDGETILL_API_KEY='))).toEqual(['EDGETILL_API_KEY=emulator-api-key'])
  })

  it.each(['EDGETILL_BASE_URL=https://pay.example.com', 'EDGETILL_API_SECRET=mine'])(
    'leaves %s as it is',
    async (line) => {
      const env = join(folder, 'own.env')
      writeFileSync(env, line)
      const ran = await runLine('emulator', '--port', '0', '--write-env', env)
      expect(ran).toEqual({ code: 2, output: expect.stringContaining('variables that no emulator wrote') })
      expect(readFileSync(env, 'utf8')).toBe(line)
    },
  )
})
