import { describe, expect, it } from 'vitest'
import { createClient, listAccounts } from '../../src/index.ts'
import { ACCOUNT_ID } from '../support/inputs.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'
import { rejectedPaths } from '../support/rejected-paths.ts'

const ACCOUNT = { id: ACCOUNT_ID, name: 'Main', currency: 'UAH', balances: { available: 10.5, rolling_reserve: 2 } }
const list = (body: unknown) => {
  const { fetch } = wire(json(body))
  return createClient({ ...CONFIG, fetch }).listAccounts()
}

describe('on the wire', () => {
  it('another address, plain credentials, no endpoints key', async () => {
    const { fetch, sent } = wire(json({ accounts: [] }))
    await createClient({ ...CONFIG, fetch }).listAccounts()
    expect(sent[0]).toMatchObject({
      method: 'GET',
      url: 'https://api.example.com/api/v1/balances/pos/3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11/accounts',
      body: undefined,
    })
    expect(sent[0]?.headers).toEqual({
      Accept: 'application/json',
      'User-Agent': 'edgetill',
      'X-API-AUTH': 'SVC api-key-1:api-secret-1',
    })
  })

  it('another POS', async () => {
    const { fetch, sent } = wire(json({ accounts: [] }))
    await listAccounts({ ...CONFIG, fetch }, { pos_id: 'ffffffff-ffff-4fff-8fff-ffffffffffff' })
    expect(sent[0]?.url).toContain('/pos/ffffffff-ffff-4fff-8fff-ffffffffffff/accounts')
  })

  it('without apiUrl nothing is sent, and the error says what is missing', async () => {
    const { fetch, sent } = wire()
    const { apiUrl: _apiUrl, ...config } = CONFIG
    const error = await rejection(listAccounts({ ...config, fetch }))
    expect(error).toMatchObject({ code: 'config', field: 'apiUrl' })
    expect(sent).toEqual([])
  })
})

describe('responses', () => {
  it('the accounts, none included', async () => {
    expect(await list({ accounts: [] })).toEqual([])
    expect(await list({ accounts: [ACCOUNT, ACCOUNT], next: null })).toEqual([ACCOUNT, ACCOUNT])
  })

  it('both spellings of the reserve, numbers as strings, zero, negative, unknown fields', async () => {
    const accounts = [
      { ...ACCOUNT, balances: { available: '10.50', rollingReserve: '0', frozen: 1 }, type: 'x' },
      { ...ACCOUNT, balances: { available: -3.25, rolling_reserve: 0, rollingReserve: 5 } },
      { ...ACCOUNT, balances: { available: 0, rolling_reserve: null } },
      { ...ACCOUNT, balances: { available: 0 } },
    ]
    expect(await list({ accounts })).toEqual([
      { ...ACCOUNT, balances: { available: 10.5, rolling_reserve: 0, frozen: 1 }, type: 'x' },
      { ...ACCOUNT, balances: { available: -3.25, rolling_reserve: 0 } },
      { ...ACCOUNT, balances: { available: 0, rolling_reserve: null } },
      { ...ACCOUNT, balances: { available: 0 } },
    ])
  })

  it.each<[string, unknown, string[]]>([
    ['an array', [ACCOUNT], ['']],
    ['no accounts', {}, ['accounts']],
    ['an invalid account', { accounts: [ACCOUNT, null] }, ['accounts[1]']],
    [
      'an invalid balance',
      { accounts: [{ ...ACCOUNT, balances: { available: 'much' } }] },
      ['accounts[0].balances.available'],
    ],
    ['no balances', { accounts: [{ ...ACCOUNT, balances: undefined }] }, ['accounts[0].balances']],
  ])('another shape is handed over: %s', async (_name, body, paths) => {
    const error = await rejection(list(body))
    expect(error).toMatchObject({ code: 'unexpected_response', body: JSON.parse(JSON.stringify(body)) })
    expect((error.issues as { path: string }[]).map(({ path }) => path)).toEqual(paths)
  })

  it.each([400, 401])('%i is final', async (status) => {
    const { fetch, sent } = wire(json({}, status))
    expect(await rejection(listAccounts({ ...CONFIG, fetch }))).toMatchObject({ code: 'api', status, retryable: false })
    expect(sent).toHaveLength(1)
  })

  it('500 is tried again', async () => {
    const { fetch, sent } = wire(json({}, 500), json({ accounts: [ACCOUNT] }))
    expect(await listAccounts({ ...CONFIG, fetch, random: () => 0 })).toEqual([ACCOUNT])
    expect(sent).toHaveLength(2)
  })
})

it('rules', async () => {
  expect(await rejectedPaths((client) => client.listAccounts({ pos_id: '../x' }))).toEqual(['pos_id'])
  expect(await rejectedPaths((client) => client.listAccounts({ currency: 'UAH' } as never))).toEqual(['currency'])
  expect(await rejectedPaths((client) => client.listAccounts({}, { passThrough: { a: 1 } } as never))).toEqual([
    'passThrough',
  ])
})
