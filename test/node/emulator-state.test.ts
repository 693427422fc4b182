import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Json } from '../emulator/call.ts'
import { payAt, startEmulator } from './support/emulator-process.ts'
import { runLine } from './support/verb.ts'

const folder = mkdtempSync(join(tmpdir(), 'edgetill-state-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

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
    await expect.poll(() => readFileSync(state, 'utf8').includes(one.payment_id), { timeout: 10_000 }).toBe(true)
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

  it.each([
    ['--state', { version: 9, state: {} }, 'The snapshot has version 9'],
    ['--seed-file', [{ order_id: 'A', amount: 0, currency: 'UAH' }], '[0].amount must be a positive number'],
    ['--shops', [{ name: 'a', customerField: 'x' }], 'Did you mean "customerFields"?'],
    ['--shops', [{ name: 'a b' }], '[0].name must be a word'],
  ])('%s with %j is wrong usage', async (option, content, text) => {
    const ran = await runLine('emulator', '--port', '0', option, file('wrong.json', content))
    expect(ran).toEqual({ code: 2, output: expect.stringContaining(text) })
  })
})

it('--shops serves each with its own POS, keys, accounts and strictness; --seed-file fills them', async () => {
  const shops = [
    { name: 'mugs', strict: true, accounts: [{ name: 'Main', currency: 'UAH', available: 5, rolling_reserve: 0 }] },
    { name: 'books', credentials: { posId: '00000000-0000-4000-8000-000000000002', apiKey: 'books-key' } },
  ]
  const seeds = [{ order_id: 'seeded', amount: 5, currency: 'UAH', card: 'declined' }]
  const { origins } = await served('--shops', file('shops.json', shops), '--seed-file', file('orders.json', seeds))
  expect(origins).toHaveLength(2)
  const [mugs, books] = origins
  expect(await json(`${books}/_emulator/api/credentials`)).toMatchObject({ apiKey: 'books-key', baseUrl: books })
  expect(await json(`${mugs}/_emulator/api/orders?order_id=seeded`)).toMatchObject({ status: 'failure' })
  const statuses = [mugs, books].map(async (shop) => (await send(shop, { order_3ds_bypass: 'xyz' })).status)
  expect(await Promise.all(statuses)).toEqual([400, 401])
})

it('--tls serves https that a client trusts with the printed certificate', async () => {
  const { run, origins } = await served('--tls')
  const certificate = /NODE_EXTRA_CA_CERTS=(\S+)/.exec(run.output())?.[1] ?? ''
  const health = (host: string) =>
    new Promise<string>((resolve, reject) => {
      const url = `${origins[0]?.replace('127.0.0.1', host)}/_emulator/health`
      const asked = request(url, { ca: readFileSync(certificate) }, (response) =>
        response.on('data', (part) => resolve(String(part))),
      )
      asked.on('error', reject)
      asked.end()
    })
  expect(origins[0]).toMatch(/^https:/)
  expect(await health('127.0.0.1')).toBe('{"status":"ok"}')
  expect(await health('localhost')).toBe('{"status":"ok"}')
  await expect(fetch(`${origins[0]}/_emulator/health`)).rejects.toThrow()
})
