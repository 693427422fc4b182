import { describe, expect, it } from 'vitest'
import {
  type Answer,
  accepted,
  answerOf,
  authenticated,
  rejectedWith,
  returned,
  wasMade,
} from '../../../src/cli/conform/answer.ts'
import { holds } from '../../../src/cli/conform/judgement.ts'
import { createClient } from '../../../src/index.ts'
import { HOSTED } from '../../support/inputs.ts'
import { CONFIG } from '../../support/mock-fetch.ts'

/** The reading of a response to the creation of a hosted payment. */
async function answer(status: number, body: unknown = { message: 'no' }, location?: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...(location !== undefined && { location }) }
  const fetch = async () => new Response(status === 303 ? null : JSON.stringify(body), { status, headers })
  const client = createClient({ ...CONFIG, fetch, maxRetries: 0, onWarning() {} })
  try {
    return { verdict: 'accepted', value: await client.createPayment(HOSTED), status, at: 0, says: 'accepted' }
  } catch (error) {
    return answerOf(error, 0, { status, body })
  }
}

/** Each response: its verdict, whether the request was taken, the credentials were accepted, a payment was made, 401 was asked for. */
const TABLE: readonly [status: number, verdict: string, ...results: string[]][] = [
  [303, 'accepted', 'holds', 'holds', 'made', 'differs'],
  [200, 'other', 'differs', 'holds', 'not made', 'differs'],
  [400, 'rejected', 'differs', 'holds', 'not made', 'differs'],
  [401, 'rejected', 'differs', 'differs', 'not made', 'holds'],
  [403, 'rejected', 'differs', 'differs', 'not made', 'differs'],
  [404, 'rejected', 'differs', 'holds', 'not made', 'differs'],
  [503, 'none', 'not tried', 'not tried', 'not made', 'not tried'],
]

describe('what a response says of the service', () => {
  it.each(TABLE)('%i: %s', async (status, verdict, isTaken, isAuthenticated, made, isRejected) => {
    const one = await answer(status, {}, `${CONFIG.baseUrl}/api/v1/checkout/c/form`)
    expect([one.verdict, accepted(one).result, authenticated(one).result]).toEqual([verdict, isTaken, isAuthenticated])
    expect([wasMade(one) ? 'made' : 'not made', rejectedWith(one, 401).result]).toEqual([made, isRejected])
    const seen = returned(one, () => holds('judged')).seen
    expect(seen).toBe(verdict === 'accepted' ? 'judged' : one.says)
  })

  it('a redirect to an unknown place says that a payment was made, and nothing else', async () => {
    const one = await answer(303, null, 'https://elsewhere.example/form')
    expect([one.verdict, wasMade(one), accepted(one).result]).toEqual(['other', true, 'differs'])
  })

  it('shows no text of the service, and throws what is not an error of a call', async () => {
    expect((await answer(400, { message: 'canary', args: { code: 'canary' } })).says).not.toContain('canary')
    expect(() => answerOf(new RangeError('mine'), 0, {})).toThrow('mine')
  })
})
