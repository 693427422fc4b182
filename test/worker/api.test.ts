import { describe, expect, it, vi } from 'vitest'
import { sha256Base64url } from '../../src/lib/sha256.ts'
import type { Order } from '../../src/shop/lib/shown-order.ts'
import { payment } from './support/events.ts'
import { ADMIN_TOKEN, World } from './support/world.ts'

const problem = async (response: Response): Promise<[number, string | null, string]> => {
  const { code, status } = (await response.json()) as { code: string; status: number }
  expect(status).toBe(response.status)
  return [status, response.headers.get('content-type'), code]
}
const PROBLEM = 'application/problem+json'

describe('/api', () => {
  it('responds only to the bearer of ADMIN_TOKEN', async () => {
    const world = new World()
    await world.deliver(payment('A-1'))
    const token = ADMIN_TOKEN
    const wrong = ['', 'Bearer', 'Bearer ', `Basic ${token}`, token, `Bearer ${token}x`, `Bearer ${token.slice(1)}`]
    for (const header of [...wrong, `Bearer ${token.toUpperCase()}`, `Bearer ${token} ${token}`]) {
      for (const path of ['/api/orders', '/api/orders/A-1', '/api/balances', '/api/strays', '/api', '/api/nothing']) {
        const { status, headers } = await world.get(path, { authorization: header })
        const asked = headers.get('www-authenticate')
        expect([header, path, status, asked]).toEqual([header, path, 401, 'Bearer realm="edgetill"'])
      }
    }
    expect(await (await world.get('/api/orders')).json()).toMatchObject({
      ...{ code: 'unauthorized', title: 'A bearer token is needed.', detail: expect.stringContaining('ADMIN_TOKEN') },
    })
    for (const header of [`Bearer ${token}`, `bearer  ${token}`]) {
      expect((await world.api('/api/orders/A-1', { headers: { authorization: header } })).status).toBe(200)
    }
  })

  it('compares the token in constant time: the hashes of both, each letter of them, whatever their lengths', async () => {
    const world = new World()
    const compared = vi.spyOn(String.prototype, 'charCodeAt')
    try {
      for (const token of ['x', 'admin-token-of-the-testz', 'y'.repeat(500)]) {
        compared.mockClear()
        await world.api('/api/orders', { headers: { authorization: `Bearer ${token}` } })
        const letters = (text: string) => compared.mock.contexts.filter((one) => String(one) === text).length
        expect([token, ADMIN_TOKEN].map((text) => letters(sha256Base64url(text)))).toEqual([43, 43])
        expect([token, ADMIN_TOKEN].map(letters)).toEqual([0, 0])
      }
    } finally {
      compared.mockRestore()
    }
  })

  it('returns an event as it was received, without the card’s token, and says when it was erased', async () => {
    const world = new World()
    const [cc_token, cc_mask] = ['rcr:token', '411111******1111']
    await world.deliver(payment('A-1', { cc_token, cc_mask, earlier: [{ cc_token }] }))
    const { events } = (await (await world.api('/api/orders/A-1')).json()) as Order
    const read = async () => (await world.api(`/api/orders/A-1/events/${events[0]?.id}`)).text()
    const text = await read()
    expect(text).toContain('411111******1111')
    expect(text).not.toMatch(/rcr:token|erased_at/)
    await world.advance(2_000)
    await world.api('/api/orders/A-1/personal-data', { method: 'DELETE' })
    expect(JSON.parse(await read())).toMatchObject({ received_at: world.time - 2_000, erased_at: world.time })
  })

  it('reads balances', async () => {
    const world = new World()
    const { accounts } = (await (await world.api('/api/balances')).json()) as { accounts: { currency: string }[] }
    expect(accounts.map(({ currency }) => currency)).toContain('UAH')
    const refused = new World({ env: { API_KEY: 'wrong' } })
    expect(await problem(await refused.api('/api/balances'))).toEqual([502, PROBLEM, 'api'])
  })

  it('re-sends, and keeps what the response says like the webhook: in a race with the original, once', async () => {
    const world = new World()
    world.emulator.faults.next({ kind: 'delay', ms: 600_000 }, 9)
    await world.pay(await world.open(await world.link({ order_id: 'A-1' })))
    const unpaid = await world.order('A-1')
    expect(unpaid?.status).toBe(null)
    const init = () => ({ method: 'POST', body: JSON.stringify({ operation: 'purchase' }) })
    const [response] = await Promise.all([world.api('/api/orders/A-1/resend', init()), world.advance(0)])
    expect([response.status, await response.json()]).toMatchObject([200, { order_id: 'A-1', status: 'success' }])
    await world.emulator.deliveries.idle()
    expect((await world.order('A-1'))?.status).toBe('success')
    for (let i = 0; i < 5; i++) await world.advance(3_600_000)
    const successes = (await world.order('A-1'))?.events.filter(({ status }) => status === 'success')
    expect(successes).toHaveLength(1)
  })
})
