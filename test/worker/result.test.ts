import { describe, expect, it } from 'vitest'
import { resultLink } from '../../src/shop/lib/links.ts'
import { payment } from './support/events.ts'
import { linesOf } from './support/log.ts'
import { failing, LINK_SECRET, newOrderId, ORIGIN, World } from './support/world.ts'

/** The result page's address, as the checkout gave it to the service. */
async function checkedOut(world: World, order_id: string, method: 'purchase' | 'auth' = 'purchase') {
  const checkout = await world.open(await world.link({ order_id, method }))
  return { checkout, result: world.emulator.orders.get(order_id)?.payments[0]?.result_url ?? '' }
}

describe('the result page', () => {
  it.each([
    ['purchase', 'Your payment was successful'],
    ['auth', 'reserved'],
  ] as const)('asks the service for a re-send, once, when it takes long: %s', async (method, words) => {
    const world = new World()
    const id = newOrderId()
    const { checkout, result } = await checkedOut(world, id, method)
    world.emulator.faults.next({ kind: 'delay', ms: 3_600_000 }, 9)
    const paid = await world.pay(checkout)
    expect(paid).toBe(result)
    const before = world.emulator.deliveries.length
    let url = result
    for (let looks = 0; looks < 5; looks++) {
      const response = await world.get(url)
      expect(await response.text()).toContain('being confirmed')
      url = /^\d+;url=(.+)$/.exec(response.headers.get('refresh') ?? '')?.[1] ?? ''
      await world.advance(11_000)
    }
    expect(await (await world.get(url)).text()).toContain(words)
    // The re-send is a separate webhook, beside its response.
    expect(world.emulator.deliveries.length - before).toBe(1)
  })

  it('without t, or with another order’s, is neutral and asks for nothing', async () => {
    const world = new World()
    const { result } = await checkedOut(world, 'A-1')
    await world.deliver(payment('A-1'))
    await world.idle()
    const t = new URL(result).searchParams.get('t') ?? ''
    const changed = (t.startsWith('A') ? 'B' : 'A') + t.slice(1)
    const calls = { ...world.kv.calls }
    for (const query of ['', '?t=', `?t=${changed}`, `?t=${t}AA`, '?t=%00', `/../A-2?t=${t}`]) {
      const response = await world.get(`/return/A-1${query}${query ? '&' : '?'}look=9`)
      const page = await response.text()
      expect(page).not.toContain('A-1')
      expect([query, response.status, page.includes('Thank you')]).toEqual([query, 200, true])
    }
    expect(world.kv.calls).toEqual(calls)
    expect(await (await world.get(result)).text()).toContain('Your payment was successful')
  })

  it('is a page to GET when the customer is sent back with a form', async () => {
    const world = new World()
    const { result } = await checkedOut(world, 'a/b')
    const response = await world.fetch(new Request(result, { method: 'POST', body: new URLSearchParams({ x: '1' }) }))
    expect(response.status).toBe(303)
    expect(new URL(response.headers.get('location') ?? '', ORIGIN).href).toBe(result)
  })

  it('asks only once a day, however often it is loaded, and never for an order that is final', async () => {
    let expected = 0
    const world: World = new World({
      fetch: ((input: string, init: RequestInit) => {
        if (input.includes('callback=true')) expected++
        return world.emulator.fetch(input, init)
      }) as typeof fetch,
    })
    const { result } = await checkedOut(world, 'A-1')
    await world.fetch(new Request(`${result}&look=9`, { method: 'HEAD' }))
    expect(expected).toBe(0)
    const looked = { '': [3, 1], '&look=x': [3, 1], '&look=10': [10, 11], '&look=10000': [3, 1] }
    for (const [looks, [seconds, next]] of Object.entries(looked)) {
      const { headers } = await world.fetch(new Request(result + looks, { method: 'HEAD' }))
      expect(headers.get('refresh')).toBe(`${seconds};url=${result.replace(ORIGIN, '')}&look=${next}`)
    }
    for (let look = 0; look < 40; look++) {
      await world.get(`${result}&look=${look}`)
      await world.advance(2_000)
      expect(expected).toBe(look < 5 ? 0 : 1)
    }
    await world.advance(121_000)
    const before = expected
    await world.get(`${result}&look=9`)
    await world.advance(3_600_000)
    await world.get(`${result}&look=9`)
    expect(expected).toBe(before)
    await world.deliver(payment('A-1'))
    await world.advance(25 * 3_600_000)
    await world.get(`${result}&look=9`)
    expect(expected).toBe(before)
    // No checkout says by which method.
    await world.deliver(payment('B-1', { status: 'pending' }))
    await world.get(`${await resultLink(ORIGIN, 'B-1', LINK_SECRET)}&look=9`)
    expect(expected).toBe(before + 1)
  })

  it('stays a page when the service and KV fail', async () => {
    const world = new World()
    const order_id = newOrderId()
    const { result } = await checkedOut(world, order_id)
    world.emulator.faults.next({ kind: 'server_error' }, 9)
    const response = await world.get(`${result}&look=5`)
    expect([response.status, (await response.text()).includes('being confirmed')]).toEqual([200, true])
    const line = { kind: 'result_not_polled', order_id, error: 'ApiError', code: 'api', status: 503 }
    expect(linesOf(order_id)).toEqual([line])
    world.kv.before = failing()
    // A gate has what the page needs in its own storage.
    expect((await world.get(result)).status).toBe(200)
  })
})

describe('every page', () => {
  const NASTY = `<img>"'&\r\nSet-Cookie: a=b`

  it('escapes every field that it shows', async () => {
    const world = new World()
    const { result } = await checkedOut(world, NASTY)
    for (const currency of ['UAH', '<b>"']) {
      await world.deliver(payment(NASTY, { currency, status: currency === 'UAH' ? 'pending' : 'success' }))
      const response = await world.get(result)
      const page = await response.text()
      expect(page).not.toMatch(/<img|<b>|"'&\r/)
      expect(page).toContain('&lt;img')
      expect(response.headers.get('set-cookie')).toBeNull()
    }
  })
})
