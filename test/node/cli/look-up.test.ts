import { beforeEach, describe, expect, it } from 'vitest'
import { verb as balances } from '../../../src/cli/commands/balances.ts'
import { recurringCancel, refund } from '../../../src/cli/commands/change-order.ts'
import { verb as order } from '../../../src/cli/commands/order.ts'
import { verb as resend } from '../../../src/cli/commands/resend.ts'
import type { Fault } from '../../../src/emulator/faults/fault.ts'
import { HOSTED } from '../../support/inputs.ts'
import { openShop, type Shop } from '../../support/shop.ts'
import { type Around, against, runVerb } from '../support/verb.ts'

let shop: Shop
let around: Around

beforeEach(() => {
  shop = openShop()
  around = against(shop.emulator)
})

const pay = async (order_id: string, more: object = {}): Promise<void> => {
  const { url } = await shop.client.createPayment({ ...HOSTED, order_id, amount: 100.5, currency: 'UAH', ...more })
  await shop.pay(url)
}

describe('edgetill order', () => {
  it('shows the operations and what they add up to', async () => {
    await pay('A-1')
    await shop.client.refundPayment({ order_id: 'A-1', order_currency: 'UAH', refund_amount: 20.25 })
    const { code, out, err } = await runVerb(order, ['A-1'], around)
    expect(out).toMatch(/^Order A-1: purchase success, last change 2026-/)
    expect(out).toMatch(/ purchase +success +100.50 UAH +1000: transaction successful /)
    expect(out).toMatch(/ refund +success +20.25 UAH +1004: refund successful /)
    expect(out).toContain('authorized 100.50 UAH, captured 100.50 UAH, refunded 20.25 UAH')
    expect([code, err]).toEqual([0, ''])
    const json = await runVerb(order, ['A-1', '--json'], around)
    expect(JSON.parse(json.out)).toMatchObject({
      ...{ order_id: 'A-1', status: 'success', flags: [] },
      totals: {
        authorized_minor: 10_050,
        captured_minor: 10_050,
        refunded_minor: 2025,
        voided_minor: 0,
        fee_minor: null,
      },
      operations: [{ method: 'purchase', amount: 100.5 }, { method: 'refund' }],
    })
  })

  it('names what a person should look at', async () => {
    await pay('A-1')
    shop.emulator.faults.next({ kind: 'unknown_method', on: 'list-order-operations' } as Fault)
    const { out } = await runVerb(order, ['A-1'], around)
    expect(out).toContain('No money has moved.')
    const foreign = { ...around.environment, EDGETILL_POS_ID: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11' }
    // A service that does not check the POS.
    const { posId } = shop.emulator.credentials
    const fetch: Around['fetch'] = (input, init) =>
      shop.emulator.fetch(String(input).replace(foreign.EDGETILL_POS_ID, posId), init as RequestInit)
    const other = await runVerb(order, ['A-1'], { environment: foreign, fetch })
    expect(other.out).toContain('Look at it: foreign_pos')
  })

  it('exits 1 for an order that is not shown, and names the documented look-up', async () => {
    const { code, out, err } = await runVerb(order, ['A-9'], around)
    expect(err).toContain('The service does not show an order A-9 (404)')
    expect(err).toContain('edgetill resend A-9')
    expect([code, out]).toEqual([1, ''])
    for (const verb of [order, resend]) {
      const { error } = JSON.parse((await runVerb(verb, ['A-9', '--json'], around)).out)
      expect(error).toMatchObject({ code: 'api', status: 404, message: expect.stringContaining('(404)') })
      expect(Object.keys(error)).toEqual(['code', 'status', 'apiCode', 'message'])
    }
    // Wrong credentials prove nothing about the order.
    const environment = { ...around.environment, EDGETILL_API_SECRET: 'wrong' }
    for (const verb of [order, resend, refund]) {
      const ran = await runVerb(verb, ['A-9', ...(verb === refund ? ['--yes'] : [])], { ...around, environment })
      expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('was rejected with 401')])
    }
  })
})

it('edgetill balances shows a table, and JSON, and says that it needs api_url', async () => {
  const people = await runVerb(balances, [], around)
  expect(people.out).toMatch(/^name +currency +available +rolling_reserve +id\nEmulator UAH +UAH +1000\.00 +50\.00 /)
  const programs = await runVerb(balances, ['--json'], around)
  expect(JSON.parse(programs.out)[0]).toMatchObject({ currency: 'UAH', balances: { available: 1000 } })
  const { EDGETILL_API_URL: _, ...environment } = around.environment ?? {}
  const without = await runVerb(balances, [], { ...around, environment })
  expect(without.err).toMatch(/needs apiUrl.*\nSet EDGETILL_API_URL, or pass --api-url/)
  expect([people.code, programs.code, without.code]).toEqual([0, 0, 2])
})

it.each(['purchase', 'auth'])(
  'edgetill resend finds a %s without knowing its method, and has its webhook sent again',
  async (method) => {
    await pay('A-1', { method })
    const before = shop.events.length
    const { code, out } = await runVerb(resend, ['A-1'], around)
    await shop.emulator.deliveries.idle()
    expect(out).toMatch(new RegExp(`^${method} of order A-1; its webhook is sent again\n  status +success`))
    expect([code, shop.events.length]).toEqual([0, before + 1])
    const ran = await runVerb(resend, ['A-1', '--json', '--operation', method], around)
    expect(JSON.parse(ran.out)).toMatchObject({ order_id: 'A-1', status: 'success', cc_mask: '411111******1111' })
    expect(ran.out).not.toContain('"cc_token"')
    const refund = await runVerb(resend, ['A-1', '--operation', 'refund'], around)
    expect(refund.err).toContain('The service does not know an operation refund of order A-1 (404).')
    expect(refund.code).toBe(1)
  },
)

describe('edgetill recurring-cancel', () => {
  const recurring = async () => {
    const { record } = await shop.client.resendWebhook({ order_id: 'S-1', operation: 'purchase' })
    return record.recurring as { id: string; status: string }
  }
  let id: string
  beforeEach(async () => {
    await pay('S-1', { init_recurring: { interval_unit: 'month', interval_count: 1 } })
    id = (await recurring()).id
  })

  it('asks, and cancels', async () => {
    const no = await runVerb(recurringCancel, [id], { ...around, answer: 'n' })
    expect(no.err).toContain(`PUT ${shop.emulator.credentials.apiUrl}/api/v1/recurring/${id}/cancel`)
    const nobody = await runVerb(recurringCancel, [id], around)
    expect([no.code, nobody.code, (await recurring()).status]).toEqual([1, 2, 'active'])
    const yes = await runVerb(recurringCancel, [id], { ...around, answer: 'y' })
    expect([yes.code, yes.out, (await recurring()).status]).toEqual([0, `subscription ${id}: canceled\n`, 'canceled'])
  })

  it('exits 3 when the outcome is unknown, and finds out by the first order', async () => {
    const words = [id, '--yes', '--json']
    shop.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'cancel-recurring' })
    const unknown = await runVerb(recurringCancel, words, around)
    expect(JSON.parse(unknown.out)).toMatchObject({ outcome: 'unknown' })
    expect(unknown.err).toContain('Cancelling again moves no money')
    shop.emulator.faults.next({ kind: 'reset', on: 'cancel-recurring' })
    const found = await runVerb(recurringCancel, [...words, '--resolve', '--order', 'S-1'], around)
    expect(JSON.parse(found.out)).toMatchObject({ outcome: 'executed' })
    expect([unknown.code, found.code]).toEqual([3, 0])
  })
})
