import { describe, expect, it } from 'vitest'
import { createClient, type VoidPaymentInput, voidPayment, type Warning } from '../../src/index.ts'
import { VOID, VOID_RECORD } from '../support/inputs.ts'
import { CONFIG, echo, json, rejection, wire } from '../support/mock-fetch.ts'
import { rejectedPaths } from '../support/rejected-paths.ts'

const refused = (input: object) => rejectedPaths((client) => client.voidPayment(input as VoidPaymentInput))

async function bodyOf(input: object, onWarning?: (warning: Warning) => void): Promise<string | undefined> {
  const { fetch, sent } = wire(echo(VOID_RECORD))
  await voidPayment({ ...CONFIG, fetch, onWarning }, input as VoidPaymentInput)
  return sent[0]?.body
}

describe('on the wire', () => {
  it('plain credentials and the endpoints key', async () => {
    const { fetch, sent } = wire(json(VOID_RECORD))
    await createClient({ ...CONFIG, fetch }).voidPayment(VOID)
    expect(sent[0]).toMatchObject({
      method: 'POST',
      url: 'https://pay.example.com/api/v1/void',
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

  it('with every parameter', async () => {
    const server_url = 'https://shop.example.com/webhooks'
    expect(await bodyOf({ ...VOID, comment: 'не прийшов', server_url })).toBe(
      '{"pos_id":"3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11","order_id":"A-1","order_currency":"UAH",' +
        '"comment":"не прийшов","server_url":"https://shop.example.com/webhooks"}',
    )
  })
})

describe('responses', () => {
  it('a void, and the record stays reachable', async () => {
    const { fetch } = wire(json(VOID_RECORD))
    const done = await voidPayment({ ...CONFIG, fetch }, VOID)
    expect(done).toMatchObject({ method: 'void', amount: 100.5, currency: 'UAH', status: 'success' })
    expect(done.record).toEqual(VOID_RECORD)
  })

  it('an unknown outcome says how to find out, and carries what finds the void again', async () => {
    const { fetch, sent } = wire(json({}, 503))
    const error = await rejection(voidPayment({ ...CONFIG, fetch }, VOID))
    expect(error).toMatchObject({
      code: 'outcome_unknown',
      howToFindOut: expect.stringMatching(/resolveOutcome.*listOrderOperations/),
      operation: 'voidPayment',
      order_id: 'A-1',
      currency: 'UAH',
    })
    expect(error.amount).toBeUndefined()
    expect(sent).toHaveLength(1)
  })
})

describe('rules', () => {
  const of = (length: number) => 'ї'.repeat(length)
  it.each<[string, unknown[], unknown[]]>([
    ['order_id', ['x', of(32), '😀'.repeat(32)], ['', of(33), '😀'.repeat(33), undefined, 5, '\udc00']],
    ['order_currency', ['UAH'], ['uah', '', undefined]],
    ['comment', ['', of(2048)], [of(2049), 5]],
    ['server_url', ['https://a.example'], ['a.example']],
    ['pos_id', [undefined], ['pos']],
  ])('%s', async (name, right, wrong) => {
    for (const value of right) await bodyOf({ ...VOID, [name]: value })
    for (const value of wrong) expect(await refused({ ...VOID, [name]: value })).toEqual([name])
  })

  it('no amount: a void is always whole', async () => {
    expect(await refused({ ...VOID, refund_amount: 1 })).toEqual(['refund_amount'])
  })

  it('a webhook destination on an unusual port triggers a warning', async () => {
    const warnings: Warning[] = []
    await bodyOf({ ...VOID, server_url: 'https://a.example:9443' }, (warning) => warnings.push(warning))
    expect(warnings).toMatchObject([{ code: 'unusual_webhook_port', operation: 'voidPayment', path: 'server_url' }])
  })
})
