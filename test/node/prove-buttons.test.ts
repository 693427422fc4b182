import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { prove, reportText } from '../../src/testing/prove/index.ts'
import { Document } from './support/document.ts'
import { folderInCheckout, serveNewEmulator } from './support/fixtures.ts'
import { freePort } from './support/free-port.ts'
import { type Running, startCommand } from './support/process.ts'
import { writeProgram } from './support/program.ts'
import { root } from './support/runtimes.ts'
import { against } from './support/verb.ts'

const folder = folderInCheckout()

/** Presses the refund of a shop, which is killed and started again where that is tried. */
async function press(name: string, code: string) {
  const { emulator, origin: service } = await serveNewEmulator()
  const file = await writeProgram(code, join(folder, `${name}.mjs`))
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const variables = against(emulator).environment
  const env = { ...variables, PORT: String(port), SHOP_ORIGIN: origin, DATABASE: join(folder, `${name}.db`) }
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
    refund: `${origin}/orders/{order_id}/refund`,
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
  if (totals) response.json({ paid: totals.captured / 100, refunded: totals.refunded / 100 })
  else response.sendStatus(404)
})
`

it("the till's shop refunds once, however its button is pressed", { timeout: 120_000 }, async () => {
  const shop = new Document('guides/till.md').program('Express and SQLite')
  const report = await press('till', shop.replace('app.listen(', `${STATE}\napp.listen(`))
  expect(report.findings, reportText(report)).toEqual([])
})

it('a shop with the bare SDK refunds twice', { timeout: 120_000 }, async () => {
  const report = await press('bare', readFileSync(join(root, 'test/node/prove/bare.ts'), 'utf8'))
  const said = report.findings.map(({ verdict, cause, seen }) => [verdict, cause, seen?.refunded])
  expect(said, reportText(report)).toContainEqual(['refunded twice', 'refunds_twice', 60.4])
})
