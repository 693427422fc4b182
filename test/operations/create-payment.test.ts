import { describe, expect, it } from 'vitest'
import {
  type CallOptions,
  type ClientConfig,
  type CreatePaymentInput,
  createClient,
  createPayment,
  type InitRecurring,
  type Warning,
} from '../../src/index.ts'
import {
  CARD,
  DIRECT_AUTH,
  DIRECT_OPTIONAL,
  HOSTED,
  HOSTED_AUTH,
  HOSTED_OPTIONAL,
  PAN,
  PAYMENT_RECORD,
  TOKEN,
} from '../support/inputs.ts'
import { CHECKOUT_URL, CONFIG, json, redirect, rejection, wire } from '../support/wire.ts'
import { REQUESTS } from '../vectors/request-bodies.ts'

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

/** Sends an input that the types may not allow, and tells what travelled. */
async function sendAny(input: object, config: Partial<ClientConfig> = {}, options?: CallOptions) {
  const hosted = (input as { mode?: unknown }).mode === 'hosted'
  const { fetch, sent } = wire(hosted ? redirect() : json(PAYMENT_RECORD))
  await createPayment({ ...CONFIG, ...config, fetch }, input as CreatePaymentInput, options)
  return { sent: sent[0], body: JSON.parse(sent[0]?.body ?? 'null') as Record<string, unknown> }
}

/** The paths that an input is refused for; nothing may travel. */
async function refused(input: object, config: Partial<ClientConfig> = {}, options?: CallOptions): Promise<string[]> {
  const { fetch, sent } = wire(json(PAYMENT_RECORD))
  const error = await rejection(createPayment({ ...CONFIG, ...config, fetch }, input as CreatePaymentInput, options))
  expect(error).toMatchObject({ name: 'InvalidInputError', code: 'invalid_input' })
  expect(sent).toEqual([])
  expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toMatch(/4242|card_cvv: \d|rcr:/)
  return (error.issues as { path: string }[]).map(({ path }) => path)
}

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
    const { sent } = await sendAny(input)
    expect(sent).toMatchObject({ method: 'POST', url: 'https://pay.example.com/api/v1/payment', body })
    expect(sent?.headers).toEqual({
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'User-Agent': 'edgetill',
      'X-API-AUTH': `SVC-HMAC-SHA1 api-key-1:${signature}`,
      'X-API-KEY': 'endpoints-key-1',
    })
  })

  it('authentication: plain sends the secret itself instead of a signature', async () => {
    const { sent } = await sendAny(HOSTED, { authentication: 'plain', scheme: 'PAY' })
    expect(sent?.headers).toMatchObject({ 'X-API-AUTH': 'PAY api-key-1:api-secret-1', 'X-API-KEY': 'endpoints-key-1' })
  })

  it('another POS replaces the configured one, an undefined one does not', async () => {
    const pos_id = 'ffffffff-ffff-4fff-8fff-ffffffffffff'
    expect((await sendAny({ ...HOSTED, pos_id })).body.pos_id).toBe(pos_id)
    expect((await sendAny({ ...HOSTED, pos_id: undefined, payload: undefined })).sent?.body).toBe(REQUESTS.hosted.body)
  })

  it('a year of four digits travels as two', async () => {
    expect((await sendAny({ ...CARD, exp_year: 99 })).body.exp_year).toBe(99)
    expect((await sendAny({ ...CARD, exp_year: 2099 })).body.exp_year).toBe(99)
  })

  it('no default of a subscription is sent: the service has them', async () => {
    const { body } = await sendAny({ ...HOSTED, init_recurring: RECURRING })
    expect(body.init_recurring).toEqual(RECURRING)
  })

  it('passThrough adds fields as they are, and cannot replace one', async () => {
    const { body } = await sendAny(HOSTED, {}, { passThrough: { brand_new: [1, null], cc_hint: 'x' } })
    expect(body).toMatchObject({ order_id: 'A-1', brand_new: [1, null], cc_hint: 'x' })
    for (const name of ['amount', 'pos_id']) {
      expect(await refused(HOSTED, {}, { passThrough: { [name]: 1 } })).toEqual([`passThrough.${name}`])
    }
  })
})

it('what JSON cannot carry is refused as an input, not with the runtime’s own error', async () => {
  const circular: { self?: object } = {}
  circular.self = circular
  expect(await refused({ ...TOKEN, cryptogram: circular })).toEqual([''])
  expect(await refused(HOSTED, {}, { passThrough: { big: 10n } })).toEqual([''])
})

describe('answers', () => {
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
    expect(await answer(HOSTED, redirect('https://other.example.com/page'))).toEqual({
      url: 'https://other.example.com/page',
      checkout_id: undefined,
    })
  })

  it('a hosted purchase that answers a record is not documented: its outcome is unknown', async () => {
    expect(await rejection(answer(HOSTED, json(PAYMENT_RECORD)))).toMatchObject({
      code: 'outcome_unknown',
      reason: 'unreadable_answer',
      howToFindOut: expect.stringContaining('resendWebhook'),
    })
  })

  it('a hosted auth gives either: its answer is not shown', async () => {
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
    ['an amount that is none', { ...PAYMENT_RECORD, amount: 'ten', fee: 3 }, ['amount', 'fee']],
  ])('a record of another shape is handed over: %s', async (_name, record, paths) => {
    const error = await rejection(answer(CARD, json(record)))
    expect(error).toMatchObject({ code: 'unexpected_response', status: 200, path: '/api/v1/payment' })
    expect(error.body).toEqual(JSON.parse(JSON.stringify(record)))
    expect((error.issues as { path: string }[]).map(({ path }) => path)).toEqual(paths)
    expect(error.message).toMatch(/was executed.*resendWebhook/)
  })
})

describe('rules: required parameters', () => {
  it.each(['amount', 'currency', 'description', 'order_id', 'order_3ds_bypass', 'method'])(
    '%s, in both modes',
    async (name) => {
      expect(await refused({ ...HOSTED, [name]: undefined })).toEqual([name])
      expect(await refused({ ...TOKEN, [name]: undefined })).toEqual([name])
    },
  )

  it.each(['customer_patronym', 'customer_email', 'customer_phone'])('%s, hosted', async (name) => {
    expect(await refused({ ...HOSTED, [name]: undefined })).toEqual([name])
    await sendAny({ ...HOSTED, [name]: undefined }, { customerFields: 'optional' })
  })

  it.each(['customer_fname', 'customer_lname', 'customer_email', 'customer_phone', 'customer_ip'])(
    '%s, direct',
    async (name) => {
      expect(await refused({ ...TOKEN, [name]: undefined })).toEqual([name])
      await sendAny({ ...TOKEN, [name]: undefined }, { customerFields: 'optional' })
    },
  )

  it('the mode, before anything else', async () => {
    for (const mode of [undefined, 'Hosted', 1]) expect(await refused({ ...HOSTED, mode })).toEqual(['mode'])
    for (const input of [undefined, null, 'x', []]) expect((await refused(input as never)).length).toBeGreaterThan(0)
  })

  it('the fingerprint: ten texts, no more, no less', async () => {
    expect(await refused({ ...TOKEN, browser_fingerprint: undefined })).toEqual(['browser_fingerprint'])
    for (const name of Object.keys(TOKEN.browser_fingerprint)) {
      for (const value of [undefined, 24, null]) {
        const browser_fingerprint = { ...TOKEN.browser_fingerprint, [name]: value }
        expect(await refused({ ...TOKEN, browser_fingerprint })).toEqual([`browser_fingerprint.${name}`])
      }
    }
    const more = { ...TOKEN.browser_fingerprint, browserColour: 'x' }
    expect(await refused({ ...TOKEN, browser_fingerprint: more })).toEqual(['browser_fingerprint.browserColour'])
  })
})

describe('rules: what does not belong', () => {
  it('a typo does not travel', async () => {
    expect(await refused({ ...HOSTED, ammount: 1, customer_mail: 'x' })).toEqual(['ammount', 'customer_mail'])
    expect(await refused({ ...TOKEN, cc_Number: PAN })).toEqual(['cc_Number'])
    expect(await refused({ ...HOSTED, init_recurring: { ...RECURRING, interval: 1 } })).toEqual([
      'init_recurring.interval',
    ])
  })

  it.each(['cc_number', 'cc_token', 'customer_ip', 'browser_fingerprint', 'cryptogram'])(
    '%s in hosted mode',
    async (name) => {
      expect(await refused({ ...HOSTED, [name]: { ...CARD, ...TOKEN, cryptogram: 'x' }[name] })).toEqual([name])
    },
  )

  it.each(['customer_lang', 'split', 'products'])('%s in direct mode', async (name) => {
    expect(await refused({ ...TOKEN, [name]: 'x' })).toEqual([name])
  })
})

describe('rules: card data', () => {
  it('half of it is refused, whichever half', async () => {
    for (const name of ['cc_number', 'exp_month', 'exp_year', 'card_cvv']) {
      expect(await refused({ ...CARD, [name]: undefined })).toEqual([name])
    }
    const { cc_token: _token, ...neither } = TOKEN
    expect(await refused(neither)).toEqual(['cc_number', 'exp_month', 'exp_year', 'card_cvv'])
  })

  it('both is refused', async () => {
    expect(await refused({ ...CARD, cc_token: 't' })).toEqual(['cc_number', 'exp_month', 'exp_year', 'card_cvv'])
    expect(await refused({ ...TOKEN, card_cvv: '123' })).toEqual(['card_cvv'])
  })

  it.each<[string, unknown[], unknown[]]>([
    [
      'cc_number',
      [PAN, '4000000000000002', '378282246310005'],
      ['4242424242424241', '4242 4242 4242 4242', '42', 4242424242424242, ''],
    ],
    ['exp_month', [1, 12], [0, 13, 1.5, '9', Number.NaN]],
    ['exp_year', [99, 2099], [100, 1999, 2100, -1, '99', 99.5]],
    ['card_cvv', ['000', '1234'], ['12', '12345', '12a', 123, '', '١٢٣']],
  ])('%s', async (name, right, wrong) => {
    for (const value of right) await sendAny({ ...CARD, [name]: value })
    for (const value of wrong) expect(await refused({ ...CARD, [name]: value })).toEqual([name])
  })

  it('an expired card', async () => {
    expect(await refused({ ...CARD, exp_month: 12, exp_year: 2020 })).toEqual(['exp_year'])
    expect(await refused({ ...CARD, exp_month: 12, exp_year: 20 })).toEqual(['exp_year'])
  })
})

describe('rules: each value at its boundary and one past it', () => {
  const of = (length: number) => 'ї'.repeat(length)
  it.each<[string, unknown[], unknown[]]>([
    [
      'amount',
      [0.01, 100.5, 1, 999_999_999.99, 70_368_744_177_663.99],
      [
        0,
        -0,
        -1,
        0.001,
        0.1 + 0.2,
        100.555,
        Number.NaN,
        Number.POSITIVE_INFINITY,
        1e21,
        '10',
        10n,
        null,
        70_368_744_177_664,
      ],
    ],
    ['currency', ['UAH', 'XTS'], ['uah', 'UA', 'UAHH', 'U4H', 980]],
    ['description', [of(1), of(2048)], ['', of(2049), 5]],
    ['order_id', ['x', of(256), '..', 'a/b?c#d%', '🍵'], ['', of(257), '\ud800', 7]],
    ['order_3ds_bypass', ['supported', 'always', 'never', 'something new'], ['', true]],
    [
      'pos_id',
      ['3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11', '3F1C2C1E-6A5C-4B8E-9D53-0A4C1C7D2B11'],
      ['', 'pos', '3f1c2c1e6a5c4b8e9d530a4c1c7d2b11', ' 3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11'],
    ],
    ['payload', ['', of(4000)], [of(4001), {}]],
    ['customer_country', ['UA'], ['ua', 'UKR', 'U', '']],
    [
      'customer_birthday',
      ['2024-02-29', '1990-12-31'],
      ['2025-02-29', '1990-13-01', '1990-1-1', '01.01.1990', '1990-00-10'],
    ],
    ['merchant_mcc', ['5812', '0000'], ['581', '58121', 5812]],
    [
      'server_url',
      ['https://a.example/x?y#z', 'http://a.example'],
      ['a.example', 'ftp://a.example', 'javascript:alert(1)', 'https://', '//a.example', ' https://a.example'],
    ],
    ['result_url', ['https://a.example'], ['/thanks', '']],
    ['validation_url', ['https://a.example'], ['x']],
    ['customer_id', ['x'], ['', 1]],
  ])('%s', async (name, right, wrong) => {
    for (const value of right) {
      expect((await sendAny({ ...HOSTED, [name]: value })).body[name]).toEqual(value)
      expect((await sendAny({ ...TOKEN, [name]: value })).body[name]).toEqual(value)
    }
    for (const value of wrong) {
      expect(await refused({ ...HOSTED, [name]: value }), `${name} = ${String(value)}`).toEqual([name])
      expect(await refused({ ...TOKEN, [name]: value }), `${name} = ${String(value)}`).toEqual([name])
    }
  })

  it('customer_referrer, for both', async () => {
    for (const input of [HOSTED, TOKEN]) {
      await sendAny({ ...input, ...REFERRER })
      expect(await refused({ ...input, customer_referrer: 'cart' })).toEqual(['customer_referrer'])
    }
  })

  it.each<[keyof InitRecurring, unknown[], unknown[]]>([
    ['interval_unit', ['day', 'week', 'month', 'quarter', 'year'], ['hour', 'Month', undefined]],
    ['interval_count', [1, 30], [0, 31, 1.5, '1', undefined]],
    ['retry_attempts', [0, 7], [-1, 8, 0.5]],
    ['retry_interval_hours', [1, 23, 24, 72], [0, 73, 1.5]],
    ['start_date', ['2028-02-29'], ['2027-02-29', '2027-2-1', '2027-02-01T00:00:00']],
    ['expiry_date', ['2028-02-29'], ['2027-02-29']],
    ['time', ['00:00:00', '23:59:59'], ['24:00:00', '10:60:00', '10:00:60', '10:00', '1:00:00']],
    ['notification_url', ['https://a.example'], ['a.example']],
    ['amount', [0.01], [0, 0.001, '1']],
  ])('init_recurring.%s', async (name, right, wrong) => {
    for (const value of right) await sendAny({ ...HOSTED, init_recurring: { ...RECURRING, [name]: value } })
    for (const value of wrong) {
      const init_recurring = { ...RECURRING, [name]: value }
      expect(await refused({ ...HOSTED, init_recurring })).toEqual([`init_recurring.${name}`])
    }
  })

  it('init_recurring: hours between retries are fewer when the unit is a day', async () => {
    const daily = (retry_interval_hours: number) => ({
      ...HOSTED,
      init_recurring: { interval_unit: 'day', interval_count: 1, retry_interval_hours },
    })
    await sendAny(daily(23))
    expect(await refused(daily(24))).toEqual(['init_recurring.retry_interval_hours'])
  })

  it('init_recurring: it may end on the day it starts, not before', async () => {
    const dates = (start_date: string, expiry_date: string) => ({
      ...HOSTED,
      init_recurring: { ...RECURRING, start_date, expiry_date },
    })
    await sendAny(dates('2027-01-01', '2027-01-01'))
    expect(await refused(dates('2027-01-02', '2027-01-01'))).toEqual(['init_recurring.expiry_date'])
  })

  it('init_recurring: belongs to a purchase, direct or hosted, not to an auth', async () => {
    await sendAny({ ...TOKEN, init_recurring: RECURRING })
    for (const input of [HOSTED_AUTH, DIRECT_AUTH]) {
      expect(await refused({ ...input, init_recurring: RECURRING })).toEqual(['init_recurring'])
    }
  })

  it('every issue of an input is told at once', async () => {
    expect(await refused({ ...HOSTED, amount: 0, currency: 'x', order_id: '' })).toEqual([
      'amount',
      'currency',
      'order_id',
    ])
  })
})

describe('warnings', () => {
  const warned = async (input: object) => {
    const warnings: Warning[] = []
    await sendAny(input, { onWarning: (warning) => warnings.push(warning) })
    return warnings.map(({ code, path }) => [code, path])
  }

  it('an order id that could not be captured', async () => {
    expect(await warned({ ...HOSTED, order_id: 'x'.repeat(32) })).toEqual([])
    expect(await warned({ ...HOSTED, order_id: 'x'.repeat(33) })).toEqual([['order_id_not_capturable', 'order_id']])
  })

  it('a webhook destination on an unusual port', async () => {
    for (const server_url of [
      'https://a.example',
      'https://a.example:443',
      'https://a.example:8443',
      'http://a.example:443',
    ]) {
      expect(await warned({ ...HOSTED, server_url })).toEqual([])
    }
    for (const server_url of ['http://a.example', 'https://a.example:8080', 'https://a.example:80']) {
      expect(await warned({ ...HOSTED, server_url })).toEqual([['unusual_webhook_port', 'server_url']])
    }
    const init_recurring = { ...RECURRING, notification_url: 'https://a.example:444' }
    expect(await warned({ ...HOSTED, init_recurring })).toEqual([
      ['unusual_webhook_port', 'init_recurring.notification_url'],
    ])
  })
})

it('an input that its owner changes while the call is on its way is read as it was sent', async () => {
  const input = { ...HOSTED }
  const { fetch } = wire(() => {
    Object.assign(input, { mode: 'direct' })
    return redirect()
  })
  const checkout = await createPayment({ ...CONFIG, fetch }, input)
  expect(checkout.url).toBe(CHECKOUT_URL)
})

it.each([
  ['an array', [1]],
  ['a text', 'x'],
  ['something with a toJSON', { toJSON: () => ({}) }],
])('passThrough that is %s is refused', async (_, passThrough) => {
  const { fetch, sent } = wire()
  const call = createPayment({ ...CONFIG, fetch }, HOSTED, { passThrough: passThrough as never })
  await expect(call).rejects.toMatchObject({ code: 'invalid_input', issues: [{ path: 'passThrough' }] })
  expect(sent).toEqual([])
})
