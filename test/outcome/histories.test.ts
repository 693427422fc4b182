import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { testCard } from '../../src/emulator/index.ts'
import * as sdk from '../../src/index.ts'
import { CARD, DIRECT_AUTH } from '../support/inputs.ts'
import { check, SEED } from '../support/property.ts'
import { openShop, type Shop } from '../support/shop.ts'

// Whatever happened to an order before, meanwhile and to the call itself: the resolver never says the wrong thing.

type Step = { do: 'capture' | 'refund' | 'increment' | 'void'; amount: number | undefined }
type Lost = { kind: 'reset' | 'server_error'; when: 'before_commit' | 'after_commit' }

const ORDER = { order_id: 'A-1', order_currency: 'UAH' }

// What others do meanwhile has other amounts, and is not the same void: an equal operation cannot be told apart by anybody.
const ours = fc.constantFrom(undefined, 10, 20.5, 30, 200)
const theirs = fc.constantFrom(7.77, 3.33)
const step = (amount: fc.Arbitrary<number | undefined>): fc.Arbitrary<Step> =>
  fc.record({ do: fc.constantFrom('capture', 'refund', 'increment', 'void'), amount })
const when = fc.constantFrom<Lost['when'][]>('before_commit', 'after_commit')
const lost = fc.record<Lost>({ kind: fc.constantFrom('reset', 'server_error'), when })
const history = fc.record({
  method: fc.constantFrom('auth', 'purchase'),
  before: fc.array(step(ours), { maxLength: 4 }),
  call: fc.record({ do: fc.constantFrom('capture', 'refund', 'void'), amount: ours }),
  lost,
  meanwhile: fc.array(step(theirs), { maxLength: 2 }),
  known: fc.boolean(),
  listed: fc.boolean(),
  settled: fc.boolean(),
})

async function perform({ client, emulator }: Shop, { do: what, amount }: Step): Promise<unknown> {
  if (what === 'void') return client.voidPayment(ORDER)
  if (what === 'increment') return emulator.control.incrementAuth(ORDER.order_id, amount ?? 10)
  if (what === 'capture') return client.capturePayment({ ...ORDER, ...(amount && { charge_amount: amount }) })
  return client.refundPayment({ ...ORDER, ...(amount && { refund_amount: amount }) })
}

const ignoreRejection = () => undefined

/** A shop whose service may lack the path of the look-up. */
function open(listed: boolean): Shop {
  const shop = openShop({
    authentication: 'plain',
    maxRetries: 0,
    fetch: ((url: string, init?: RequestInit) =>
      !listed && /\/orders\/[^/]+$/.test(url)
        ? Promise.resolve(new Response('{}', { status: 404 }))
        : shop.emulator.fetch(url, init)) as typeof fetch,
  })
  return shop
}

const idsOf = (shop: Shop) =>
  (shop.emulator.orders.get(ORDER.order_id)?.operations ?? []).map(({ operation_id }) => operation_id)

it(`histories of captures, voids and refunds, seed ${SEED}`, async () => {
  const seen = { executed: 0, not_executed: 0, unknown: 0 }
  const property = fc.asyncProperty(history, async (one) => {
    const shop = open(one.listed)
    const { client, emulator } = shop
    await client.createPayment({ ...(one.method === 'auth' ? DIRECT_AUTH : CARD), cc_number: testCard('success') })
    for (const past of one.before) await perform(shop, past).catch(ignoreRejection)
    const before = idsOf(shop)

    emulator.faults.next(one.lost)
    const error: unknown = await perform(shop, one.call).catch((reason: unknown) => reason)
    if (!sdk.isOutcomeUnknownError(error)) return
    const executed = idsOf(shop).filter((id) => !before.includes(id))
    const meanwhile = one.meanwhile.filter((other) => !(other.do === 'void' && one.call.do === 'void'))
    for (const other of meanwhile) await perform(shop, other).catch(ignoreRejection)

    const sentAt = Date.parse(error.sent_at)
    const kept = JSON.parse(JSON.stringify(error)) as sdk.UnresolvedCall
    const now = () => sentAt + (one.settled ? 600_000 : 0)
    const resolved = await sdk.resolveOutcome(client, kept, { known: one.known ? before : undefined, now })
    seen[resolved.outcome]++
    if (resolved.outcome === 'executed') {
      expect('operation_id' in resolved.record && [resolved.record.operation_id]).toEqual(executed)
      expect(one.known).toBe(true)
    }
    if (resolved.outcome === 'not_executed') {
      expect(executed).toEqual([])
      expect(one.settled).toBe(true)
    }
    // And it does say it where nothing is in the way.
    const plain = one.known && one.listed && (one.call.do === 'void' || one.call.amount !== undefined)
    const voids = meanwhile.filter((other) => other.do === 'void').length
    if (plain && executed.length === 1 && voids === 0) expect(resolved.outcome).toBe('executed')
    const others = meanwhile.some((other) => other.do === one.call.do)
    if (plain && executed.length === 0 && voids === 0 && one.settled && !others)
      expect(resolved.outcome).toBe('not_executed')
  })
  await check(property)
  expect(Object.values(seen).every((count) => count > 0)).toBe(true)
})
