import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveOnNode } from '../../src/cli/service/serve-node.ts'
import { createEmulator, type Emulator, testCard } from '../../src/emulator/index.ts'
import { createPayment } from '../../src/index.ts'
import { CARD, DIRECT_AUTH } from '../support/inputs.ts'
import { root } from './support/runtimes.ts'

let emulator: Emulator
let served: Awaited<ReturnType<typeof serveOnNode>>
let environment: Record<string, string>

beforeAll(async () => {
  served = await serveOnNode((request) => emulator.fetch(request), { port: 0 })
  emulator = createEmulator({ origin: served.origin, authentication: 'per-endpoint' })
  const { baseUrl, apiUrl, posId, apiKey, apiSecret, endpointsKey, scheme } = emulator.credentials
  environment = {
    EDGETILL_BASE_URL: baseUrl,
    EDGETILL_API_URL: apiUrl,
    EDGETILL_POS_ID: posId,
    EDGETILL_API_KEY: apiKey,
    EDGETILL_API_SECRET: apiSecret,
    EDGETILL_ENDPOINTS_KEY: endpointsKey,
    EDGETILL_SCHEME: scheme,
  }
})
afterAll(() => served.close())

const NAMES = [
  ...['BASE_URL', 'API_URL', 'POS_ID', 'API_KEY', 'API_SECRET', 'ENDPOINTS_KEY', 'SCHEME', 'AUTHENTICATION'],
].map((name) => `EDGETILL_${name}`)

interface Outcome {
  code: number
  stdout: string
  stderr: string
}

/** Runs one example as a merchant would, in a process that gets the variables and little else. */
function example(
  runtime: string,
  script: string,
  words: string[] = [],
  more: Record<string, string> = {},
  deno?: string[],
) {
  const { host } = new URL(served.origin)
  const rights = deno ?? [`--allow-net=${host}`, `--allow-env=${NAMES.join(',')}`, '--no-prompt']
  const start: Record<string, string[]> = { node: [], bun: [], deno: ['run', '--quiet', ...rights] }
  const file = join(root, 'node_modules/.bin', runtime)
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, NO_COLOR: '1', ...environment, ...more }
  return new Promise<Outcome>((done) => {
    execFile(
      file,
      [...(start[runtime] ?? []), join('examples', script), ...words],
      { cwd: root, env },
      (error, stdout, stderr) => done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

describe.each(['node', 'deno', 'bun'])('on %s', (runtime) => {
  it('payment-link.ts prints the checkout page', async () => {
    const order_id = `link/${runtime}`
    const words = [order_id, '100.50', 'UAH', 'Дві чашки', 'olena@example.com', '+380441234567', 'Ivanivna']
    const { code, stdout, stderr } = await example(runtime, 'payment-link.ts', words)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.trim()).toBe(emulator.orders.get(order_id)?.checkout_url)
    expect(emulator.orders.get(order_id)?.payments[0]).toMatchObject({ amount: 100.5, description: 'Дві чашки' })
  })

  it('capture.ts charges a part of an authorization, and says so when there is none', async () => {
    const order_id = `capture-${runtime}`
    await createPayment(emulator.credentials, { ...DIRECT_AUTH, order_id, cc_number: testCard('success') })
    const part = await example(runtime, 'capture.ts', [order_id, 'UAH', '80.25'])
    expect(part).toEqual({ code: 0, stdout: 'success: 80.25 UAH (transaction successful)\n', stderr: '' })
    expect(emulator.orders.get(order_id)?.operations).toMatchObject([{ method: 'capture', amount: 80.25 }])
    const unknown = await example(runtime, 'capture.ts', ['nothing', 'UAH'])
    expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/capturePayment was rejected/) })
  })

  it('refund.ts refunds part of a payment, and order.ts shows what happened to the order', async () => {
    const order_id = `refund-${runtime}`
    await createPayment(emulator.credentials, { ...CARD, order_id, cc_number: testCard('success') })
    const part = await example(runtime, 'refund.ts', [order_id, 'UAH', '20.25'])
    expect(part).toEqual({ code: 0, stdout: 'success: 20.25 UAH (refund successful)\n', stderr: '' })
    const order = await example(runtime, 'order.ts', [order_id])
    expect({ ...order, stdout: order.stdout.replaceAll(/^\d\S+/gm, 'TIME').split('\n') }).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        'TIME  purchase       success  100.50',
        'TIME  refund         success  20.25',
        'success: 100.50 UAH authorized, 100.50 UAH captured, 20.25 UAH refunded',
        '',
      ],
    })
    const unknown = await example(runtime, 'refund.ts', ['nothing', 'UAH'])
    expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^refundPayment was/) })
  })

  it('balances.ts prints a table', async () => {
    const { code, stdout, stderr } = await example(runtime, 'balances.ts')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [head, ...rows] = stdout.trimEnd().split('\n')
    expect(head).toMatch(/^Account +Currency +Available +Rolling reserve$/)
    expect(rows.map((row) => row.length)).toEqual(rows.map(() => head?.length))
    expect(rows.join('\n')).toMatch(/^Emulator XTS +XTS +1000\.00 +50\.00$/m)
  })

  it('resend-webhook.ts prints the state', async () => {
    const order_id = `resend-${runtime}`
    await createPayment(emulator.credentials, { ...CARD, order_id, cc_number: testCard('success') })
    const { code, stdout, stderr } = await example(runtime, 'resend-webhook.ts', [order_id, 'purchase'])
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `purchase of ${order_id}: success, 100.5 UAH\n`,
      stderr: '',
    })
  })

  it('says what is missing, and what went wrong, without a secret', async () => {
    const usage = await example(runtime, 'capture.ts', ['A-1'])
    expect(usage).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage: capture.ts') })
    const unset = await example(runtime, 'balances.ts', [], { EDGETILL_API_KEY: '' })
    expect(unset).toMatchObject({ code: 2, stderr: expect.stringContaining('Set EDGETILL_API_KEY') })
    const wrong = await example(runtime, 'balances.ts', [], { EDGETILL_API_SECRET: 'canary-wrong' })
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/listAccounts was rejected with 401/) })
    expect(wrong.stderr + wrong.stdout).not.toContain('canary')
  })
})

it('on Deno, the rights named in the examples are needed: without them nothing runs', async () => {
  const { host } = new URL(served.origin)
  const names = `--allow-env=${NAMES.join(',')}`
  expect((await example('deno', 'balances.ts', [], {}, [`--allow-net=${host}`, '--no-prompt'])).code).toBe(1)
  const elsewhere = await example('deno', 'balances.ts', [], {}, ['--allow-net=127.0.0.2', names, '--no-prompt'])
  expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringMatching(/could not reach the service/) })
})
