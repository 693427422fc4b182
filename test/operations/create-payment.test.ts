import { describe, expect, it } from 'vitest'
import { type ClientConfig, createClient, isCheckout } from '../../src/index.ts'
import { CARD, DIRECT_AUTH, HOSTED, HOSTED_AUTH, PAYMENT_RECORD, TOKEN } from '../support/inputs.ts'
import { CHECKOUT_URL, CONFIG, json, redirect, rejection, wire } from '../support/mock-fetch.ts'
import { accepted, HOSTED_PURCHASE, refused, warned } from '../support/purchase-forms.ts'

const RECURRING = { interval_unit: 'month', interval_count: 1 } as const

// The rules that it shares with createSplitPurchase are in purchase-parameters, purchase-rules and purchase-card-rules.test.ts.
const send = (input: object) => accepted(HOSTED_PURCHASE, input)
const rejectedPaths = (input: object) => refused(HOSTED_PURCHASE, input)

describe('responses', () => {
  const answer = (input: object, ...replies: Response[]) => {
    const { fetch } = wire(...replies)
    return createClient({ ...CONFIG, fetch }).createPayment(input as typeof HOSTED)
  }

  it('a hosted purchase gives the checkout page; a record is not documented', async () => {
    expect(await answer(HOSTED, redirect())).toEqual({ url: CHECKOUT_URL, checkout_id: '7d1f' })
    const howToFindOut = expect.stringMatching(/resolveOutcome.*resendWebhook/)
    const unreadable = { code: 'outcome_unknown', reason: 'unreadable_response', howToFindOut }
    expect(await rejection(answer(HOSTED, json(PAYMENT_RECORD)))).toMatchObject(unreadable)
  })

  it('a hosted auth gives either, and isCheckout says which: its response is not shown', async () => {
    const checkout = await answer(HOSTED_AUTH, redirect())
    expect(checkout).toMatchObject({ url: CHECKOUT_URL })
    const payment = await answer(HOSTED_AUTH, json({ ...PAYMENT_RECORD, method: 'auth', url: 'https://x.example' }))
    expect(payment).toMatchObject({ method: 'auth' })
    expect([isCheckout(checkout), isCheckout(payment)]).toEqual([true, false])
  })

  it('a direct payment gives its record, unknown fields, a decline and a subscription included', async () => {
    expect(await answer(TOKEN, json(PAYMENT_RECORD, 201))).toEqual(PAYMENT_RECORD)
    const declined = { status: 'failure', status_code: '4009', limit_info: { description: 'Daily' }, brand_new: 1 }
    const record = { ...PAYMENT_RECORD, ...declined, recurring: { id: 'r-1', status: 'init' } }
    expect(await answer({ ...CARD, init_recurring: RECURRING }, json(record))).toEqual(record)
  })

  it('a redirect after a direct payment is not followed', async () => {
    const expected = { code: 'outcome_unknown', reason: 'unexpected_redirect' }
    expect(await rejection(answer(CARD, redirect()))).toMatchObject(expected)
  })

  it.each<[string, unknown, string[]]>([
    ['an array', [PAYMENT_RECORD], ['']],
    ['no payment_id', { ...PAYMENT_RECORD, payment_id: undefined }, ['payment_id']],
    ['an invalid amount', { ...PAYMENT_RECORD, amount: 'ten', fee: 3 }, ['amount', 'fee']],
    ['another order', { ...PAYMENT_RECORD, order_id: 'OTHER' }, ['order_id']],
    ...['auth', 'loyalty'].map((method): [string, unknown, string[]] => {
      return [`the method ${method}`, { ...PAYMENT_RECORD, method }, ['method']]
    }),
  ])('a record of another shape or payment is handed over: %s', async (_name, record, paths) => {
    const error = await rejection(answer(CARD, json(record)))
    const expected = { code: 'outcome_unknown', reason: 'unreadable_response', status: 200, path: '/api/v1/payment' }
    expect(error).toMatchObject(expected)
    // All of it but what can be charged.
    const received = JSON.stringify(record).replaceAll(PAYMENT_RECORD.cc_token, '[redacted]')
    expect(error.body).toEqual(JSON.parse(received))
    expect((error.issues as { path: string }[]).map(({ path }) => path)).toEqual(paths)
    expect(error.message).toMatch(/Whether it was processed is unknown.*resendWebhook/)
    expect(error.message).not.toContain('OTHER')
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
  const SERVICE = 'https://pay.example.com'
  const FORMS = 'https://forms.example.com'
  const NAMED = { checkoutOrigins: [FORMS] }
  const UNUSUAL = ['unusual_checkout_address']

  it.each<[string, number, string, Partial<ClientConfig>?, string[]?]>([
    ['the documented path', 303, SERVICE + DOCUMENTED],
    ['the documented path of a white label', 303, `https://pay.label.example${DOCUMENTED}`],
    ['the documented path of a white label', 302, `https://pay.label.example${DOCUMENTED}`],
    ['another page of the service', 303, `${SERVICE}/form/7d1f`, {}, UNUSUAL],
    ['an origin that the configuration names', 303, `${FORMS}/7d1f`, NAMED],
    ['http from a base that is http', 303, `http://127.0.0.1:9${DOCUMENTED}`, { baseUrl: 'http://localhost:4010' }],
    ['a page below a base with a path', 303, `/gate${DOCUMENTED}`, { baseUrl: `${SERVICE}/gate` }],
    ['a relative address', 302, DOCUMENTED],
  ])('one to %s is, with %i', async (_name, status, location, config, expected = []) => {
    const { outcome, warnings } = await opened(location, status, config)
    const checkout_id = location.endsWith(DOCUMENTED) ? '7d1f' : undefined
    expect(outcome).toEqual({ url: new URL(location, SERVICE).href, checkout_id })
    expect(warnings).toEqual(expected)
  })

  it.each<[string, number, string, Partial<ClientConfig>?]>([
    ['a login page', 303, 'https://login.waf.example/sso'],
    ['another page of the service', 302, `${SERVICE}/maintenance`],
    ['a named origin without the documented path', 302, `${FORMS}/7d1f`, NAMED],
    ['http from an https base', 303, `http://pay.example.com${DOCUMENTED}`],
    ['http at a named origin', 303, 'http://forms.example.com/7d1f', { checkoutOrigins: ['http://forms.example.com'] }],
    ['the same address with a slash', 308, `${SERVICE}/api/v1/payment/`],
    ['the documented path', 301, SERVICE + DOCUMENTED],
    ['the documented path', 307, SERVICE + DOCUMENTED],
  ])('one to %s is not, with %i: the outcome is unknown, the address kept', async (_name, status, location, config) => {
    const { outcome, warnings } = await opened(location, status, config)
    expect(outcome).toMatchObject({ code: 'outcome_unknown', reason: 'unexpected_redirect', status, location })
    expect(Object.keys(outcome)).not.toContain('location')
    expect(warnings).toEqual([])
  })
})

describe('init_recurring', () => {
  const recurring = (change: object) => ({ ...HOSTED, init_recurring: { ...RECURRING, ...change } })
  const of = (change: object) => rejectedPaths(recurring(change))

  it.each<[string, unknown[], unknown[]]>([
    ['interval_unit', ['day', 'week', 'month', 'quarter', 'year'], ['hour', 'Month', undefined]],
    ['interval_count', [1, 30], [0, 31, 1.5, '1', undefined]],
    ['retry_attempts', [0, 7], [-1, 8, 0.5]],
    ['retry_interval_hours', [0, 1, 23, 24, 72], [-1, 73, 1.5]],
    ['start_date', ['2028-02-29'], ['2027-02-29', '2027-2-1', '2027-02-01T00:00:00']],
    ['expiry_date', ['2028-02-29'], ['2027-02-29']],
    ['time', ['00:00:00', '23:59:59'], ['24:00:00', '10:60:00', '10:00:60', '10:00', '1:00:00']],
    ['notification_url', ['https://a.example'], ['a.example']],
    ['amount', [0.01], [0, 0.001, '1']],
    // A typo does not travel.
    ['interval', [], [1]],
  ])('%s', async (name, right, wrong) => {
    for (const value of right) await send(recurring({ [name]: value }))
    for (const value of wrong) expect(await of({ [name]: value })).toEqual([`init_recurring.${name}`])
  })

  it('has rules across its fields, and no default is sent: the service has them', async () => {
    expect((await send(recurring({}))).body.init_recurring).toEqual(RECURRING)
    const daily = { interval_unit: 'day', retry_interval_hours: 23 }
    await send(recurring(daily))
    expect(await of({ ...daily, retry_interval_hours: 24 })).toEqual(['init_recurring.retry_interval_hours'])
    const dates = { start_date: '2027-01-01', expiry_date: '2027-01-01' }
    await send(recurring(dates))
    expect(await of({ ...dates, start_date: '2027-01-02' })).toEqual(['init_recurring.expiry_date'])
  })

  it('belongs to a purchase, direct or hosted, not to an auth', async () => {
    await send({ ...TOKEN, init_recurring: RECURRING })
    for (const input of [HOSTED_AUTH, DIRECT_AUTH]) {
      expect(await rejectedPaths({ ...input, init_recurring: RECURRING })).toEqual(['init_recurring'])
    }
  })

  it('is reported when its webhook destination is on an unusual port', async () => {
    const warnings = (port: number) =>
      warned(HOSTED_PURCHASE, recurring({ notification_url: `https://a.example:${port}` }))
    expect(await warnings(8443)).toEqual([])
    expect(await warnings(444)).toEqual([['unusual_webhook_port', 'init_recurring.notification_url']])
  })
})
