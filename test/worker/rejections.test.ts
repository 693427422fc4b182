// `POST /webhooks` rejects these, and stores nothing of them. test/webhooks has what makes a webhook genuine.
import { beforeEach, describe, expect, it } from 'vitest'
import { signWebhook } from '../../src/webhooks/index.ts'
import { payment } from './support/events.ts'
import { KINDS, log, newOrderId, ORIGIN, World, type WorldOptions } from './support/world.ts'

const FORM = 'application/x-www-form-urlencoded'

/** Nothing is stored, and the body is short, plain and says nothing of what was expected. */
async function expectRejection(world: World, responses: Response[], status: number): Promise<void> {
  for (const response of responses) {
    const text = await response.text()
    expect([response.status, text.length < 40, /[{<]/.test(text)]).toEqual([status, true, false])
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  }
  expect([world.kv.calls.put, world.kv.calls.delete, (await world.stored('')).size]).toEqual([0, 0, 0])
}

function genuine(options: WorldOptions = {}): { data: string; signature: string; body: string; world: World } {
  const world = new World(options)
  return { ...signWebhook(payment(newOrderId()), world.emulator.credentials.apiSecret), world }
}

beforeEach(() => {
  log.length = 0
})

describe('POST /webhooks rejects', () => {
  it('the signature of another secret; the log says why, and nothing that was received', async () => {
    const { world } = genuine()
    const { body, data, signature } = signWebhook(payment('A-1'), 'another secret')
    await expectRejection(world, await world.answers(body), 401)
    const warned = log.map(([line]) => String(line))
    // A line that names an order is a late one of another test.
    const rejected = warned.filter((line) => !line.includes('"order_id":"'))
    expect(rejected.length).toBeGreaterThan(0)
    for (const line of rejected)
      expect(line).toMatch(/^\{"kind":"webhook_rejected","reason":"signature_mismatch",.*same project/)
    expect(warned.join()).not.toMatch(new RegExp([data, signature, world.emulator.credentials.apiSecret].join('|')))
  })

  it('another content type, another verb, and a huge body, whether it says its length or not', async () => {
    const { data, signature, world } = genuine()
    const send = (init: object) => world.answers(() => new Request(`${ORIGIN}/webhooks`, { method: 'POST', ...init }))
    const json = { body: JSON.stringify({ data, signature }), headers: { 'content-type': 'application/json' } }
    await expectRejection(world, await send(json), 415)
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const responses = await send({ method })
      for (const { status, headers } of responses) expect([status, headers.get('allow')]).toEqual([405, 'POST'])
    }
    await expectRejection(world, await world.answers(`data=${'A'.repeat(65_536)}`), 413)
    let pulled = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(16_384).fill(65))
      },
    })
    await expectRejection(world, await send({ body, headers: { 'content-type': FORM }, duplex: 'half' }), 413)
    // 8 MB are read and dropped, so that the sender sees the response; no more.
    expect(pulled).toBeLessThan(530)
  })

  it('a body that breaks off, about which the shop can do nothing: no line in the log', async () => {
    const { world } = genuine()
    const breaks = () => new ReadableStream({ pull: (controller) => controller.error(new TypeError('reset')) })
    const send = () =>
      new Request(`${ORIGIN}/webhooks`, {
        ...{ method: 'POST', headers: { 'content-type': FORM }, body: breaks(), duplex: 'half' },
      } as RequestInit)
    await expectRejection(world, await world.answers(send), 400)
    expect(log.flat().filter((line) => String(line).includes('"webhook_'))).toEqual([])
  })
})

describe.each(KINDS)('POST /webhooks over %s KV accepts', (kind) => {
  it('nothing while KV fails: 503, and all is well at the next delivery', async () => {
    for (const message of ['KV PUT failed: 429 Too Many Requests', 'KV PUT failed: 500 Internal Server Error']) {
      const { body, world } = genuine({ kind })
      world.kv.before = (action, key) => {
        if (action === 'put' && key.startsWith('event/')) throw new Error(message)
      }
      for (const response of await world.answers(body))
        expect([response.status, await response.text()]).toEqual([503, 'Try again later'])
      const line = { kind: 'webhook_not_stored', too_soon: message.includes('429'), error: 'StorageError' }
      if (kind === 'strict') expect(log.flat()).toContain(JSON.stringify(line))
      expect(await world.keys('event/')).toEqual([])
      world.kv.before = undefined
      await world.deliver(payment(newOrderId()))
      expect(await world.keys('event/')).toHaveLength(1)
    }
  })
})

describe('the sender check', () => {
  const send = async (env: Record<string, string>, ip?: string): Promise<number> => {
    const world = new World({ env })
    const body = world.signed(payment(newOrderId()))
    const { status } = await world.post(body, ip === undefined ? {} : { 'cf-connecting-ip': ip })
    expect(await world.keys('event/')).toHaveLength(status === 200 ? 1 : 0)
    return status
  }

  it('lets only the configured address pass when it is enforced, the API document’s by default', async () => {
    const enforce = { SENDER_CHECK: 'enforce', SENDER_IP: '' }
    expect(await send(enforce, '35.187.74.148')).toBe(200)
    expect(await send(enforce, '35.187.74.149')).toBe(403)
    expect(log.flat()).toContain('{"kind":"foreign_sender","sender":"35.187.74.149","rejected":true}')
    expect(await send(enforce)).toBe(403)
    expect(await send({ ...enforce, SENDER_IP: '192.0.2.7' }, '192.0.2.7')).toBe(200)
    expect(await send({ ...enforce, SENDER_IP: '192.0.2.7' }, '35.187.74.148')).toBe(403)
  })

  it('rejects no sender when it is off or only logs, and never replaces the signature', async () => {
    expect(await send({ SENDER_CHECK: 'off' }, '192.0.2.7')).toBe(200)
    expect(await send({ SENDER_CHECK: 'log' }, '192.0.2.7')).toBe(200)
    expect(log.flat().join()).toContain('"kind":"foreign_sender","sender":"192.0.2.7","rejected":false')
    expect(await send({ SENDER_CHECK: '' })).toBe(200)
    expect(await send({ SENDER_CHECK: 'enforced' }, '35.187.74.148')).toBe(500)
    const world = new World({ env: { SENDER_CHECK: 'enforce' } })
    const { body } = signWebhook(payment('A-1'), 'another secret')
    await expectRejection(world, await world.answers(body, { 'cf-connecting-ip': '35.187.74.148' }), 401)
  })
})
