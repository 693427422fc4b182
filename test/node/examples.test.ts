import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serveOnNode } from '../../src/cli/service/serve-node.ts'
import { createEmulator, type Emulator, testCard } from '../../src/emulator/index.ts'
import { createPayment } from '../../src/index.ts'
import { CARD, DIRECT_AUTH } from '../support/inputs.ts'
import { watch } from './support/process.ts'
import { root } from './support/runtimes.ts'
import { against } from './support/verb.ts'

let emulator: Emulator
let served: Awaited<ReturnType<typeof serveOnNode>>

beforeAll(async () => {
  served = await serveOnNode((request) => emulator.fetch(request), { port: 0 })
  emulator = createEmulator({ origin: served.origin, authentication: 'per-endpoint' })
})
afterAll(() => served.close())

/** Runs one example as a merchant would, in a process that gets the variables and little else. */
async function example(runtime: string, line: string, more: Record<string, string> = {}, deno?: string[]) {
  const { environment } = against(emulator)
  const names = [...Object.keys(environment), 'EDGETILL_AUTHENTICATION', 'EDGETILL_ALLOW_INSECURE_HTTP']
  const rights = deno ?? [`--allow-net=${new URL(served.origin).host}`, `--allow-env=${names}`]
  const start: Record<string, string[]> = { node: [], bun: [], deno: ['run', '--quiet', '--no-prompt', ...rights] }
  const [script = '', ...words] = line.split(' ')
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, NO_COLOR: '1', ...environment, ...more }
  const given = [...(start[runtime] ?? []), join('examples', script), ...words]
  const child = spawn(join(root, 'node_modules/.bin', runtime), given, { cwd: root, env })
  const { code, stdout, stderr } = await watch(child).finished
  return { code, stdout, stderr }
}

const printed = (stdout: string) => ({ code: 0, stdout, stderr: '' })

it('payment-link.ts prints the checkout page', async () => {
  const words = 'link/1 100.50 UAH Чашки olena@example.com +380441234567 Ivanivna'
  const ran = await example('node', `payment-link.ts ${words}`)
  expect(ran).toEqual(printed(`${emulator.orders.get('link/1')?.checkout_url}\n`))
  expect(emulator.orders.get('link/1')?.payments[0]).toMatchObject({ amount: 100.5, description: 'Чашки' })
})

// The differences by runtime are in examples/settings.ts, which each of them imports.
it('capture.ts and refund.ts move a part, and order.ts and resend-webhook.ts show the order', async () => {
  const { credentials } = emulator
  await createPayment(credentials, { ...DIRECT_AUTH, order_id: 'held', cc_number: testCard('success') })
  const captured = await example('node', 'capture.ts held UAH 80.25')
  expect(captured).toEqual(printed('success: 80.25 UAH (transaction successful)\n'))
  expect(emulator.orders.get('held')?.operations).toMatchObject([{ method: 'capture', amount: 80.25 }])
  await createPayment(credentials, { ...CARD, order_id: 'paid', cc_number: testCard('success') })
  const refunded = await example('bun', 'refund.ts paid UAH 20.25')
  expect(refunded).toEqual(printed('success: 20.25 UAH (refund successful)\n'))
  const order = await example('deno', 'order.ts paid')
  expect({ ...order, stdout: order.stdout.replaceAll(/^\d\S+/gm, 'TIME') }).toEqual(
    printed(`TIME  purchase       success  100.50
TIME  refund         success  20.25
success: 100.50 UAH authorized, 100.50 UAH captured, 20.25 UAH refunded
`),
  )
  const resent = await example('node', 'resend-webhook.ts paid purchase')
  expect(resent).toEqual(printed('purchase of paid: success, 100.5 UAH\n'))
})

it.each(['node', 'deno', 'bun'])('balances.ts prints a table on %s', async (runtime) => {
  const { code, stdout, stderr } = await example(runtime, 'balances.ts')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [head, ...rows] = stdout.trimEnd().split('\n')
  expect(head).toMatch(/^Account +Currency +Available +Rolling reserve$/)
  expect(rows.map((row) => row.length)).toEqual(rows.map(() => head?.length))
  expect(rows.join('\n')).toMatch(/^Emulator XTS +XTS +1000\.00 +50\.00$/m)
})

it.each<[line: string, more: Record<string, string>, code: number, says: RegExp]>([
  ['capture.ts nothing UAH', {}, 1, /^capturePayment was rejected/],
  ['refund.ts nothing UAH', {}, 1, /^refundPayment was rejected/],
  ['capture.ts A-1', {}, 2, /Usage: capture\.ts/],
  ['balances.ts', { EDGETILL_API_KEY: '' }, 2, /Set EDGETILL_API_KEY/],
  ['balances.ts', { EDGETILL_API_SECRET: 'canary-wrong' }, 1, /^listAccounts was rejected with 401(?!.*canary)/s],
])('%s with %j says what is missing or went wrong, without a secret', async (line, more, code, says) => {
  expect(await example('node', line, more)).toEqual({ code, stdout: '', stderr: expect.stringMatching(says) })
})

it('on Deno, the rights named in the examples are needed: without them nothing runs', async () => {
  const { host } = new URL(served.origin)
  expect((await example('deno', 'balances.ts', {}, [`--allow-net=${host}`])).code).toBe(1)
  const elsewhere = await example('deno', 'balances.ts', {}, ['--allow-net=127.0.0.2', '--allow-env'])
  expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringMatching(/could not reach the service/) })
})
