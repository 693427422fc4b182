import { expect, it } from 'vitest'
import { createClient } from '../../src/index.ts'
import { outcomeOf } from '../../src/till/calls.ts'
import { CONFIG } from '../support/mock-fetch.ts'

it('whatever else a call that was sent throws leaves open whether it was processed', async () => {
  // A value with which React postpones a rendering passes through a call untouched.
  const postponed = { $$typeof: Symbol.for('react.postpone') }
  const client = createClient({ ...CONFIG, fetch: () => Promise.reject(postponed) })
  const thrown = await client.refundPayment({ order_id: 'A-1', order_currency: 'UAH' }).catch((error) => error)
  expect(thrown).toBe(postponed)
  const other = Object.assign(new Error('x'), { digest: 'DYNAMIC_SERVER_USAGE', code: 'api', status: 400 })
  for (const error of [thrown, other, new TypeError('x'), 'x', undefined, null])
    expect(outcomeOf(error)).toBe('unknown')
})
