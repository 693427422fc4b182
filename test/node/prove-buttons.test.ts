import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ServedEmulator, serveEmulator } from '../../src/cli/service/serve-emulator.ts'
import { variablesOf } from '../../src/emulator/control/pages/connect.ts'
import { prove, reportText } from '../../src/testing/prove/index.ts'
import { Document } from './support/document.ts'
import { freePort } from './support/free-port.ts'
import { type Running, startCommand } from './support/process.ts'
import { writeProgram } from './support/program.ts'
import { root } from './support/runtimes.ts'

mkdirSync(join(root, 'test-output'), { recursive: true })
const folder = mkdtempSync(join(root, 'test-output/prove-buttons-'))
let service: ServedEmulator
let running: Running | undefined
beforeAll(async () => {
  service = await serveEmulator({ port: 0 }, {})
})
afterAll(async () => {
  await kill()
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

async function kill(): Promise<void> {
  const stopped = running
  running = undefined
  stopped?.stop('SIGKILL')
  await stopped?.finished
}

/** Presses the refund of a shop, which is killed and started again where that is tried. */
async function press(name: string, code: string) {
  const file = await writeProgram(code, join(folder, `${name}.mjs`))
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const variables = Object.fromEntries(variablesOf(service.emulator.credentials).map((line) => line.split('=')))
  const env = { ...variables, PORT: String(port), SHOP_ORIGIN: origin, DATABASE: join(folder, `${name}.db`) }
  const start = async (): Promise<void> => {
    running = startCommand(join(root, 'node_modules/.bin/node'), [file], { env })
    await running.seen('shop on')
  }
  await start()
  const report = await prove({
    url: `${origin}/webhooks`,
    state: `${origin}/state/{order_id}`,
    apiSecret: service.emulator.credentials.apiSecret,
    refund: `${origin}/orders/{order_id}/refund`,
    emulator: service.origin,
    // As a command that leaves the shop in the background: it does not listen yet.
    restart: () => kill().then(() => void start()),
    orders: 2,
    kinds: ['paid'],
  })
  await kill()
  return report
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
