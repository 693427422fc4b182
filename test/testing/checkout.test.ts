import { describe, expect, it, vi } from 'vitest'
import { type EmulatorOptions, type TestCardName, testCard } from '../../src/emulator/index.ts'
import { customerActionUrl } from '../../src/index.ts'
import { foldOrder } from '../../src/orders/index.ts'
import { deliveries, pay } from '../../src/testing/index.ts'
import { CARD, HOSTED } from '../support/inputs.ts'
import { openShop } from '../support/shop.ts'

const RESULT = 'https://shop.example.com/thanks'

/** A shop with one checkout. */
async function openCheckout(options: EmulatorOptions = {}) {
  const shop = openShop({}, options)
  const create = (order_id: string) => shop.client.createPayment({ ...HOSTED, order_id, result_url: RESULT })
  return { ...shop, create, fetch: shop.emulator.fetch, url: (await create('A-1')).url }
}

describe('pay plays the customer', () => {
  it('needs no fetch as a method of the emulator, and completes 3-D Secure of a direct payment', async () => {
    const { emulator, client, create } = await openCheckout()
    await emulator.pay((await create('A-2')).url, { card: 'declined' })
    expect(emulator.orders.get('A-2')?.payments[0]?.status).toBe('failure')
    const payment = await client.createPayment({ ...CARD, order_id: 'A-3', cc_number: testCard('three_d_secure') })
    await emulator.pay(customerActionUrl(payment) ?? '')
    expect(emulator.orders.get('A-3')?.payments[0]?.status).toBe('success')
    await expect(pay(payment as never)).rejects.toThrow('pass customerActionUrl(payment).')
  })

  it.each([{ url: 'https://pay.example.com/', checkout_id: '1' }, undefined, '/form'])(
    'says what to pass in place of %j',
    async (url) => {
      await expect(pay(url as never)).rejects.toThrow('pass checkout.url.')
    },
  )

  it('says that no emulator listens, where fetch was forgotten', async () => {
    const { url } = await openCheckout()
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')))
    const message = `pay: no emulator listens on ${new URL(url).origin}: pass { fetch: emulator.fetch }`
    await expect(pay(url)).rejects.toThrow(message)
    vi.unstubAllGlobals()
  })

  it.each<[card: TestCardName, threeDSecure: 'pass' | 'fail', status: string, code: string]>([
    ['success', 'pass', 'success', '1000'],
    ['three_d_secure', 'fail', 'failure', '4157'],
    ['insufficient_funds', 'pass', 'failure', '4009'],
    ['timeout', 'pass', 'pending', '2001'],
  ])('with the card %s and 3-D Secure %s: %s %s', async (card, threeDSecure, status, code) => {
    const { emulator, fetch, url } = await openCheckout()
    const end = await pay(url, { card, threeDSecure, fetch })
    expect(emulator.orders.get('A-1')?.payments[0]).toMatchObject({ status, status_code: code })
    expect(end).toBe(status === 'success' ? RESULT : url.replace(/form$/, threeDSecure === 'fail' ? '3ds' : 'form'))
    const page = emulator.requests().find(({ method, path }) => method === 'GET' && path.endsWith('/form'))
    expect(page?.status).toBe(200)
  })

  it('with typed card data, and from an address that redirects to the checkout', async () => {
    const { emulator, fetch, url } = await openCheckout()
    const card = { cc_number: '5555 5555 5555 4444', exp_month: '9', exp_year: '99', card_cvv: '1234' }
    const link = 'https://shop.example.com/links/1'
    const through: typeof fetch = async (input: string | URL | Request, init?: unknown) =>
      String(input) === link ? Response.redirect(url, 303) : fetch(input as string, init as RequestInit)
    expect(await pay(link, { card, fetch: through })).toBe(RESULT)
    expect(emulator.orders.get('A-1')?.payments[0]?.cc_mask).toBe('555555******4444')
  })

  it('says why a page cannot be paid on', async () => {
    const { emulator, fetch, url, create } = await openCheckout()
    const card = { cc_number: '4111111111111112', exp_month: '9', exp_year: '99', card_cvv: '123' }
    await expect(pay(url, { card, fetch })).rejects.toThrow(/the card was not accepted: the page says ".*number/)
    await expect(pay(url, { cards: 'declined', fetch } as never)).rejects.toThrow('Did you mean "card"?')
    await expect(pay(url, { threeDSecure: 'failed' as 'fail', fetch })).rejects.toThrow('Unknown threeDSecure "failed"')
    await pay(url, { fetch })
    await expect(pay(url, { fetch })).rejects.toThrow(/cannot be paid on: .* says "success Paid/)
    const other = await create('A-2')
    await expect(pay(other.url, { threeDSecure: 'fail', fetch })).rejects.toThrow("{ card: 'three_d_secure' }")
    emulator.reset()
    await expect(pay(url, { fetch })).rejects.toThrow('No such checkout')
    const loop = async () => Response.redirect('https://shop.example.com/again', 302)
    await expect(pay(url, { fetch: loop })).rejects.toThrow('redirects more than 5 times')
  })
})

// The one in process, and the one over the control API, by whatever fetch.
describe.each(['emulator.deliveries', 'deliveries'] as const)('%s.next', (from) => {
  async function open(options?: EmulatorOptions) {
    const shop = await openCheckout(options)
    const next: typeof deliveries.next = (filter) =>
      from === 'deliveries' ? deliveries.next({ ...filter, fetch: shop.fetch }) : shop.emulator.deliveries.next(filter)
    return { ...shop, next }
  }

  it('waits for a webhook, and the shop has handled it', async () => {
    const { events, fetch, url, next } = await open()
    const waiting = next({ order_id: 'A-1', kind: 'purchase', status: 'success' })
    await pay(url, { card: 'three_d_secure', fetch })
    const { event, order_id, attempts } = await waiting
    expect([order_id, event.status, attempts.at(-1)?.status]).toEqual(['A-1', 'success', 200])
    expect(foldOrder(events).status).toBe('success')
  })

  it('returns each webhook once, in the order in which they came', async () => {
    const { emulator, fetch, url, next } = await open()
    await pay(url, { card: 'three_d_secure', fetch })
    for (let i = 0; i < 2; i++) emulator.control.refundPayment('A-1', 10)
    const both = Promise.all([next({ kind: 'refund' }), next({ kind: 'refund' })])
    expect(new Set((await both).map(({ id }) => id)).size).toBe(2)
    const statuses = [await next({ order_id: 'A-1' }), await next({ order_id: 'A-1' })].map(({ event }) => event.status)
    expect(statuses).toEqual(['pending', 'success'])
    await expect(next({ order_id: 'A-1', timeoutMs: 1 })).rejects.toThrow('each is returned once')
  })

  it('says what came instead when the time is over', async () => {
    const { emulator, fetch, url, next } = await open()
    await expect(next({ kind: 'refund', timeoutMs: 1 })).rejects.toThrow(
      /^No webhook of kind refund came within 1 ms .*No webhook came at all\.$/,
    )
    await pay(url, { card: 'declined', fetch })
    await emulator.deliveries.idle()
    await expect(next({ order_id: 'A-1', kind: 'purchase', status: 'success', timeoutMs: 1_000 })).rejects.toThrow(
      'No webhook of kind purchase with the status success of order "A-1" came within 1000 ms (each is returned once). ' +
        'What came instead: purchase failure of order "A-1" (https://shop.example.com/webhooks: responded 200).',
    )
  })

  it('says at once that the shop failed, and returns the webhook once it has arrived', async () => {
    let broken = true
    const { emulator, fetch, url, next } = await open({
      fetch: async () => new Response(null, { status: broken ? 503 : 200 }),
    })
    await pay(url, { fetch })
    const paid = { order_id: 'A-1', kind: 'purchase' } as const
    await expect(next(paid)).rejects.toThrow(
      /^The webhook purchase success of order "A-1" \(.*: responded 503\).*clock/,
    )
    broken = false
    await emulator.clock.advance({ minutes: 1 })
    expect((await next(paid)).attempts.map(({ status }) => status)).toEqual([503, 200])
  })

  it('knows methods that are not documented as unknown, and what has nowhere to go as arrived', async () => {
    const known = await open()
    known.emulator.faults.next({ kind: 'unknown_method' })
    await pay(known.url, { fetch: known.fetch })
    expect(await known.next({ kind: 'unknown' })).toMatchObject({ order_id: 'A-1' })
    await expect(known.next({ kind: 'purchse' as 'purchase' })).rejects.toThrow('Did you mean "purchase"?')
    const { fetch, url, next } = await open({ webhookUrl: undefined as never })
    await pay(url, { fetch })
    expect(await next({ kind: 'purchase' })).toMatchObject({ order_id: 'A-1', url: null, attempts: [] })
  })
})

it('deliveries.next says where it looked for an emulator', async () => {
  const refused = () => Promise.reject(new TypeError('fetch failed'))
  await expect(deliveries.next({ fetch: refused })).rejects.toThrow(
    /no emulator responds at http:\/\/127.0.0.1:4010\. Start it with `npx edgetill emulator`/,
  )
  const elsewhere = async () => new Response('<h1>Not found</h1>', { status: 404 })
  await expect(deliveries.next({ baseUrl: 'https://pay.example.com', fetch: elsewhere })).rejects.toThrow(
    'https://pay.example.com is not an emulator: it responded 404',
  )
})
