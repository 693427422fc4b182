import { describe, expect, it } from 'vitest'
import {
  type ClientConfig,
  type CreatePaymentInput,
  createClient,
  type InitRecurring,
  isCheckout,
  type Warning,
} from '../../src/index.ts'
import { REQUESTS } from '../spec/vectors/request-bodies.ts'
import {
  CARD,
  DIRECT_AUTH,
  DIRECT_OPTIONAL,
  HOSTED,
  HOSTED_AUTH,
  HOSTED_OPTIONAL,
  PAYMENT_RECORD,
  TOKEN,
} from '../support/inputs.ts'
import { CHECKOUT_URL, CONFIG, json, redirect, rejection, wire } from '../support/mock-fetch.ts'
import { accepted, HOSTED_PURCHASE, refused } from '../support/purchase-forms.ts'

const RECURRING: InitRecurring = { interval_unit: 'month', interval_count: 1 }
const EVERYTHING: InitRecurring = {
  ...RECURRING,
  retry_attempts: 3,
  retry_interval_hours: 24,
  start_date: '2026-02-01',
  expiry_date: '2027-02-01',
  time: '10:30:00',
  notification_url: 'https://shop.example.com/recurring',
  amount: 50,
}
const REFERRER = { customer_referrer: 'https://shop.example.com/cart' }

// The rules that it shares with createSplitPurchase are in purchase-parameters, purchase-rules and purchase-card-rules.test.ts.
const send = (input: object, config?: Partial<ClientConfig>) => accepted(HOSTED_PURCHASE, input, config)
const rejectedPaths = (input: object) => refused(HOSTED_PURCHASE, input)

describe('on the wire', () => {
  it.each([
    ['a hosted purchase', HOSTED, REQUESTS.hosted],
    [
      'a hosted recurring purchase with every parameter',
      { ...HOSTED, ...HOSTED_OPTIONAL, ...REFERRER, init_recurring: EVERYTHING },
      REQUESTS.hostedWithEverything,
    ],
    ['a token', TOKEN, REQUESTS.token],
    ['a direct auth with every parameter', { ...DIRECT_AUTH, ...DIRECT_OPTIONAL }, REQUESTS.directAuthWithEverything],
  ])('%s', async (_name, input, { body, signature }) => {
    const { sent } = await send(input)
    expect(sent).toMatchObject({ method: 'POST', url: 'https://pay.example.com/api/v1/payment', body })
    expect(sent.headers).toEqual({
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'User-Agent': 'edgetill',
      'X-API-AUTH': `SVC-HMAC-SHA1 api-key-1:${signature}`,
      'X-API-KEY': 'endpoints-key-1',
    })
  })

  it('authentication: plain sends the secret itself instead of a signature', async () => {
    const { sent } = await send(HOSTED, { authentication: 'plain', scheme: 'PAY' })
    expect(sent.headers).toMatchObject({ 'X-API-AUTH': 'PAY api-key-1:api-secret-1', 'X-API-KEY': 'endpoints-key-1' })
  })

  it('no default of a subscription is sent: the service has them', async () => {
    const { body } = await send({ ...HOSTED, init_recurring: RECURRING })
    expect(body.init_recurring).toEqual(RECURRING)
  })
})

describe('responses', () => {
  const answer = (input: object, ...replies: Response[]) => {
    const { fetch } = wire(...replies)
    return createClient({ ...CONFIG, fetch }).createPayment(input as CreatePaymentInput)
  }

  it('a hosted purchase gives the checkout page', async () => {
    expect(await answer(HOSTED, redirect())).toEqual({ url: CHECKOUT_URL, checkout_id: '7d1f' })
    expect(await answer(HOSTED, redirect('/api/v1/checkout/7d1f/form', 302))).toEqual({
      url: CHECKOUT_URL,
      checkout_id: '7d1f',
    })
  })

  describe('which redirect is a checkout', () => {
    const opened = async (location: string, status: number, config: Partial<ClientConfig> = {}) => {
      const warnings: string[] = []
      const { fetch } = wire(redirect(location, status))
      const onWarning = ({ code }: { code: string }) => warnings.push(code)
      const outcome = await createClient({ ...CONFIG, ...config, fetch, onWarning })
        .createPayment(HOSTED)
        .catch((error: Record<string, unknown>) => error)
      return { outcome: outcome as unknown as Record<string, unknown>, warnings }
    }
    const DOCUMENTED = '/api/v1/checkout/7d1f/form'

    it.each<[string, string, number, Partial<ClientConfig>, string[]]>([
      ['303 to the documented path', `https://pay.example.com${DOCUMENTED}`, 303, {}, []],
      ['302 to the documented path', `https://pay.example.com${DOCUMENTED}`, 302, {}, []],
      ['303 to the documented path of a white label', `https://pay.label.example${DOCUMENTED}`, 303, {}, []],
      ['302 to the documented path of a white label', `https://pay.label.example${DOCUMENTED}`, 302, {}, []],
      [
        '303 to another page of the service',
        'https://pay.example.com/form/7d1f',
        303,
        {},
        ['unusual_checkout_address'],
      ],
      [
        '303 to an origin that the configuration names',
        'https://forms.example.com/7d1f',
        303,
        { checkoutOrigins: ['https://forms.example.com'] },
        [],
      ],
      [
        'http from a base that is http',
        `http://127.0.0.1:9${DOCUMENTED}`,
        303,
        { baseUrl: 'http://localhost:4010' },
        [],
      ],
      ['below a base with a path', `/gate${DOCUMENTED}`, 303, { baseUrl: 'https://pay.example.com/gate' }, []],
    ])('%s is', async (_name, location, status, config, expected) => {
      const { outcome, warnings } = await opened(location, status, config)
      expect(outcome.url).toBe(new URL(location, 'https://pay.example.com').href)
      expect(warnings).toEqual(expected)
    })

    it.each<[string, string, number, Partial<ClientConfig>]>([
      ['302 to a login page', 'https://login.waf.example/sso', 302, {}],
      ['303 to a login page', 'https://login.waf.example/sso', 303, {}],
      ['302 to another page of the service', 'https://pay.example.com/maintenance', 302, {}],
      [
        '302 to a named origin without the documented path',
        'https://forms.example.com/7d1f',
        302,
        { checkoutOrigins: ['https://forms.example.com'] },
      ],
      ['303 to http from an https base', `http://pay.example.com${DOCUMENTED}`, 303, {}],
      [
        '303 to http at a named origin',
        'http://forms.example.com/7d1f',
        303,
        { checkoutOrigins: ['http://forms.example.com'] },
      ],
      ['308 to the same address with a slash', 'https://pay.example.com/api/v1/payment/', 308, {}],
      ...[300, 301, 305, 307, 308].map(
        (status) =>
          [`${status} to the documented path`, `https://pay.example.com${DOCUMENTED}`, status, {}] as [
            string,
            string,
            number,
            object,
          ],
      ),
    ])('%s is not: the outcome is unknown, and the address is kept', async (_name, location, status, config) => {
      const { outcome, warnings } = await opened(location, status, config)
      expect(outcome).toMatchObject({ code: 'outcome_unknown', reason: 'unexpected_redirect', status, location })
      expect(Object.keys(outcome)).not.toContain('location')
      expect(warnings).toEqual([])
    })

    it('the address that is kept shows no credential', async () => {
      const { outcome } = await opened(`https://login.example/?next=${CONFIG.apiSecret}`, 302)
      expect(outcome.location).toBe('https://login.example/?next=[redacted]')
    })
  })

  it('a hosted purchase that returns a record is not documented: its outcome is unknown', async () => {
    expect(await rejection(answer(HOSTED, json(PAYMENT_RECORD)))).toMatchObject({
      code: 'outcome_unknown',
      reason: 'unreadable_response',
      howToFindOut: expect.stringMatching(/resolveOutcome.*resendWebhook/),
    })
  })

  it('a hosted auth gives either, and isCheckout says which: its response is not shown', async () => {
    const checkout = await answer(HOSTED_AUTH, redirect())
    const payment = await answer(HOSTED_AUTH, json({ ...PAYMENT_RECORD, method: 'auth', url: 'https://x.example' }))
    expect([isCheckout(checkout), isCheckout(payment)]).toEqual([true, false])
    expect(await answer(HOSTED_AUTH, redirect())).toMatchObject({ url: CHECKOUT_URL })
    expect(await answer(HOSTED_AUTH, json({ ...PAYMENT_RECORD, method: 'auth' }))).toMatchObject({ method: 'auth' })
  })

  it('a direct payment gives its record, unknown fields included', async () => {
    expect(await answer(CARD, json({ ...PAYMENT_RECORD, brand_new: 1 }))).toEqual({ ...PAYMENT_RECORD, brand_new: 1 })
    expect(await answer(TOKEN, json(PAYMENT_RECORD, 201))).toEqual(PAYMENT_RECORD)
  })

  it('a decline is a value', async () => {
    const declined = { ...PAYMENT_RECORD, status: 'failure', status_code: '4009', limit_info: { description: 'Daily' } }
    expect(await answer(CARD, json(declined))).toEqual(declined)
  })

  it('a recurring purchase carries its subscription', async () => {
    const recurring = { id: 'r-1', status: 'init' }
    const record = { ...PAYMENT_RECORD, recurring }
    expect(await answer({ ...CARD, init_recurring: RECURRING }, json(record))).toMatchObject({ recurring })
  })

  it('a redirect after a direct payment is not followed', async () => {
    expect(await rejection(answer(CARD, redirect()))).toMatchObject({
      code: 'outcome_unknown',
      reason: 'unexpected_redirect',
    })
  })

  it.each<[string, unknown, string[]]>([
    ['an array', [PAYMENT_RECORD], ['']],
    ['null', null, ['']],
    ['no payment_id', { ...PAYMENT_RECORD, payment_id: undefined }, ['payment_id']],
    ['a status that is a number', { ...PAYMENT_RECORD, status: 1 }, ['status']],
    ['an invalid amount', { ...PAYMENT_RECORD, amount: 'ten', fee: 3 }, ['amount', 'fee']],
  ])('a record of another shape is handed over: %s', async (_name, record, paths) => {
    const error = await rejection(answer(CARD, json(record)))
    expect(error).toMatchObject({
      code: 'outcome_unknown',
      reason: 'unreadable_response',
      status: 200,
      path: '/api/v1/payment',
    })
    // All of it but what can be charged.
    const received = JSON.stringify(record).replaceAll(PAYMENT_RECORD.cc_token, '[redacted]')
    expect(error.body).toEqual(JSON.parse(received))
    expect((error.issues as { path: string }[]).map(({ path }) => path)).toEqual(paths)
    expect(error.message).toMatch(/Whether it was processed is unknown.*resendWebhook/)
  })
})

describe('method and init_recurring', () => {
  it('method is purchase or auth, and nothing else', async () => {
    for (const input of [HOSTED, TOKEN]) {
      for (const method of ['purchase', 'auth']) expect((await send({ ...input, method })).body.method).toBe(method)
      for (const method of ['capture', 'Purchase', '', null, undefined]) {
        expect(await rejectedPaths({ ...input, method })).toEqual(['method'])
      }
    }
  })

  it('init_recurring: a typo does not travel', async () => {
    expect(await rejectedPaths({ ...HOSTED, init_recurring: { ...RECURRING, interval: 1 } })).toEqual([
      'init_recurring.interval',
    ])
  })

  it.each<[keyof InitRecurring, unknown[], unknown[]]>([
    ['interval_unit', ['day', 'week', 'month', 'quarter', 'year'], ['hour', 'Month', undefined]],
    ['interval_count', [1, 30], [0, 31, 1.5, '1', undefined]],
    ['retry_attempts', [0, 7], [-1, 8, 0.5]],
    ['retry_interval_hours', [0, 1, 23, 24, 72], [-1, 73, 1.5]],
    ['start_date', ['2028-02-29'], ['2027-02-29', '2027-2-1', '2027-02-01T00:00:00']],
    ['expiry_date', ['2028-02-29'], ['2027-02-29']],
    ['time', ['00:00:00', '23:59:59'], ['24:00:00', '10:60:00', '10:00:60', '10:00', '1:00:00']],
    ['notification_url', ['https://a.example'], ['a.example']],
    ['amount', [0.01], [0, 0.001, '1']],
  ])('init_recurring.%s', async (name, right, wrong) => {
    for (const value of right) await send({ ...HOSTED, init_recurring: { ...RECURRING, [name]: value } })
    for (const value of wrong) {
      const init_recurring = { ...RECURRING, [name]: value }
      expect(await rejectedPaths({ ...HOSTED, init_recurring })).toEqual([`init_recurring.${name}`])
    }
  })

  it('init_recurring: hours between retries are fewer when the unit is a day', async () => {
    const daily = (retry_interval_hours: number) => ({
      ...HOSTED,
      init_recurring: { interval_unit: 'day', interval_count: 1, retry_interval_hours },
    })
    await send(daily(23))
    expect(await rejectedPaths(daily(24))).toEqual(['init_recurring.retry_interval_hours'])
  })

  it('init_recurring: it may end on the day it starts, not before', async () => {
    const dates = (start_date: string, expiry_date: string) => ({
      ...HOSTED,
      init_recurring: { ...RECURRING, start_date, expiry_date },
    })
    await send(dates('2027-01-01', '2027-01-01'))
    expect(await rejectedPaths(dates('2027-01-02', '2027-01-01'))).toEqual(['init_recurring.expiry_date'])
  })

  it('init_recurring: belongs to a purchase, direct or hosted, not to an auth', async () => {
    await send({ ...TOKEN, init_recurring: RECURRING })
    for (const input of [HOSTED_AUTH, DIRECT_AUTH]) {
      expect(await rejectedPaths({ ...input, init_recurring: RECURRING })).toEqual(['init_recurring'])
    }
  })

  it('init_recurring: its webhook destination on an unusual port is reported', async () => {
    const warnings: Warning[] = []
    const told = async (notification_url: string) => {
      const init_recurring = { ...RECURRING, notification_url }
      await send({ ...HOSTED, init_recurring }, { onWarning: (warning) => warnings.push(warning) })
      return warnings.splice(0).map(({ operation, code, path }) => [operation, code, path])
    }
    expect(await told('https://a.example:8443')).toEqual([])
    expect(await told('https://a.example:444')).toEqual([
      ['createPayment', 'unusual_webhook_port', 'init_recurring.notification_url'],
    ])
  })
})
