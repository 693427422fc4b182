import { describe, expect, it } from 'vitest'
import { testCard } from '../../src/emulator/index.ts'
import { cardForm, createBench, direct, hosted, type Json, openCheckout, plain, post, submit } from './call.ts'
import { cancel, payDirect, payHosted, sendResend } from './conformance/samples.ts'

/** What the document does not fix and the table therefore does not hold: pages, timelines, and the ends of subscriptions. */

const outcome = (value: string) => new URLSearchParams({ outcome: value })
const DAILY = { interval_unit: 'day', interval_count: 1 }

describe("the customer's way", () => {
  it('a card without 3-D Secure leads straight to the shop, and the paid page no longer takes cards', async () => {
    const { emulator } = createBench()
    const form = await openCheckout(emulator)
    const paid = await submit(emulator, form, cardForm('success'))
    expect([paid.status, paid.headers.get('location')]).toEqual([303, 'https://shop.example/return/A-1'])
    const again = await emulator.fetch(form)
    expect(again.status).toBe(200)
    const text = await again.text()
    expect(text).toContain('The payment was successful')
    expect(text).toContain('href="https://shop.example/return/A-1"')
    expect(text).not.toContain('<form')
  })

  it('without a result_url it ends on a page', async () => {
    const { emulator } = createBench()
    const paid = await submit(emulator, await openCheckout(emulator, { result_url: undefined }), cardForm('success'))
    expect([paid.status, (await paid.text()).includes('Back to the shop')]).toEqual([200, false])
  })

  it('3-D Secure can be rejected, and can be passed with a card that the issuer then rejects', async () => {
    const { emulator } = createBench()
    const journey = async (order_id: string, card: 'three_d_secure' | 'three_d_secure_declined', answer: string) => {
      const form = await openCheckout(emulator, { order_id })
      const bank = (await submit(emulator, form, cardForm(card))).headers.get('location') ?? ''
      // Coming back to the form leads to the bank again, and an answer that is none changes nothing.
      expect((await emulator.fetch(form, { redirect: 'manual' })).headers.get('location')).toBe(bank)
      expect((await submit(emulator, bank, outcome('maybe'))).status).toBe(200)
      const end = await submit(emulator, bank, outcome(answer))
      expect(end.status).toBe(200)
      const { status, status_code, user_action_required, user_action_url } =
        emulator.orders.get(order_id)?.payments[0] ?? {}
      expect([user_action_required, user_action_url]).toEqual([false, null])
      // The other button, pressed late, changes nothing either.
      await submit(emulator, bank, outcome('pass'))
      expect(emulator.orders.get(order_id)?.payments[0]?.status).toBe(status)
      return [status, status_code, (await end.text()).includes('Declined')]
    }
    expect(await journey('refused', 'three_d_secure', 'fail')).toEqual(['failure', '4157', true])
    expect(await journey('rejected', 'three_d_secure_declined', 'pass')).toEqual(['failure', '4158', true])
  })

  it('a payment that takes its time says so, and its end is reported to the shop', async () => {
    const bench = createBench()
    const page = await submit(bench.emulator, await openCheckout(bench.emulator), cardForm('timeout'))
    expect(await page.text()).toContain('still being processed')
    await bench.emulator.clock.advance({ minutes: 15 })
    expect(bench.received.map(({ event }) => event.status)).toEqual(['pending', 'failure'])
  })

  it('pages that are not there, and verbs that they do not take', async () => {
    const { emulator } = createBench()
    const form = await openCheckout(emulator)
    expect((await emulator.fetch(form.replace('checkout-', 'checkout-x'))).status).toBe(404)
    expect((await emulator.fetch(form.replace('/form', '/other'))).status).toBe(404)
    const put = await emulator.fetch(form, { method: 'PUT', body: '' })
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST'])
    const direct3ds = form.replace('/form', '/3ds')
    expect(await (await emulator.fetch(direct3ds)).text()).toContain('Not paid')
  })

  it('the form of a direct payment takes no card', async () => {
    const bench = createBench()
    const { user_action_url } = await payDirect(bench, { cc_number: testCard('three_d_secure') })
    const form = String(user_action_url).replace('/3ds', '/form')
    await submit(bench.emulator, form, cardForm('success'))
    expect(bench.emulator.orders.get('A-1')?.status).toBe('pending')
  })

  it('allows no script and no frame, and shows the language asked for', async () => {
    const { emulator } = createBench()
    const page = await emulator.fetch(await openCheckout(emulator, { customer_lang: 'PT_BR' }))
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'.*frame-ancestors 'none'/)
    expect(await page.text()).toContain('PT_BR')
  })

  it("an order's timeline has each step once", async () => {
    const bench = createBench()
    const { emulator } = bench
    const form = await openCheckout(emulator, { init_recurring: DAILY })
    await emulator.fetch(form)
    await emulator.fetch(form)
    await submit(emulator, form, cardForm('recurring_declined'))
    await emulator.clock.advance({ days: 1, hours: 7 })
    emulator.control.refundPayment('A-1', 1)
    emulator.control.cancelRecurring('A-1')
    emulator.control.cancelRecurring('A-1')
    const told = emulator.orders.get('A-1')?.timeline.map(({ at, what }) => `${at.slice(8, 16)} ${what}`)
    expect(told).toEqual([
      '31T10:00 hosted purchase created',
      '31T10:00 checkout page opened',
      '31T10:00 purchase success (1000, Transaction is successful)',
      '31T10:00 recurring active',
      '01T10:00 charge 1: purchase failure (4009, Insufficient funds)',
      '01T12:00 charge 2: purchase failure (4009, Insufficient funds)',
      '01T14:00 charge 3: purchase failure (4009, Insufficient funds)',
      '01T16:00 charge 4: purchase failure (4009, Insufficient funds)',
      '01T16:00 charge given up after 3 retries',
      '01T17:00 refund of 1.00 UAH: success (1004)',
      '01T17:00 recurring canceled',
    ])
  })
})

describe('a subscription follows its first payment', () => {
  const statusOf = (bench: ReturnType<typeof createBench>) => bench.emulator.orders.get('A-1')?.recurring?.status

  it('through 3-D Secure, passed and rejected', async () => {
    for (const [answer, status, charges] of [
      ['pass', 'active', 2],
      ['fail', 'canceled', 1],
    ] as const) {
      const bench = createBench()
      const { user_action_url } = await payDirect(bench, {
        cc_number: testCard('three_d_secure'),
        init_recurring: DAILY,
      })
      expect(statusOf(bench)).toBe('init')
      await submit(bench.emulator, String(user_action_url), outcome(answer))
      expect(statusOf(bench)).toBe(status)
      await bench.emulator.clock.advance({ days: 1 })
      expect(bench.emulator.orders.get('A-1')?.payments).toHaveLength(charges)
    }
  })

  it('into cancellation and timeout', async () => {
    const cancelled = createBench()
    await openCheckout(cancelled.emulator, { init_recurring: DAILY })
    await cancel(cancelled)
    expect(statusOf(cancelled)).toBe('canceled')
    const late = createBench()
    await payHosted(late, { init_recurring: DAILY }, 'timeout')
    await late.emulator.clock.advance({ minutes: 15 })
    expect(statusOf(late)).toBe('canceled')
  })

  it('a retry that is due after the end of the subscription is not made', async () => {
    const bench = createBench()
    await payHosted(bench, { init_recurring: DAILY }, 'recurring_declined')
    await bench.emulator.clock.advance({ days: 1 })
    bench.emulator.control.cancelRecurring('A-1')
    await bench.emulator.clock.advance({ days: 5 })
    expect(bench.emulator.orders.get('A-1')?.payments).toHaveLength(2)
  })
})

describe('money', () => {
  it('a fee has a fixed part from 1.00 on', async () => {
    const bench = createBench()
    await payDirect(bench, { order_id: 'less', amount: 0.99 })
    await payDirect(bench, { order_id: 'one', amount: 1 })
    await bench.emulator.deliveries.idle()
    const fees = bench.received.map(({ event }) =>
      ['fee', 'fixed_fee', 'percent_fee'].map((name) => (event[name] as Json).amount),
    )
    expect(fees).toEqual([
      [0.01, 0, 0.01],
      [0.12, 0.1, 0.02],
    ])
  })

  it('only what was paid is paid back: nothing of a declined, waiting or reserved payment', async () => {
    const bench = createBench()
    const { control } = bench.emulator
    await payDirect(bench, { order_id: 'declined', cc_number: testCard('declined') })
    await payDirect(bench, { order_id: 'waits', cc_number: testCard('three_d_secure') })
    await payDirect(bench, { order_id: 'reserved', method: 'auth' })
    for (const orderId of ['declined', 'waits', 'reserved'])
      expect(() => control.refundPayment(orderId)).toThrow(TypeError)
    await payDirect(bench, { order_id: 'less', cc_number: testCard('payer_changes_amount') })
    expect(control.refundPayment('less').amount).toBe(90.45)
    expect(() => control.refundPayment('less', 0.01)).toThrow(TypeError)
  })

  it('what is not asked for by a request goes where the payment went', async () => {
    const bench = createBench()
    await payDirect(bench, { method: 'auth', server_url: 'https://shop.example/mine' })
    bench.emulator.control.voidPayment('A-1')
    await bench.emulator.deliveries.idle()
    expect(bench.received.map(({ url }) => url)).toEqual(['https://shop.example/mine', 'https://shop.example/mine'])
  })
})

describe('rejections say what is wrong', () => {
  it('a body that is not UTF-8', async () => {
    const { emulator } = createBench()
    const response = await emulator.fetch(`${emulator.credentials.baseUrl}/api/v1/payment`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...plain(emulator) },
      body: Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    })
    expect([response.status, await response.json()]).toEqual([
      400,
      { message: 'The body is not JSON in UTF-8', args: [] },
    ])
  })

  it('which part of the credentials, without repeating it', async () => {
    const { emulator } = createBench()
    const { posId: pos_id } = emulator.credentials
    const say = async (headers: Record<string, string>, path = '/api/v1/capture'): Promise<string> => {
      const body = path.endsWith('capture') ? { pos_id, order_id: 'A', order_currency: 'UAH' } : hosted(emulator)
      return ((await (await post(emulator, path, body, headers)).json()) as { message: string }).message
    }
    const good = plain(emulator)
    expect(await say({})).toBe('Invalid credentials: X-API-AUTH is missing')
    const wrong = await say({ ...good, 'X-API-AUTH': 'SVC emulator-api-key:guess' })
    expect(wrong).toBe(
      'Invalid credentials: X-API-AUTH has a wrong scheme, secret or signature; this endpoint wants SCHEME KEY:SECRET',
    )
    const key = await say({ ...good, 'X-API-AUTH': 'SVC nobody:guess' }, '/api/v1/payment')
    expect(key).toBe(
      'Invalid credentials: X-API-AUTH has a wrong key; this endpoint wants SCHEME-HMAC-SHA1 KEY:SIGNATURE or SCHEME KEY:SECRET',
    )
    expect(await say({ ...good, 'X-API-KEY': 'guess' })).toBe('Invalid credentials: X-API-KEY is missing or wrong')
  })

  it.each([
    ['plain', '/api/v1/payment', 'SCHEME KEY:SECRET'],
    ['plain', '/api/v1/capture', 'SCHEME KEY:SECRET'],
    ['per-endpoint', '/api/v1/payment', 'SCHEME-HMAC-SHA1 KEY:SIGNATURE'],
    ['per-endpoint', '/api/v1/capture', 'SCHEME KEY:SECRET'],
    ['either', '/api/v1/payment', 'SCHEME-HMAC-SHA1 KEY:SIGNATURE or SCHEME KEY:SECRET'],
    ['either', '/api/v1/capture', 'SCHEME KEY:SECRET'],
  ] as const)('which credentials authentication %s wants at %s', async (authentication, path, wanted) => {
    const { emulator } = createBench({ authentication })
    const wrong = { ...plain(emulator), 'X-API-AUTH': 'SVC emulator-api-key:guess' }
    expect(await (await post(emulator, path, hosted(emulator), wrong)).json()).toMatchObject({
      message: `Invalid credentials: X-API-AUTH has a wrong scheme, secret or signature; this endpoint wants ${wanted}`,
    })
  })

  it('that a cryptogram does not replace the CVV', async () => {
    const { emulator } = createBench()
    const { card_cvv: _, ...card } = direct(emulator)
    const why = async (body: Json) => (await (await post(emulator, '/api/v1/payment', body)).json()) as { args: Json[] }
    expect((await why(card)).args).toEqual([{ field_name: 'card_cvv', violation: 'is part of the card data' }])
    expect((await why({ ...card, cryptogram: { eci: '05' } })).args).toEqual([
      {
        field_name: 'card_cvv',
        violation: expect.stringMatching(/^is part of the card data, also beside a cryptogram/),
      },
    ])
  })

  it('what a re-send did not find', async () => {
    const bench = createBench()
    await payDirect(bench, { init_recurring: DAILY })
    const why = async (operation: string, query: string): Promise<unknown> => {
      const { args } = (await (await sendResend(bench, operation, query)).json()) as { args: Json[] }
      return args[0]?.field_name
    }
    expect(await why('refund', 'callback=true')).toBe('operation')
    expect(await why('purchase', 'callback=true&transactionId=none')).toBe('transactionId')
  })

  it('the least of a number', async () => {
    const { emulator } = createBench()
    const body = hosted(emulator, { init_recurring: { ...DAILY, interval_count: 0 } })
    const { args } = (await (await post(emulator, '/api/v1/payment', body)).json()) as { args: Json[] }
    expect(args).toEqual([{ field_name: 'init_recurring.interval_count', violation: 'must be at least 1' }])
  })
})

it('in a direct payment too, spaces are not part of a card number', async () => {
  const bench = createBench()
  const spaced = direct(bench.emulator, { cc_number: '4111 1111 1111 1111' })
  const record = (await (await post(bench.emulator, '/api/v1/payment', spaced)).json()) as Json
  expect([record.status, record.status_code, record.cc_mask]).toEqual(['failure', '4144', null])
})
