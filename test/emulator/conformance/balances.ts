import { expect } from 'vitest'
import { testCard } from '../../../src/emulator/index.ts'
import { createBench, get, type Json, plain } from '../call.ts'
import { answersOnly, endpoint, needsAuth, refused, send, without } from './caller.ts'
import { type Row, row } from './row.ts'
import { available, capture, listAccounts, payDirect } from './samples.ts'

/** The balances interface. */

const rest = (name: string): string => `/api/v1/${name}`

export const balanceRows: Row[] = [
  row('balances', 'Header: `X-API-AUTH` only.', async (create) => {
    for (const name of ['all accounts', 'one account']) {
      await needsAuth(create, endpoint(name))
      expect((await send(create, endpoint(name), { headers: without('X-API-KEY') })).status).toBe(200)
    }
  }),
  row('balances', 'Address base: `{api_url}`.', async (create) => {
    const { emulator } = createBench({}, create)
    const { baseUrl, apiUrl, posId } = emulator.credentials
    expect((await get(emulator, `${apiUrl}${rest(`balances/pos/${posId}/accounts`)}`)).status).toBe(200)
    expect((await get(emulator, `${baseUrl}${rest(`balances/pos/${posId}/accounts`)}`)).status).toBe(404)
    for (const path of ['payment', 'split/purchase', 'capture']) {
      const wrong = await emulator.fetch(`${apiUrl}${rest(path)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...plain(emulator) },
        body: '{}',
      })
      expect(wrong.status).toBe(404)
    }
  }),
  row(
    'balances',
    '| All accounts of a POS | `GET {api_url}/api/v1/balances/pos/{pos_id}/accounts` | Object with `accounts`: array of Account |',
    async (create) => {
      await answersOnly(create, endpoint('all accounts'))
      const accounts = await listAccounts(createBench({}, create))
      expect(accounts.map(({ currency }) => currency)).toEqual(['UAH', 'USD', 'EUR', 'XTS'])
      for (const account of accounts) {
        expect(Object.keys(account).sort()).toEqual(['balances', 'currency', 'id', 'name'])
        expect(Object.keys(account.balances as Json).sort()).toEqual(['available', 'rolling_reserve'])
      }
    },
  ),
  row(
    'balances',
    '| One account | `GET {api_url}/api/v1/balances/pos/{pos_id}/accounts/{account_id}` | One Account |',
    async (create) => {
      await answersOnly(create, endpoint('one account'))
      const bench = createBench({}, create)
      const { apiUrl, posId } = bench.emulator.credentials
      for (const account of await listAccounts(bench)) {
        const { balances, ...rest } = account as { balances: Json }
        const one = await get(bench.emulator, `${apiUrl}/api/v1/balances/pos/${posId}/accounts/${String(account.id)}`)
        expect(await one.json()).toEqual({
          ...rest,
          balances: { available: balances.available, rollingReserve: balances.rolling_reserve },
        })
      }
    },
  ),
  row('balances', 'Path parameters `pos_id` and `account_id` are UUIDs and required.', async (create) => {
    const bench = createBench({}, create)
    const { apiUrl, posId } = bench.emulator.credentials
    const [account] = await listAccounts(bench)
    const read = async (pos: string, more = '') =>
      (await get(bench.emulator, `${apiUrl}/api/v1/balances/pos/${pos}/accounts${more}`)).status
    expect(await read('not-a-uuid')).toBe(400)
    expect(await read('not-a-uuid', `/${String(account?.id)}`)).toBe(400)
    expect(await read(posId, '/not-a-uuid')).toBe(400)
    expect(await read(posId.replace(/1$/, '2'))).toBe(401)
    expect(await read(posId, '/11111111-1111-4111-8111-111111111111')).toBe(400)
  }),
  row('balances', 'HTTP codes: 200, 400, 401, 500 (see Errors).', async (create) => {
    const bench = createBench({}, create)
    bench.emulator.faults.next({ kind: 'server_error', status: 500, on: 'list-accounts' })
    const { apiUrl, posId } = bench.emulator.credentials
    const read = async (pos = posId, headers = plain(bench.emulator)) =>
      (await get(bench.emulator, `${apiUrl}/api/v1/balances/pos/${pos}/accounts`, headers)).status
    expect([await read(), await read(), await read('x'), await read(posId, {})]).toEqual([500, 200, 400, 401])
  }),
  row(
    'errors',
    'Balances endpoints: HTTP 200 success; 400 invalid data; 401 invalid credentials; 500 unexpected error.',
    async (create) => {
      for (const name of ['all accounts', 'one account']) {
        expect((await send(create, endpoint(name))).status).toBe(200)
        await refused(create, endpoint(name), without('X-API-AUTH'))
      }
      const bench = createBench({}, create)
      const { apiUrl } = bench.emulator.credentials
      const invalid = await get(bench.emulator, `${apiUrl}/api/v1/balances/pos/1/accounts/2`)
      expect(invalid.status).toBe(400)
      const names = ((await invalid.json()) as { args: Json[] }).args.map(({ field_name }) => field_name)
      expect(names).toEqual(['pos_id', 'account_id'])
    },
  ),
  row('service', 'Account balances can be read.', async (create) => {
    const bench = createBench({}, create)
    expect(await available(bench)).toBe(1000)
    // 100.50 less 1.5 per cent and 0.10 (assumption: the document shows the parts of a fee, not its size).
    await payDirect(bench)
    expect(await available(bench)).toBe(1098.89)
    await payDirect(bench, { order_id: 'B', method: 'auth' })
    expect(await available(bench)).toBe(1098.89)
    await capture(bench, { order_id: 'B', charge_amount: 40 })
    expect(await available(bench)).toBe(1138.19)
    bench.emulator.control.refundPayment('B', 10)
    expect(await available(bench)).toBe(1128.19)
    await payDirect(bench, { order_id: 'C', currency: 'GBP', cc_number: testCard('fee_null') })
    expect(await available(bench, 'GBP')).toBe(100.5)
  }),
]
