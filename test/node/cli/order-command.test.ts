import { beforeEach, describe, expect, it, vi } from 'vitest'
import { command as cancel } from '../../../src/cli/commands/cancel.ts'
import { command as capture } from '../../../src/cli/commands/capture.ts'
import { command as refund } from '../../../src/cli/commands/refund.ts'
import { command as voidVerb } from '../../../src/cli/commands/void.ts'
import type { Fault } from '../../../src/emulator/faults/fault.ts'
import type { TestCardName } from '../../../src/emulator/index.ts'
import { HOSTED } from '../../support/inputs.ts'
import { openShop, type Shop } from '../../support/shop.ts'
import { type Around, against, later, runVerb } from '../support/verb.ts'

let shop: Shop
let around: Around

beforeEach(() => {
  shop = openShop()
  around = against(shop.emulator)
})

/** An order of 100.50 UAH that is authorized or paid. */
async function order(order_id: string, method: 'auth' | 'purchase' = 'auth', card?: TestCardName): Promise<void> {
  const input = { ...HOSTED, order_id, amount: 100.5, currency: 'UAH', server_url: undefined }
  const result = await shop.client.createPayment({ ...input, method } as typeof HOSTED)
  await shop.pay(result.url, card)
}

/** The requests that changed something, since the last call. */
function changes(): string[] {
  return shop.emulator.requests
    .filter(({ method, path }) => method === 'POST' && /(capture|refund|void|cancel)$/.test(path))
    .map(({ path }) => path.slice(path.lastIndexOf('/') + 1))
}

describe('what moves money shows what will be sent, and asks', () => {
  it('sends exactly what it has shown after "y"', async () => {
    await order('A-1')
    const ran = await runVerb(capture, ['A-1', '--amount', '80.25', '--comment', 'two mugs'], {
      ...around,
      answer: 'y',
    })
    expect(ran.asked).toEqual(['Send this? [y/N] '])
    expect(ran.err).toContain(`POST ${shop.emulator.credentials.baseUrl}/api/v1/capture`)
    expect(ran.err).toMatch(/order_id +A-1\n +order_currency +UAH\n +charge_amount +80\.25\n +comment +two mugs\n/)
    expect(ran.out).toMatch(/^capture of order A-1: success\n +amount +80.25 UAH\n/)
    expect(ran.code).toBe(0)
    const [sent] = shop.emulator.requests.filter(({ path }) => path.endsWith('/capture'))
    expect(JSON.parse(String(sent?.body))).toEqual({
      pos_id: shop.emulator.credentials.posId,
      order_id: 'A-1',
      order_currency: 'UAH',
      charge_amount: 80.25,
      comment: 'two mugs',
    })
  })

  it.each([
    ['n', 1],
    ['', 1],
    ['yep', 1],
    ['Ctrl-C', 130],
  ])('sends nothing after "%s"', async (answer, code) => {
    await order('A-1')
    const ran = await runVerb(capture, ['A-1'], { ...around, answer })
    expect(ran.err).toContain('without an amount: the whole authorization is captured')
    expect(ran.err).toMatch(/\nNothing was sent\.\n$/)
    expect([ran.code, ran.out, changes()]).toEqual([code, '', []])
  })
})

/** Each verb with the order that it is for, and what a `--dry-run` of it shows beside the order. */
const VERBS = [
  ['capture', capture, 'auth', { charge_amount: 20 }],
  ['refund', refund, 'purchase', { refund_amount: 20 }],
  ['void', voidVerb, 'auth', {}],
  ['cancel', cancel, undefined, undefined],
] as const

it.each(VERBS)(
  '%s prints what --dry-run would send, and sends it with --yes alone',
  async (name, verb, method, body) => {
    if (method) await order('A-1', method)
    else await shop.client.createPayment({ ...HOSTED, order_id: 'A-1' })
    const ran = await runVerb(verb, ['A-1'], around)
    expect(ran.err).toContain('There is no terminal to ask on, so nothing was sent. Add --yes')
    expect([ran.code, ran.out, changes()]).toEqual([2, '', []])
    expect(shop.emulator.requests.filter(({ method }) => method === 'GET')).toEqual([])

    const words = ['A-1', '--dry-run', '--yes', ...(body && Object.keys(body).length > 0 ? ['--amount', '20'] : [])]
    const people = await runVerb(verb, words, around)
    expect(people.out).toMatch(new RegExp(`^${name} A-1\nPOST http.*\n(.*\n)*Nothing was sent\\.\n$`))
    const { out, code } = await runVerb(verb, [...words, '--json'], around)
    const { dry_run, request } = JSON.parse(out)
    expect([dry_run, request.method, code, changes()]).toEqual([true, 'POST', 0, []])
    if (body) expect(request.body).toMatchObject({ order_id: 'A-1', order_currency: 'UAH', ...body })

    const done = await runVerb(verb, ['A-1', '--yes'], around)
    expect([done.code, done.asked, changes()]).toEqual([0, [], [name]])
  },
)

it.each([
  ['no --yes', ['A-1']],
  ['a comment that is too long', ['A-1', '--yes', '--comment', 'x'.repeat(2049)]],
  ['a currency that is none', ['A-1', '--yes', '--currency', 'hryvnia']],
  ['a server_url that is none', ['A-1', '--yes', '--server-url', 'shop']],
])('%s exits 2 before the service is asked, which is not there', async (_, words) => {
  const fetch = vi.fn(async () => Promise.reject(new TypeError('fetch failed')))
  const ran = await runVerb(refund, words, { ...around, fetch })
  expect([ran.code, fetch.mock.calls.length]).toEqual([2, 0])
})

describe('the order is looked up first', () => {
  it('takes its currency, and rejects another', async () => {
    await order('A-1')
    const ran = await runVerb(capture, ['A-1', '--currency', 'EUR', '--yes'], around)
    expect(ran.err).toContain('Order A-1 is in UAH, not in EUR. Nothing was sent.')
    expect([ran.code, changes()]).toEqual([2, []])
  })

  it.each([
    ['void', voidVerb],
    ['cancel', cancel],
  ])('%s rejects another amount: it is always whole', async (name, verb) => {
    if (name === 'void') await order('A-1')
    else await shop.client.createPayment({ ...HOSTED, order_id: 'A-1', amount: 100.5, currency: 'UAH' })
    const ran = await runVerb(verb, ['A-1', '--amount', '50', '--yes'], around)
    expect(ran.err).toContain(`Order A-1 is of 100.50 UAH, and a ${name} is always whole`)
    expect([ran.code, changes()]).toEqual([2, []])
    expect((await runVerb(verb, ['A-1', '--amount', '100.50', '--yes'], around)).code).toBe(0)
  })

  it.each(['capture', 'refund', 'void'])('%s of an order that is not shown needs --currency', async (name) => {
    const verb = { capture, refund, void: voidVerb }[name as 'capture']
    const ran = await runVerb(verb, ['A-9', '--yes'], around)
    expect(ran.err).toContain('The service does not show an order A-9. Nothing was sent.')
    expect([ran.code, changes()]).toEqual([2, []])
    const sent = await runVerb(verb, ['A-9', '--yes', '--currency', 'UAH'], around)
    expect(sent.err).toMatch(/was rejected with 404/)
    expect([sent.code, changes()]).toEqual([1, [name]])
  })

  it.each([
    ['capture', capture, 'auth'],
    ['refund', refund, 'purchase'],
  ] as const)('a repeated %s of the same amount warns, another amount does not', async (name, verb, method) => {
    await order('A-1', method)
    const run = (amount: string) => runVerb(verb, ['A-1', '--amount', amount, '--yes'], around)
    expect((await run('20')).err).toBe('')
    expect((await run('30')).err).toBe('')
    const again = await run('20.00')
    expect(again.err).toMatch(new RegExp(`^Warning: order A-1 already has a ${name} of 20.00 UAH \\(success, 2026-`))
    expect(again.code).toBe(0)
    const whole = await runVerb(verb, ['A-1'], { ...around, answer: 'n' })
    expect(whole.err).toContain(`already has a ${name} of 20.00 UAH`)
  })

  it('is warned of without a colour: standard error may be a file while standard output is a terminal', async () => {
    await order('A-1')
    vi.stubEnv('NO_COLOR', undefined)
    vi.stubEnv('TERM', 'xterm')
    const isTTY = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY')
    Object.defineProperty(process.stdout, 'isTTY', { value: true, configurable: true })
    const words = ['A-1', '--amount', '20', '--yes']
    const first = await runVerb(capture, words, around)
    const again = await runVerb(capture, words, around)
    Object.defineProperty(process.stdout, 'isTTY', isTTY ?? { value: undefined, configurable: true })
    vi.unstubAllEnvs()
    expect(first.out).toContain('\u001b[32msuccess')
    expect(again.err).toMatch(/^Warning: order A-1 already has a capture of 20\.00 UAH/)
  })

  it('a declined one does not count as a repetition', async () => {
    await order('A-1', 'auth', 'capture_declined')
    const first = await runVerb(capture, ['A-1', '--yes'], around)
    expect(first.err).toBe('The capture was not done: the service declined it.\n')
    expect(first.code).toBe(1)
    expect((await runVerb(capture, ['A-1', '--yes'], around)).err).not.toContain('Warning')
  })
})

describe('what comes back', () => {
  it('is 3 while it is not final: whether money moves is not known', async () => {
    await order('A-1')
    shop.emulator.faults.next({ kind: 'status_code', status_code: '2000', on: 'capture-payment' })
    const ran = await runVerb(capture, ['A-1', '--yes'], around)
    expect(ran.err).toContain('The capture is not finished (pending). Do not repeat it: edgetill order A-1')
    expect(ran.code).toBe(3)
  })

  it('is 1 when the service rejects it', async () => {
    await order('A-1', 'purchase')
    const ran = await runVerb(cancel, ['A-1', '--yes'], around)
    expect(ran.err).toMatch(/^cancelPayment was rejected with 400/)
    expect([ran.code, ran.out]).toEqual([1, ''])
    const { out } = await runVerb(cancel, ['A-1', '--yes', '--json'], around)
    const message = expect.stringMatching(/^cancelPayment was rejected with 400/)
    expect(JSON.parse(out)).toEqual({ error: { code: 'api', status: 400, apiCode: null, message } })
  })

  it('is "done" for a payment that was cancelled', async () => {
    await shop.client.createPayment({ ...HOSTED, order_id: 'A-1' })
    const ran = await runVerb(cancel, ['A-1', '--yes'], around)
    expect(ran.out).toMatch(/^cancel of order A-1: done\n.*\n +status_code +6007: payment has been cancelled\n/)
    expect(ran.code).toBe(0)
  })
})

describe('an unknown outcome', () => {
  const words = ['A-1', '--amount', '20', '--yes', '--timeout', '400ms']

  it.each<Fault>([{ kind: 'reset' }, { kind: 'body', body: 'html' }, { kind: 'no_response' }])(
    'exits 3 after $kind, and is found out with --resolve',
    async (fault) => {
      await order('A-1')
      shop.emulator.faults.next({ ...fault, on: 'capture-payment' } as Fault)
      const ran = await runVerb(capture, words, around)
      expect(ran.err).toContain('Whether it was processed is unknown.')
      expect(ran.err).toContain('Do NOT run this command again before you know. Find out with: edgetill order A-1')
      expect(ran.err).toContain('It was executed if the order shows a capture of 20.00 UAH.')
      expect(ran.err).not.toContain('resendWebhook(')
      expect([ran.code, ran.out, changes()]).toEqual([3, '', ['capture']])

      shop.emulator.faults.next({ ...fault, on: 'capture-payment' } as Fault)
      const found = await runVerb(capture, [...words, '--resolve', '--json'], around)
      expect(found.err).toContain('Found out: it was executed.')
      expect(JSON.parse(found.out)).toMatchObject({ method: 'capture', amount: 20, status: 'success' })
      expect([found.code, changes()]).toEqual([0, ['capture', 'capture']])

      shop.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
      const not = await runVerb(capture, [...words, '--resolve', '--settle-after', '1s', '--json'], around)
      expect(not.err).toContain('Found out: it was not executed.')
      const error = { code: 'not_executed', status: null, apiCode: null, message: 'The capture was not executed.' }
      expect([not.code, JSON.parse(not.out)]).toEqual([1, { outcome: 'not_executed', error }])
    },
  )

  it('names the captures from before the call, and does not take one of them for this', async () => {
    await order('A-1')
    const earlier = await shop.client.capturePayment({ order_id: 'A-1', order_currency: 'UAH', charge_amount: 20 })
    shop.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
    const ran = await runVerb(capture, [...words, '--json'], around)
    expect(ran.err).toContain(`a capture of 20.00 UAH, other than ${earlier.operation_id}.`)
    expect(JSON.parse(ran.out)).toMatchObject({
      outcome: 'unknown',
      reason: 'interrupted',
      call: { operation: 'capturePayment', order_id: 'A-1', amount: 20, currency: 'UAH' },
      known: [earlier.operation_id],
    })
    expect(ran.code).toBe(3)
    shop.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
    const found = await runVerb(capture, [...words, '--resolve', '--settle-after', '1ms'], around)
    expect(found.err).toContain('Found out: it was not executed.')
  })

  it('stays 3 where the look-up fails too', async () => {
    await order('A-1')
    const fetch: typeof shop.emulator.fetch = async (input, init) => {
      if (changes().length === 0) return shop.emulator.fetch(input, init as RequestInit)
      return new Response(null, { status: 404 })
    }
    shop.emulator.faults.next({ kind: 'reset', on: 'capture-payment' })
    const ran = await runVerb(capture, [...words, '--resolve', '--settle-after', '1ms'], { ...around, fetch })
    expect(ran.err).toMatch(/Still unknown: The service shows no payment of this order/)
    expect(ran.code).toBe(3)
  })

  it('is also what Ctrl-C leaves behind, once the request was sent', async () => {
    await order('A-1')
    shop.emulator.faults.next({ kind: 'no_response', on: 'capture-payment' })
    const { promise: stopped, resolve: interrupt } = later()
    const fetch: typeof shop.emulator.fetch = (input, init) => {
      if (String(input).endsWith('/capture')) queueMicrotask(interrupt)
      return shop.emulator.fetch(input, init as RequestInit)
    }
    const ran = await runVerb(capture, ['A-1', '--yes', '--resolve'], { ...around, fetch, stopped })
    expect(ran.err).toContain('Do NOT run this command again before you know.')
    expect(ran.err).not.toContain('Still unknown')
    expect(ran.code).toBe(3)
  })
})

it('a request that was certainly not processed exits 1, and says so', async () => {
  await order('A-1')
  shop.emulator.faults.next({ kind: 'too_many_requests', retryAfter: 100, on: 'capture-payment' }, 3)
  const ran = await runVerb(capture, ['A-1', '--yes'], around)
  expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('Nothing was changed. Try again later.')])
})
