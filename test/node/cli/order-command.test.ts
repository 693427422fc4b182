import { beforeEach, describe, expect, it, vi } from 'vitest'
import { cancel, capture, refund, voidVerb } from '../../../src/cli/commands/change-order.ts'
import { verb as order } from '../../../src/cli/commands/order.ts'
import type { Fault } from '../../../src/emulator/faults/fault.ts'
import type { TestCardName } from '../../../src/emulator/index.ts'
import { HOSTED } from '../../support/inputs.ts'
import { openShop, type Shop } from '../../support/shop.ts'
import { type Around, against, runVerb } from '../support/verb.ts'

let shop: Shop
let around: Around

beforeEach(() => {
  shop = openShop()
  around = against(shop.emulator)
})

const COMMANDS = { capture, refund, void: voidVerb, cancel }
type Name = keyof typeof COMMANDS
const run = (name: Name, words: string[], more: Around = {}) => runVerb(COMMANDS[name], words, { ...around, ...more })

/** The order A-1 of 100.50 UAH, which is what the verb is for: authorized, paid, or still open. */
async function orderFor(name: Name, card?: TestCardName): Promise<void> {
  const input = { ...HOSTED, order_id: 'A-1', amount: 100.5, currency: 'UAH', server_url: undefined }
  const method = name === 'refund' ? 'purchase' : 'auth'
  const { url } = await shop.client.createPayment({ ...input, method } as typeof HOSTED)
  if (name !== 'cancel') await shop.pay(url, card)
}

/** The requests that changed something. */
function changes(): string[] {
  return shop.emulator
    .requests()
    .filter(({ method, path }) => method === 'POST' && /(capture|refund|void|cancel)$/.test(path))
    .map(({ path }) => path.slice(path.lastIndexOf('/') + 1))
}

describe('what moves money shows what will be sent, and asks', () => {
  it('sends exactly what it has shown after "y", and nothing after anything else', async () => {
    await orderFor('capture')
    for (const [answer, code] of [
      ['', 1],
      ['yep', 1],
      ['Ctrl-C', 130],
    ] as const) {
      const ran = await run('capture', ['A-1'], { answer })
      expect(ran.err).toMatch(/without an amount: the whole authorization is captured\n.*Nothing was sent\.\n$/s)
      expect([ran.code, ran.out, changes()]).toEqual([code, '', []])
    }
    const ran = await run('capture', ['A-1', '--amount', '80.25', '--comment', 'two mugs'], { answer: 'y' })
    expect(ran.asked).toEqual(['Send this? [y/N] '])
    expect(ran.err).toContain(`POST ${shop.emulator.credentials.baseUrl}/api/v1/capture`)
    expect(ran.err).toMatch(/order_id +A-1\n +order_currency +UAH\n +charge_amount +80\.25\n +comment +two mugs\n/)
    expect(ran.out).toMatch(/^capture of order A-1: success\n +amount +80.25 UAH\n/)
    expect(ran.code).toBe(0)
    const [sent] = shop.emulator.requests().filter(({ path }) => path.endsWith('/capture'))
    const { posId: pos_id } = shop.emulator.credentials
    const shown = { pos_id, order_id: 'A-1', order_currency: 'UAH', charge_amount: 80.25, comment: 'two mugs' }
    expect(JSON.parse(String(sent?.body))).toEqual(shown)
  })

  /** Lines that its `--dry-run` shows beside the order. */
  it.each<[Name, object | undefined]>([
    ['capture', { charge_amount: 20 }],
    ['refund', { refund_amount: 20 }],
    ['void', {}],
    ['cancel', undefined],
  ])('%s prints what --dry-run would send, and sends it with --yes alone', async (name, body) => {
    await orderFor(name)
    const ran = await run(name, ['A-1'])
    expect(ran.err).toContain('There is no terminal to confirm on, so nothing was sent. Add --yes')
    expect([ran.code, ran.out, changes()]).toEqual([2, '', []])
    expect(shop.emulator.requests().filter(({ method }) => method === 'GET')).toEqual([])

    const words = ['A-1', '--dry-run', '--yes', ...(/capture|refund/.test(name) ? ['--amount', '20'] : [])]
    const people = await run(name, words)
    expect(people.out).toMatch(new RegExp(`^${name} A-1\nPOST http.*\n(.*\n)*Nothing was sent\\.\n$`))
    const { out, code } = await run(name, [...words, '--json'])
    const { dry_run, request } = JSON.parse(out)
    expect([dry_run, request.method, code, changes()]).toEqual([true, 'POST', 0, []])
    if (body) expect(request.body).toMatchObject({ order_id: 'A-1', order_currency: 'UAH', ...body })

    const done = await run(name, ['A-1', '--yes'])
    expect([done.code, done.asked, changes()]).toEqual([0, [], [name]])
    if (name === 'cancel')
      expect(done.out).toMatch(/^cancel of order A-1: done\n.*\n +status_code +6007: payment has been cancelled\n/)
  })

  it.each([
    ['no --yes', ['A-1']],
    ['a comment that is too long', ['A-1', '--yes', '--comment', 'x'.repeat(2049)]],
    ['a currency that is none', ['A-1', '--yes', '--currency', 'hryvnia']],
    ['a server_url that is none', ['A-1', '--yes', '--server-url', 'shop']],
  ])('%s exits 2 before the service is asked, which is not there', async (_, words) => {
    const fetch = vi.fn(async () => Promise.reject(new TypeError('fetch failed')))
    expect([(await run('refund', words, { fetch })).code, fetch.mock.calls.length]).toEqual([2, 0])
  })
})

describe('the order is looked up first', () => {
  it.each<[Name, string[], string, string[]]>([
    ['capture', ['--currency', 'EUR'], 'Order A-1 is in UAH, not in EUR. Nothing was sent.', ['--currency', 'UAH']],
    ['void', ['--amount', '50'], 'Order A-1 is of 100.50 UAH, and a void is always whole', ['--amount', '100.50']],
    ['cancel', ['--amount', '50'], 'Order A-1 is of 100.50 UAH, and a cancel is always whole', ['--amount', '100.50']],
  ])('%s rejects %j, which the order is not of', async (name, words, text, right) => {
    await orderFor(name)
    const ran = await run(name, ['A-1', ...words, '--yes'])
    expect(ran.err).toContain(text)
    expect([ran.code, changes()]).toEqual([2, []])
    expect((await run(name, ['A-1', ...right, '--yes'])).code).toBe(0)
  })

  it.each<Name>(['capture', 'refund', 'void'])('%s of an order that is not shown needs --currency', async (name) => {
    const ran = await run(name, ['A-9', '--yes'])
    expect(ran.err).toContain('The service does not show an order A-9. Nothing was sent.')
    expect([ran.code, changes()]).toEqual([2, []])
    if (name !== 'void') {
      // It may have been made before.
      const blind = await run(name, ['A-9', '--yes', '--currency', 'UAH'])
      expect(blind.err).toContain('Nothing was sent: the service does not show the operations of this order')
      expect([blind.code, changes()]).toEqual([2, []])
    }
    const sent = await run(name, ['A-9', '--yes', '--currency', 'UAH', '--again'].slice(0, name === 'void' ? 4 : 5))
    expect(sent.err).toMatch(/was rejected with 404/)
    expect([sent.code, changes()]).toEqual([1, [name]])
  })

  it.each<Name>(['capture', 'refund'])('a repeated %s of the same amount is not sent unattended', async (name) => {
    await orderFor(name)
    const send = (amount: string, ...words: string[]) => run(name, ['A-1', '--amount', amount, '--yes', ...words])
    expect([(await send('20')).err, (await send('30')).err]).toEqual(['', ''])
    const has = `order A-1 already has a ${name} of 20.00 UAH \\(success, 2026-`
    const again = await send('20.00')
    expect(again.err).toMatch(new RegExp(`Nothing was sent: ${has}.*--again, or --if-version [\\w-]{12}`))
    expect([again.code, changes()]).toEqual([2, [name, name]])
    expect((await run(name, ['A-1', '--amount', '20', '--yes', '--dry-run'])).code).toBe(0)

    const meant = await send('20', '--again')
    expect(meant.err).toMatch(new RegExp(`^Warning: ${has}`))
    expect([meant.code, changes()]).toEqual([0, [name, name, name]])
    const whole = await run(name, ['A-1'], { answer: 'n' })
    expect(whole.err).toContain(`already has a ${name} of 20.00 UAH`)
  })

  it('sends an operation for one version of the order once', async () => {
    await orderFor('refund')
    const look = () => runVerb(order, ['A-1', '--json'], around)
    const seen = async () => JSON.parse((await look()).out).version as string
    const first = await seen()
    const send = (version: string) => run('refund', ['A-1', '--amount', '20', '--yes', '--if-version', version])
    expect((await send(first)).code).toBe(0)
    const late = await send(first)
    expect(late.err).toContain(`Order A-1 has changed: its version is ${await seen()}, not ${first}. Nothing was sent.`)
    expect([late.code, changes()]).toEqual([2, ['refund']])
    expect([(await send(await seen())).code, changes()]).toEqual([0, ['refund', 'refund']])
  })

  it('a declined one does not count as a repetition', async () => {
    await orderFor('capture', 'capture_declined')
    const first = await run('capture', ['A-1', '--yes'])
    expect([first.code, first.err]).toEqual([1, 'The capture was not done: the service declined it.\n'])
    expect((await run('capture', ['A-1', '--yes'])).err).not.toContain('Warning')
  })
})

describe('what comes back', () => {
  it.each<[number, Fault, string]>([
    // Whether money moves is not known.
    [3, { kind: 'status_code', status_code: '2000' }, 'not finished (pending). Do not repeat it: edgetill order A-1'],
    // It was certainly not processed.
    [1, { kind: 'too_many_requests', retryAfter: 100 }, 'Nothing was changed. Try again later.'],
  ])('is %i after %j', async (code, fault, text) => {
    await orderFor('capture')
    shop.emulator.faults.next({ ...fault, on: 'capture-payment' } as Fault, 3)
    const ran = await run('capture', ['A-1', '--yes'])
    expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(text)])
  })

  it('is 1 when the service rejects it', async () => {
    await orderFor('refund')
    const ran = await run('cancel', ['A-1', '--yes', '--json'])
    const message = expect.stringMatching(/^cancelPayment was rejected with 400/)
    expect([ran.code, ran.err]).toEqual([1, message])
    expect(JSON.parse(ran.out)).toEqual({ error: { code: 'api', status: 400, apiCode: null, message } })
  })
})

describe('an unknown outcome', () => {
  const words = ['A-1', '--amount', '20', '--yes', '--timeout', '400ms']

  it.each<Fault>([{ kind: 'reset' }, { kind: 'body', body: 'html' }, { kind: 'no_response' }])(
    'exits 3 after $kind, and is found out with --resolve',
    async (fault) => {
      await orderFor('capture')
      shop.emulator.faults.next({ ...fault, on: 'capture-payment' } as Fault)
      const ran = await run('capture', words)
      expect(ran.err).toContain('Whether it was processed is unknown.')
      expect(ran.err).toContain('Do NOT run this command again before you know. Find out with: edgetill order A-1')
      expect(ran.err).toContain('It was executed if the order shows a capture of 20.00 UAH.')
      expect(ran.err).not.toContain('resendWebhook(')
      expect([ran.code, ran.out, changes()]).toEqual([3, '', ['capture']])

      shop.emulator.faults.next({ ...fault, on: 'capture-payment' } as Fault)
      const found = await run('capture', [...words, '--resolve', '--again', '--json'])
      expect(found.err).toContain('Found out: it was executed.')
      expect(JSON.parse(found.out)).toMatchObject({ method: 'capture', amount: 20, status: 'success' })
      expect([found.code, changes()]).toEqual([0, ['capture', 'capture']])

      shop.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
      const not = await run('capture', [...words, '--resolve', '--again', '--settle-after', '1s', '--json'])
      expect(not.err).toContain('Found out: it was not executed.')
      const error = { code: 'not_executed', status: null, apiCode: null, message: 'The capture was not executed.' }
      expect([not.code, JSON.parse(not.out)]).toEqual([1, { outcome: 'not_executed', error }])
    },
  )

  it('names the captures from before the call, and does not take one of them for this', async () => {
    await orderFor('capture')
    const earlier = await shop.client.capturePayment({ order_id: 'A-1', order_currency: 'UAH', charge_amount: 20 })
    shop.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
    const ran = await run('capture', [...words, '--again', '--json'])
    expect(ran.err).toContain(`a capture of 20.00 UAH, other than ${earlier.operation_id}.`)
    expect(JSON.parse(ran.out)).toMatchObject({
      outcome: 'unknown',
      reason: 'interrupted',
      call: { operation: 'capturePayment', order_id: 'A-1', amount: 20, currency: 'UAH' },
      known: [earlier.operation_id],
    })
    expect(ran.code).toBe(3)
    shop.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
    const found = await run('capture', [...words, '--resolve', '--again', '--settle-after', '1ms'])
    expect(found.err).toContain('Found out: it was not executed.')
  })

  it('stays 3 where the look-up fails too', async () => {
    await orderFor('capture')
    const fetch: typeof shop.emulator.fetch = async (input, init) => {
      if (changes().length === 0) return shop.emulator.fetch(input, init as RequestInit)
      return new Response(null, { status: 404 })
    }
    shop.emulator.faults.next({ kind: 'reset', on: 'capture-payment' })
    const ran = await run('capture', [...words, '--resolve', '--settle-after', '1ms'], { fetch })
    expect(ran.err).toMatch(/Still unknown: The service shows no payment of this order/)
    expect(ran.code).toBe(3)
  })

  it('is also what Ctrl-C leaves behind, once the request was sent', async () => {
    await orderFor('capture')
    shop.emulator.faults.next({ kind: 'no_response', on: 'capture-payment' })
    const { promise: stopped, resolve: interrupt } = Promise.withResolvers<void>()
    const fetch: typeof shop.emulator.fetch = (input, init) => {
      if (String(input).endsWith('/capture')) queueMicrotask(interrupt)
      return shop.emulator.fetch(input, init as RequestInit)
    }
    const ran = await run('capture', ['A-1', '--yes', '--resolve'], { fetch, stopped })
    expect(ran.err).toContain('Do NOT run this command again before you know.')
    expect(ran.err).not.toContain('Still unknown')
    expect(ran.code).toBe(3)
  })
})
