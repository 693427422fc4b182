import { expect, it } from 'vitest'
import { createClient, createPayment, resolveOutcome } from '../src/index.ts'
import { membersOf } from '../src/lib/kind.ts'
import { DOCUMENTED, DOCUMENTED_INSIDE } from '../src/schemas/documented.ts'
import { createWebhookHandler } from '../src/webhooks/index.ts'
import { HOSTED, HOSTED_SPLIT } from './support/inputs.ts'
import { CHECKOUT_URL, CONFIG, json, redirect, wire } from './support/mock-fetch.ts'
import { OPERATION_CASES } from './support/operations.ts'

// A member that was added to Object.prototype is nobody's input, option or configuration.

const OPTIONS =
  'apiUrl authentication customerFields deadlineMs maxRetries signer userAgent checkoutOrigins onError passThrough'
const NAMES = [...new Set([...DOCUMENTED, ...DOCUMENTED_INSIDE, ...OPTIONS.split(' ')])]

async function polluted<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
  const value = () => 'EVIL'
  for (const name of names) Object.defineProperty(Object.prototype, name, { configurable: true, writable: true, value })
  try {
    return await work()
  } finally {
    for (const name of names) delete (Object.prototype as unknown as Record<string, unknown>)[name]
  }
}

/** The request of an operation, and its end. The reply fits none: what is polluted must not matter before. */
async function sentBy(call: (typeof OPERATION_CASES)[number][1]['call']): Promise<unknown[]> {
  const { fetch, sent } = wire(new Response('', { status: 400 }))
  const ended = await call(createClient({ ...CONFIG, fetch, onWarning: () => {} })).then(String, ({ code }) => code)
  const [{ url, headers, body } = {}] = sent
  return [ended, url, headers, body]
}

it.each(OPERATION_CASES)('%s sends the same, whatever Object.prototype has', async (_name, { call }) => {
  const clean = await sentBy(call)
  expect(clean).toEqual(['api', expect.any(String), expect.any(Object), clean[3]])
  expect(await polluted(NAMES, () => sentBy(call))).toEqual(clean)
})

it('an object has what it and its classes have', async () => {
  class Order {
    order_id = 'A-1'
    get amount() {
      return 5
    }
  }
  const { fetch, sent } = wire(redirect(), redirect(), redirect())
  const { order_id: _, amount: __, ...others } = HOSTED
  class Settings {
    get fetch() {
      return fetch
    }
  }
  const config = Object.assign(new Settings(), { ...CONFIG, onWarning: () => {} })
  for (const input of [
    Object.assign(new Order(), others),
    Object.create(HOSTED),
    Object.assign(Object.create(null), HOSTED),
  ])
    expect(await createPayment(config, input)).toMatchObject({ url: CHECKOUT_URL })
  const ids = sent.map(({ body }) => JSON.parse(String(body)))
  expect(ids).toMatchObject([{ order_id: 'A-1', amount: 5 }, HOSTED, HOSTED])
  expect(Object.keys(membersOf(new Order(), ['toString', 'amount', 'none']))).toEqual(['order_id', 'amount'])
})

it('a receiver, and a look-up, neither', async () => {
  await polluted(['onUnreadable', 'timeoutMs', 'onLate'], async () => {
    expect(createWebhookHandler({ secrets: 'secret', onEvent: () => {} })).toBeTypeOf('function')
  })
  const { fetch, sent } = wire(json([]))
  const call = { operation: 'createPayment', order_id: 'A-1', sent_at: 0 }
  await polluted(['pos_id', 'amount', 'known', 'now'], async () => {
    expect((await resolveOutcome(createClient({ ...CONFIG, fetch }), call)).outcome).toBe('not_executed')
  })
  expect(sent[0]?.url).toContain(CONFIG.posId)
})

it('an undocumented field inside a documented object has one way, which both messages name', async () => {
  const { fetch, sent } = wire(redirect(), new Response('', { status: 500 }))
  const client = createClient({ ...CONFIG, fetch, onWarning: () => {} })
  const [split, ...more] = HOSTED_SPLIT.split
  const labelled = { ...HOSTED_SPLIT, split: [{ ...split, label: 'L' }, ...more] }
  await expect(client.createSplitPurchase(labelled as never)).rejects.toThrow(
    /split\[0\]\.label: is not .* under this path/,
  )
  const refused = (passThrough: Record<string, unknown>) => client.createSplitPurchase(HOSTED_SPLIT, { passThrough })
  await expect(refused({ split: [{ label: 'L' }] })).rejects.toThrow(
    /passThrough\.split: .* by path: 'split\[0\]\.label'/,
  )
  const passThrough = { 'split[0].label': 'L', 'split[1].deep': { a: 1 }, 'x.y': 2 }
  await client.createSplitPurchase(HOSTED_SPLIT, { passThrough })
  const { split: parts, ...body } = JSON.parse(String(sent[0]?.body))
  expect(parts).toEqual([
    { ...HOSTED_SPLIT.split[0], label: 'L' },
    { ...HOSTED_SPLIT.split[1], deep: { a: 1 } },
  ])
  expect(body).toMatchObject({ order_id: HOSTED_SPLIT.order_id, 'x.y': 2 })
  for (const path of [
    'split[0].amount',
    'split[0].products',
    'split[9].label',
    'split[0].sub_merchant_id.x',
    'split.length',
  ])
    await expect(refused({ [path]: 1 })).rejects.toMatchObject({ issues: [{ path: `passThrough.${path}` }] })
  for (const path of ['split[0].__proto__', 'split.__proto__.label', 'init_recurring.time', 'amount.x'])
    await expect(refused({ [path]: 1 })).rejects.toMatchObject({ code: 'invalid_input' })
  // Its outcome can be looked up as any other's.
  const lost = await refused(passThrough).catch((error) => error)
  expect(lost).toMatchObject({ code: 'outcome_unknown', order_id: HOSTED_SPLIT.order_id })
})
