import { expect, it, vi } from 'vitest'
import { variablesOf } from '../../../src/emulator/control/pages/connect.ts'
import { createEmulator } from '../../../src/emulator/index.ts'
import { testEvent } from '../../../src/testing/index.ts'
import type { Till } from '../../../src/till/index.ts'
import { HOSTED } from '../../support/inputs.ts'
import { Document } from '../support/document.ts'
import { load } from '../support/program.ts'

export default function tests(): void {
  // guides/platforms.md, over SQLite in place of Postgres.
  const platforms = Document.of('guides/platforms.md')
  const TILL = platforms
    .program('Vercel, Netlify, Deno Deploy')
    .replace("import connect from 'postgres'", "import { DatabaseSync } from 'node:sqlite'")
    .replace('createTill, postgres', 'createTill, sqlite')
    .replace(/postgres\(connect\(.*\)\),/, "sqlite(new DatabaseSync(':memory:')),")
  const WEBHOOKS = 'https://shop.example.com/webhooks'
  type Handler = (request: Request) => Promise<Response>
  it('imports the till without a secret, as a build does', async () => {
    vi.stubEnv('EDGETILL_API_SECRET', undefined)
    expect(Object.keys(await load(TILL)).sort()).toEqual(['receive', 'till'])
  })

  it.each(['Vercel', 'Netlify', 'Deno Deploy'])('%s: stores a webhook before its 200, ships once', async (title) => {
    const emulator = createEmulator({ fetch: async () => new Response() })
    vi.stubGlobal('fetch', emulator.fetch)
    for (const line of variablesOf(emulator.credentials)) vi.stubEnv(...(line.split('=') as [string, string]))
    const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const code = platforms.program(title).replace(/^import .* from '.\/till.ts'$/m, '')
    const program = await load(`${TILL}\n${code}\n// ${title}`)
    const till = (program.till as () => Till)()
    await till.migrate()
    await till.createPayment({ ...HOSTED, order_id: 'A-1', amount: 20 })
    const { POST, default: own } = program as { POST?: Handler; default?: Handler & { fetch?: Handler } }
    const handle = POST ?? own?.fetch ?? (own as Handler)
    const paid = testEvent('purchase', { order_id: 'A-1', amount: 20 })
    const [first, again] = [await handle(paid.request(WEBHOOKS)), await handle(paid.request(WEBHOOKS))]
    // Of an order that the till did not create, and of another amount, nothing is shipped.
    for (const other of [{ order_id: 'stranger' }, { order_id: 'A-2', processed_amount: 18 }]) {
      await till.createPayment({ ...HOSTED, order_id: 'A-2', amount: 20 })
      expect((await handle(testEvent('purchase', { amount: 20, ...other }).request(WEBHOOKS))).status).toBe(200)
    }
    const forged = await handle(testEvent('purchase', {}, { secret: 'another' }).request(WEBHOOKS))
    expect([first.status, again.status, forged.status]).toEqual([200, 200, 401])
    expect(logged.mock.calls.map(([line]) => String(line).slice(0, 8))).toEqual(['ship A-1'])
  })
}
