import { expect } from 'vitest'
import { testCard } from '../../../src/emulator/index.ts'
import { type Bench, createBench, get, type Json, plain } from '../call.ts'
import { type Row, row, rows } from './row.ts'
import { available, capture, listAccounts, payDirect } from './samples.ts'

/** The balances interface. */

const read = ({ emulator }: Bench, path: string, headers = plain(emulator)) =>
  get(emulator, `${emulator.credentials.apiUrl}/api/v1/balances/pos/${path}`, headers)

export const balanceRows: Row[] = [
  row('balances', 'Address base: `{api_url}`.', async (bench) => {
    const { baseUrl, apiUrl, posId } = bench.emulator.credentials
    expect((await read(bench, `${posId}/accounts`)).status).toBe(200)
    expect((await get(bench.emulator, `${baseUrl}/api/v1/balances/pos/${posId}/accounts`)).status).toBe(404)
    for (const path of ['payment', 'split/purchase', 'capture']) {
      const headers = { 'content-type': 'application/json', ...plain(bench.emulator) }
      const wrong = await bench.emulator.fetch(`${apiUrl}/api/v1/${path}`, { method: 'POST', headers, body: '{}' })
      expect(wrong.status).toBe(404)
    }
  }),
  row('balances', '| All accounts of a POS', async (_, create) => {
    const accounts = await listAccounts(createBench({}, create))
    expect(accounts.map(({ currency }) => currency)).toEqual(['UAH', 'USD', 'EUR', 'XTS'])
    for (const account of accounts) {
      expect(Object.keys(account).sort()).toEqual(['balances', 'currency', 'id', 'name'])
      expect(Object.keys(account.balances as Json).sort()).toEqual(['available', 'rolling_reserve'])
    }
  }),
  row('balances', '| One account', async (bench) => {
    for (const account of await listAccounts(bench)) {
      const { balances, ...rest } = account as { balances: Json }
      const one = await read(bench, `${bench.emulator.credentials.posId}/accounts/${String(account.id)}`)
      expect(await one.json()).toEqual({
        ...rest,
        balances: { available: balances.available, rollingReserve: balances.rolling_reserve },
      })
    }
  }),
  row('balances', 'Path parameters `pos_id`', async (bench) => {
    const { posId } = bench.emulator.credentials
    const [account] = await listAccounts(bench)
    for (const [path, names] of [
      ['not-a-uuid/accounts', ['pos_id']],
      [`not-a-uuid/accounts/${String(account?.id)}`, ['pos_id']],
      ['1/accounts/2', ['pos_id', 'account_id']],
      [`${posId}/accounts/not-a-uuid`, ['account_id']],
    ] as const) {
      const response = await read(bench, path)
      const { args } = (await response.json()) as { args: Json[] }
      expect([response.status, args.map(({ field_name }) => field_name)]).toEqual([400, names])
    }
    expect((await read(bench, `${posId.replace(/1$/, '2')}/accounts`)).status).toBe(401)
    expect((await read(bench, `${posId}/accounts/11111111-1111-4111-8111-111111111111`)).status).toBe(400)
  }),
  ...rows(['balances: HTTP codes', 'errors: Balances endpoints: HTTP'], async (bench) => {
    const all = `${bench.emulator.credentials.posId}/accounts`
    const one = `${all}/${String((await listAccounts(bench))[0]?.id)}`
    bench.emulator.faults.next({ kind: 'server_error', status: 500, on: 'list-accounts' })
    const statuses = [
      await read(bench, all),
      await read(bench, all),
      await read(bench, one),
      await read(bench, 'x/accounts'),
    ]
    expect(statuses.map(({ status }) => status)).toEqual([500, 200, 200, 400])
    for (const path of [all, one]) expect((await read(bench, path, {})).status).toBe(401)
  }),
  row('service', 'Account balances can be', async (bench) => {
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
