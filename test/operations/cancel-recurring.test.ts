import { describe, expect, it } from 'vitest'
import { cancelRecurring, createClient } from '../../src/index.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'
import { AWKWARD_ORDER_IDS, PATH_CHANGING } from '../support/order-ids.ts'
import { rejectedPaths } from '../support/rejected-paths.ts'

const CANCELED = { recurring_id: 'r-1', recurring_status: 'canceled' }

const cancel = (record: unknown, status = 200) => {
  const { fetch, sent } = wire(json(record, status))
  return { canceled: cancelRecurring({ ...CONFIG, fetch }, { recurring_id: 'r-1' }), sent }
}

describe('on the wire', () => {
  it('an empty PUT to apiUrl with plain credentials and the endpoints key', async () => {
    const { fetch, sent } = wire(json(CANCELED))
    await createClient({ ...CONFIG, fetch }).cancelRecurring({ recurring_id: 'r-1' })
    expect(sent[0]).toMatchObject({
      method: 'PUT',
      url: 'https://api.example.com/api/v1/recurring/r-1/cancel',
      body: '',
    })
    expect(sent[0]?.headers).toEqual({
      Accept: 'application/json',
      'User-Agent': 'edgetill',
      'X-API-AUTH': 'SVC api-key-1:api-secret-1',
      'X-API-KEY': 'endpoints-key-1',
    })
  })

  it.each(AWKWARD_ORDER_IDS)('recurring id %j', async (recurring_id, encoded) => {
    const { fetch, sent } = wire(json(CANCELED))
    await cancelRecurring({ ...CONFIG, fetch }, { recurring_id })
    expect(sent[0]?.url).toBe(`${CONFIG.apiUrl}/api/v1/recurring/${encoded}/cancel`)
  })

  it('needs apiUrl', async () => {
    const { fetch, sent } = wire()
    const client = createClient({ ...CONFIG, apiUrl: undefined, fetch })
    expect(await rejection(client.cancelRecurring({ recurring_id: 'r-1' }))).toMatchObject({
      code: 'config',
      field: 'apiUrl',
      message: expect.stringContaining('cancelRecurring needs apiUrl'),
    })
    expect(sent).toEqual([])
  })
})

describe('responses', () => {
  it('its status, and whatever else there is', async () => {
    expect(await cancel({ ...CANCELED, canceled_at: 1 }).canceled).toMatchObject({ ...CANCELED, canceled_at: 1 })
  })

  it('an odd field beside the status takes nothing away', async () => {
    expect(await cancel({ recurring_id: 5, recurring_status: 'canceled' }).canceled).toMatchObject({
      recurring_status: 'canceled',
    })
  })

  it('an unknown outcome says how to find out', async () => {
    const { canceled, sent } = cancel({}, 503)
    expect(await rejection(canceled)).toMatchObject({
      code: 'outcome_unknown',
      operation: 'cancelRecurring',
      howToFindOut: expect.stringMatching(/resendWebhook.*recurring\.status.*moves no money/),
    })
    expect(sent).toHaveLength(1)
  })
})

describe('rules', () => {
  it.each(PATH_CHANGING)('an id that would change the path: %j', async (recurring_id) => {
    expect(await rejectedPaths((client) => client.cancelRecurring({ recurring_id }))).toEqual(['recurring_id'])
  })

  it('no other parameter', async () => {
    const input = { recurring_id: 'r-1', order_id: 'A-1' }
    expect(await rejectedPaths((client) => client.cancelRecurring(input as never))).toEqual(['order_id'])
  })
})
