import { expect, it } from 'vitest'
import { createClient } from '../../src/index.ts'
import { ACCOUNT_ID } from '../support/inputs.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'
import { rejectedPaths } from '../support/rejected-paths.ts'

// listAccounts and getAccount: the document's "Balances".

const ACCOUNT = { id: ACCOUNT_ID, name: 'Main', currency: 'UAH', balances: { available: 10.5, rolling_reserve: 2 } }
const clientOf = (...replies: Response[]) => {
  const { fetch } = wire(...replies)
  return createClient({ ...CONFIG, fetch })
}
const list = (body: unknown) => clientOf(json(body)).listAccounts()
const get = (body: unknown) => clientOf(json(body)).getAccount({ account_id: ACCOUNT_ID })

it('the accounts, none included', async () => {
  expect(await list({ accounts: [] })).toEqual([])
  expect(await list({ accounts: [ACCOUNT, ACCOUNT], next: null })).toEqual([ACCOUNT, ACCOUNT])
})

it.each<[string, object, object]>([
  [
    'numbers as strings, unknown fields',
    { available: '10.50', rollingReserve: '0', frozen: 1 },
    { available: 10.5, rolling_reserve: 0, frozen: 1 },
  ],
  [
    'negative, both spellings',
    { available: -3.25, rolling_reserve: 0, rollingReserve: 5 },
    { available: -3.25, rolling_reserve: 0 },
  ],
  ['null', { available: 0, rolling_reserve: null }, { available: 0, rolling_reserve: null }],
  ['none', { available: 0 }, { available: 0 }],
])('the reserve has one name, in the list and alone: %s', async (_name, received, balances) => {
  const account = { ...ACCOUNT, balances: received, type: 'x' }
  expect(await list({ accounts: [account] })).toEqual([{ ...account, balances }])
  expect(await get(account)).toEqual({ ...account, balances })
})

it.each<[string, () => Promise<unknown>, unknown, string[]]>([
  ['an array', () => list([ACCOUNT]), [ACCOUNT], ['']],
  ['no accounts', () => list({}), {}, ['accounts']],
  ['an invalid account', () => list({ accounts: [ACCOUNT, null] }), { accounts: [ACCOUNT, null] }, ['accounts[1]']],
  ['an array in place of one account', () => get([ACCOUNT]), [ACCOUNT], ['']],
])('another shape is handed over: %s', async (_name, call, body, paths) => {
  const error = await rejection(call())
  expect(error).toMatchObject({ code: 'unexpected_response', body })
  expect((error.issues as { path: string }[]).map(({ path }) => path)).toEqual(paths)
})

it.each([undefined, '', '..', 'x', `${ACCOUNT_ID}/..`, `${ACCOUNT_ID}?a=b`, 5])(
  'account_id %j is rejected',
  async (value) => {
    const account_id = value as string
    expect(await rejectedPaths((client) => client.getAccount({ account_id }))).toEqual(['account_id'])
  },
)

it('takes another POS, and nothing else', async () => {
  const of = (input: object, options = {}) => rejectedPaths((client) => client.listAccounts(input, options as never))
  expect(await of({ pos_id: '../x' })).toEqual(['pos_id'])
  expect(await of({ currency: 'UAH' })).toEqual(['currency'])
  expect(await of({}, { passThrough: { a: 1 } })).toEqual(['passThrough'])
})
