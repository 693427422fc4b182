import { describe, expect, it } from 'vitest'
import { createClient, getAccount } from '../../src/index.ts'
import { ACCOUNT_ID } from '../support/inputs.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'
import { rejectedPaths } from '../support/rejected-paths.ts'

// As the document has it for the single account: rollingReserve.
const RECEIVED = { id: ACCOUNT_ID, name: 'Main', currency: 'UAH', balances: { available: 10.5, rollingReserve: 2 } }

it('on the wire', async () => {
  const { fetch, sent } = wire(json(RECEIVED))
  await createClient({ ...CONFIG, fetch }).getAccount({ account_id: ACCOUNT_ID })
  expect(sent[0]).toMatchObject({
    method: 'GET',
    url: `https://api.example.com/api/v1/balances/pos/3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11/accounts/${ACCOUNT_ID}`,
    body: undefined,
  })
  expect(sent[0]?.headers).toEqual({
    Accept: 'application/json',
    'User-Agent': 'edgetill',
    'X-API-AUTH': 'SVC api-key-1:api-secret-1',
  })
})

describe('responses', () => {
  it('the account, its reserve under the name that the list has', async () => {
    const { fetch } = wire(json(RECEIVED))
    expect(await getAccount({ ...CONFIG, fetch }, { account_id: ACCOUNT_ID })).toEqual({
      ...RECEIVED,
      balances: { available: 10.5, rolling_reserve: 2 },
    })
  })

  it('another shape is handed over', async () => {
    const { fetch } = wire(json([RECEIVED]))
    const error = await rejection(getAccount({ ...CONFIG, fetch }, { account_id: ACCOUNT_ID }))
    expect(error).toMatchObject({ code: 'unexpected_response', body: [RECEIVED], issues: [{ path: '' }] })
    expect(error.message).not.toMatch(/was executed/)
  })

  it('an unknown account', async () => {
    const { fetch } = wire(json({ message: 'Not found' }, 404))
    const error = await rejection(getAccount({ ...CONFIG, fetch }, { account_id: ACCOUNT_ID }))
    expect(error).toMatchObject({ code: 'api', status: 404, apiMessage: 'Not found' })
  })
})

it.each([undefined, '', '..', 'x', `${ACCOUNT_ID}/..`, `${ACCOUNT_ID}?a=b`, 5])(
  'rejects account_id %j',
  async (value) => {
    const account_id = value as string
    expect(await rejectedPaths((client) => client.getAccount({ account_id }))).toEqual(['account_id'])
  },
)
