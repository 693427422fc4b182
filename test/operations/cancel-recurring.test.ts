import { expect, it } from 'vitest'
import { cancelRecurring } from '../../src/index.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'

const cancel = (record: unknown, status = 200) =>
  cancelRecurring({ ...CONFIG, fetch: wire(json(record, status)).fetch }, { recurring_id: 'r-1' })

it('returns its status, and whatever else there is', async () => {
  const canceled = { recurring_id: 'r-1', recurring_status: 'canceled', canceled_at: 1 }
  expect(await cancel(canceled)).toEqual(canceled)
  expect(await cancel({ recurring_id: 5, recurring_status: 'canceled' })).toMatchObject({
    recurring_status: 'canceled',
  })
})

it('an unknown outcome says how to find out', async () => {
  expect(await rejection(cancel({}, 503))).toMatchObject({
    code: 'outcome_unknown',
    operation: 'cancelRecurring',
    howToFindOut: expect.stringMatching(/resendWebhook.*recurring\.status.*moves no money/),
  })
})
