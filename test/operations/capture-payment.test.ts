import { describe, expect, it } from 'vitest'
import { type CapturePaymentInput, capturePayment, createClient, type Warning } from '../../src/index.ts'
import { CAPTURE, CAPTURE_RECORD } from '../support/inputs.ts'
import { CONFIG, echo, json, rejection, wire } from '../support/mock-fetch.ts'
import { rejectedPaths } from '../support/rejected-paths.ts'

const refused = (input: object) => rejectedPaths((client) => client.capturePayment(input as CapturePaymentInput))

async function bodyOf(input: object, onWarning?: (warning: Warning) => void): Promise<string | undefined> {
  const { fetch, sent } = wire(echo(CAPTURE_RECORD))
  await capturePayment({ ...CONFIG, fetch, onWarning }, input as CapturePaymentInput)
  return sent[0]?.body
}

describe('on the wire', () => {
  it('a full capture: plain credentials, the endpoints key, no charge_amount', async () => {
    const { fetch, sent } = wire(json(CAPTURE_RECORD))
    await createClient({ ...CONFIG, fetch }).capturePayment(CAPTURE)
    expect(sent[0]).toMatchObject({
      method: 'POST',
      url: 'https://pay.example.com/api/v1/capture',
      body: '{"pos_id":"3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11","order_id":"A-1","order_currency":"UAH"}',
    })
    expect(sent[0]?.headers).toEqual({
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'User-Agent': 'edgetill',
      'X-API-AUTH': 'SVC api-key-1:api-secret-1',
      'X-API-KEY': 'endpoints-key-1',
    })
  })

  it('a partial one, with every parameter', async () => {
    const body = await bodyOf({
      ...CAPTURE,
      charge_amount: 80.25,
      products: [{ name: 'Cup', taxes: [{ type: 1 }] }],
      comment: 'відправлено',
      server_url: 'https://shop.example.com/webhooks',
      f_receipt_delivery: 'email',
    })
    expect(body).toBe(
      '{"pos_id":"3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11","order_id":"A-1","order_currency":"UAH","charge_amount":80.25,' +
        '"products":[{"name":"Cup","taxes":[{"type":1}]}],"comment":"відправлено",' +
        '"server_url":"https://shop.example.com/webhooks","f_receipt_delivery":"email"}',
    )
  })

  it('beyond the authorization: the limit is the service’s, so any amount travels', async () => {
    expect(await bodyOf({ ...CAPTURE, charge_amount: 999_999.99 })).toContain('"charge_amount":999999.99')
  })

  it('another POS', async () => {
    const pos_id = 'ffffffff-ffff-4fff-8fff-ffffffffffff'
    expect(await bodyOf({ ...CAPTURE, pos_id })).toContain(`"pos_id":"${pos_id}"`)
  })
})

describe('responses', () => {
  const capture = (record: unknown) => {
    const { fetch } = wire(json(record))
    return capturePayment({ ...CONFIG, fetch }, CAPTURE)
  }

  it('the currency is in one place, whichever name it arrived under, and the record stays reachable', async () => {
    const full = await capture(CAPTURE_RECORD)
    expect(full).toMatchObject({ currency: 'UAH', amount: 100.5, fee: null, comment: 'shipped' })
    expect(full.record).toEqual(CAPTURE_RECORD)
    expect(Object.keys(full)).not.toContain('record')
    const extended = { ...CAPTURE_RECORD, record: 'a field of the service' }
    const other = await capture(extended)
    expect(other.record).toEqual(extended)
    expect(Object.keys(other)).not.toContain('record')
    const { order_currency, ...rest } = CAPTURE_RECORD
    const partial = await capture({ ...rest, currency: order_currency, fee: { amount: '1.5', currency: 'UAH' } })
    expect(partial).toEqual({ ...rest, currency: 'UAH', fee: { amount: 1.5, currency: 'UAH' } })
    expect(partial.record).toMatchObject({ fee: { amount: '1.5' } })
  })

  it('a field of an odd type that does not decide is left out and named', async () => {
    const done = await capture({ ...CAPTURE_RECORD, status_code: 1000, fee: 'none', transaction_id: 12 })
    expect(done).toMatchObject({ status: 'success', amount: 100.5, currency: 'UAH' })
    expect([done.status_code, done.fee, done.transaction_id]).toEqual([undefined, undefined, undefined])
    expect(done.issues.map(({ path }) => path).toSorted()).toEqual(['fee', 'status_code', 'transaction_id'])
    expect(done.record).toMatchObject({ status_code: 1000 })
  })

  it('a decline is a value', async () => {
    expect(await capture({ ...CAPTURE_RECORD, status: 'failure', status_code: '4010' })).toMatchObject({
      status: 'failure',
    })
  })

  it.each<[string, object, string[]]>([
    ['no currency under either name', { order_currency: undefined }, ['currency']],
    ['a null currency', { order_currency: null, currency: null }, ['currency']],
    ['no operation_id', { operation_id: undefined }, ['operation_id']],
    ['an invalid amount', { amount: {} }, ['amount']],
  ])('another shape is handed over: %s', async (_name, change, paths) => {
    const record = { ...CAPTURE_RECORD, ...change }
    const error = await rejection(capture(record))
    expect(error).toMatchObject({
      code: 'outcome_unknown',
      reason: 'unreadable_response',
      body: JSON.parse(JSON.stringify(record)),
    })
    expect((error.issues as { path: string }[]).map(({ path }) => path)).toEqual(paths)
  })

  it('an unknown outcome warns of a second charge', async () => {
    const { fetch, sent } = wire(json({}, 503))
    const error = await rejection(capturePayment({ ...CONFIG, fetch }, CAPTURE))
    expect(error).toMatchObject({
      code: 'outcome_unknown',
      howToFindOut: expect.stringMatching(/no idempotency key.*resolveOutcome/),
    })
    expect(sent).toHaveLength(1)
  })

  it('an unknown outcome carries what finds the capture again, also as JSON', async () => {
    const { fetch } = wire(json({}, 503))
    const RealDate = Date
    const sent_at = '2026-03-01T10:00:00.000Z'
    let now = RealDate.parse(sent_at)
    globalThis.Date = class extends RealDate {
      constructor(at: number = now) {
        super(at)
      }
      static override now = () => now
    } as DateConstructor
    const slow: typeof fetch = async (...call) => {
      now += 20_000
      return fetch(...call)
    }
    const error = await rejection(
      capturePayment({ ...CONFIG, fetch: slow }, { ...CAPTURE, charge_amount: 80.25 }),
    ).finally(() => {
      globalThis.Date = RealDate
    })
    const kept = { operation: 'capturePayment', order_id: 'A-1', amount: 80.25, currency: 'UAH', sent_at }
    expect(JSON.parse(JSON.stringify(error))).toMatchObject(kept)
  })
})

describe('rules', () => {
  const of = (length: number) => 'ї'.repeat(length)
  it.each<[string, unknown[], unknown[]]>([
    ['order_id', ['x', of(32)], ['', of(33), undefined, 5, '\udc00']],
    ['order_currency', ['UAH'], ['uah', '', undefined]],
    ['charge_amount', [0.01], [undefined, 0, -1, 0.001, '10', null, Number.NaN]],
    ['comment', ['', of(2048)], [of(2049), 5]],
    ['server_url', ['https://a.example'], ['a.example']],
    ['f_receipt_delivery', ['email', 'sms', 'viber', 'none'], ['post', '', 1]],
    ['products', [[], [{}]], [{}, [1], [null], 'x']],
    ['pos_id', [undefined], ['pos']],
  ])('%s', async (name, right, wrong) => {
    for (const value of right) await bodyOf({ ...CAPTURE, [name]: value })
    for (const value of wrong) expect(await refused({ ...CAPTURE, [name]: value })).toEqual([name])
  })

  it('no other parameter', async () => {
    expect(await refused({ ...CAPTURE, amount: 1 })).toEqual(['amount'])
  })

  it('a webhook destination on an unusual port is reported', async () => {
    const warnings: Warning[] = []
    await bodyOf({ ...CAPTURE, server_url: 'https://a.example:9443' }, (warning) => warnings.push(warning))
    expect(warnings).toMatchObject([{ code: 'unusual_webhook_port', operation: 'capturePayment', path: 'server_url' }])
  })
})
