import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type ProveOptions, prove, reportText } from '../../src/testing/prove/index.ts'
import { Document } from './support/document.ts'
import { folderInCheckout, serveNewEmulator } from './support/fixtures.ts'
import { freePort } from './support/free-port.ts'
import { type Running, startCommand } from './support/process.ts'
import { writeProgram } from './support/program.ts'
import { root } from './support/runtimes.ts'
import { against } from './support/verb.ts'

const folder = folderInCheckout()
const STAFF_PASSWORD = 'a long and random password'

/** Presses the refund of a shop, which is killed and started again where that is tried. */
async function press(name: string, code: string, button?: (origin: string) => ProveOptions['refund']) {
  const { emulator, origin: service } = await serveNewEmulator()
  const file = await writeProgram(code, join(folder, `${name}.mjs`), folder)
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const variables = against(emulator).environment
  const env = {
    ...variables,
    STAFF_PASSWORD,
    PORT: String(port),
    SHOP_ORIGIN: origin,
    DATABASE: join(folder, `${name}.db`),
  }
  let running: Running | undefined
  const start = async (): Promise<void> => {
    running = startCommand(join(root, 'node_modules/.bin/node'), [file], { env })
    await running.seen('shop on')
  }
  const kill = async (): Promise<void> => {
    running?.stop('SIGKILL')
    await running?.finished
  }
  await start()
  return await prove({
    url: `${origin}/webhooks`,
    state: `${origin}/state/{order_id}`,
    apiSecret: emulator.credentials.apiSecret,
    refund: button?.(origin) ?? `${origin}/orders/{order_id}/refund`,
    emulator: service,
    // As a command that leaves the shop in the background: it does not listen yet.
    restart: () => kill().then(() => void start()),
    orders: 2,
    kinds: ['paid'],
  })
}

// The answer for `prove`: a state, which the page of an order is not.
const STATE = `
app.get('/state/:id', async (request, response) => {
  const { totals } = (await till.order(request.params.id)) ?? {}
  if (totals) response.json({ paid: totals.captured_minor / 100, refunded: totals.refunded_minor / 100 })
  else response.sendStatus(404)
})
`

/** A clerk who signs in, opens the page of an order for each intention, and presses its button as often as they are asked to. */
function clerkAt(origin: string): ProveOptions['refund'] {
  const login = { method: 'POST', body: new URLSearchParams({ password: STAFF_PASSWORD }), redirect: 'manual' } as const
  const session = fetch(`${origin}/staff/login`, login).then(({ headers }) => {
    return { cookie: headers.get('set-cookie')?.split(';')[0] ?? '' }
  })
  const pages = new Map<string, Promise<string>>()
  return async ({ order_id, amount, key }) => {
    const [page, headers] = [`${origin}/staff/orders/${order_id}`, await session]
    if (!pages.has(key))
      pages.set(
        key,
        fetch(page, { headers }).then((response) => response.text()),
      )
    const hidden = [...((await pages.get(key)) ?? '').matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)]
    const body = new URLSearchParams([
      ...hidden.map(([, name = '', value = '']) => [name, value]),
      ['amount', `${amount}`],
    ])
    return (await fetch(page, { method: 'POST', headers, body })).text()
  }
}

it("the till's shop refunds once, however its button is pressed", { timeout: 120_000 }, async () => {
  const guide = new Document('guides/till.md')
  const shop = guide.program('Express and SQLite').replace('app.listen(', `${STATE}\napp.listen(`)
  writeFileSync(join(folder, 'shop.ts'), shop)
  const report = await press('till', guide.program("The staff's page"), clerkAt)
  expect(report.findings, reportText(report)).toEqual([])
})

it('a shop with the bare SDK refunds twice', { timeout: 120_000 }, async () => {
  const report = await press('bare', readFileSync(join(root, 'test/node/prove/bare.ts'), 'utf8'))
  const found = report.findings.map(({ verdict, cause, seen }) => [verdict, cause, seen?.refunded])
  expect(found, reportText(report)).toContainEqual(['refunded twice', 'refunds_twice', 60.4])
})
