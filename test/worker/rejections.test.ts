import { beforeEach, describe, expect, it } from 'vitest'
import { signWebhook } from '../../src/index.ts'
import { payment } from './support/events.ts'
import { isHostile, KINDS, log, newOrderId, ORIGIN, World, type WorldOptions } from './support/world.ts'

const FORM = 'application/x-www-form-urlencoded'

/** Nothing is stored, and the body is short, plain and says nothing of what was expected. */
async function expectRejection(world: World, responses: Response[], status: number): Promise<void> {
  for (const response of responses) {
    const text = await response.text()
    expect([response.status, text.length < 40, /[{<]/.test(text)]).toEqual([status, true, false])
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  }
  await expectNothingStored(world)
}

async function expectNothingStored(world: World): Promise<void> {
  expect([world.kv.calls.put, world.kv.calls.delete, (await world.stored('')).size]).toEqual([0, 0, 0])
}

function genuine(options: WorldOptions = {}): { data: string; signature: string; body: string; world: World } {
  const world = new World(options)
  return { ...signWebhook(payment(newOrderId()), world.emulator.credentials.apiSecret), world }
}

const form = (fields: string[][]): string => new URLSearchParams(fields).toString()

beforeEach(() => {
  log.length = 0
})

describe('POST /webhooks rejects', () => {
  it('each single changed bit of data and signature', async () => {
    const { data, signature, world } = genuine()
    for (const [name, text] of Object.entries({ data, signature })) {
      for (let position = 0; position < text.length; position += name === 'data' ? 7 : 1) {
        for (let bit = 0; bit < 7; bit++) {
          const letter = String.fromCharCode(text.charCodeAt(position) ^ (1 << bit))
          const changed = text.slice(0, position) + letter + text.slice(position + 1)
          const body = form(Object.entries({ data, signature, [name]: changed }))
          for (const { status } of await world.answers(body))
            expect([name, position, bit, status]).toEqual([name, position, bit, 401])
        }
      }
    }
    await expectNothingStored(world)
  })

  it.each([
    ['too short', (s: string) => s.slice(0, 20)],
    ['too long', (s: string) => `${s}A`],
    ['without its padding', (s: string) => s.replace('=', '')],
    ['in hexadecimal', () => 'a'.repeat(40)],
    ['in the standard alphabet', (s: string) => `+/${s.slice(2)}`],
    ['with a plus that became a space', (s: string) => ` ${s.slice(1)}`],
    ['of Cyrillic letters', () => 'Щ'.repeat(28)],
  ])('a signature %s', async (_, change) => {
    const { data, signature, world } = genuine()
    await expectRejection(
      world,
      await world.answers(
        form([
          ['data', data],
          ['signature', change(signature)],
        ]),
      ),
      401,
    )
  })

  it('the signature of another secret', async () => {
    const { world } = genuine()
    const { body, data, signature } = signWebhook(payment('A-1'), 'another secret')
    await expectRejection(world, await world.answers(body), 401)
    // The merchant reads in the log what the sender is not told; nothing that was received is part of it.
    const warned = log.map(([line]) => String(line))
    // What names an order is a late line of another test.
    const rejected = warned.filter((line) => !line.includes('"order_id":"'))
    expect(rejected.length).toBeGreaterThan(0)
    for (const line of rejected)
      expect(line).toMatch(/^\{"kind":"webhook_rejected","reason":"signature_mismatch",.*same project/)
    expect(warned.join()).not.toMatch(new RegExp([data, signature, world.emulator.credentials.apiSecret].join('|')))
  })

  it('fields that are missing, empty, or there twice', async () => {
    const { data, signature, world } = genuine()
    const bad = [
      [],
      [['data', data]],
      [['signature', signature]],
      [
        ['data', ''],
        ['signature', signature],
      ],
    ]
    const twice = [
      ['data', data],
      ['data', data],
      ['signature', signature],
    ]
    for (const fields of [...bad, twice, [...twice.slice(1), ['signature', signature]]]) {
      await expectRejection(world, await world.answers(form(fields)), 400)
    }
  })

  it('a malformed percent sign, and bytes that are not UTF-8', async () => {
    const { signature, world } = genuine()
    await expectRejection(world, await world.answers(`data=%E0%A4&signature=${signature}`), 401)
    await expectRejection(world, await world.answers(`data=%&signature=%zz${signature}`), 401)
    const bytes = new Uint8Array([...new TextEncoder().encode('data='), 0xff, 0xfe])
    await expectRejection(world, await world.answers(bytes), 400)
  })

  it('JSON, multipart, text, and no content type at all', async () => {
    const { data, signature, body, world } = genuine()
    const multipart = new FormData()
    multipart.set('data', data)
    multipart.set('signature', signature)
    for (const [type, content] of [
      ['application/json', JSON.stringify({ data, signature })],
      ['text/plain', body],
      [`${FORM}x`, body],
      ['', new TextEncoder().encode(body)],
    ] as const) {
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type }
      const request = () => new Request(`${ORIGIN}/webhooks`, { method: 'POST', body: content, headers })
      await expectRejection(world, await world.answers(request), 415)
    }
    const request = () => new Request(`${ORIGIN}/webhooks`, { method: 'POST', body: multipart })
    await expectRejection(world, await world.answers(request), 415)
  })

  it('a huge body, whether it says its length or not', async () => {
    const { world } = genuine()
    await expectRejection(world, await world.answers(`data=${'A'.repeat(65_536)}`), 413)
    let pulled = 0
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          pulled++
          controller.enqueue(new Uint8Array(16_384).fill(65))
        },
      })
    const init = () =>
      ({ method: 'POST', body: endless(), headers: { 'content-type': FORM }, duplex: 'half' }) as RequestInit
    await expectRejection(world, await world.answers(() => new Request(`${ORIGIN}/webhooks`, init())), 413)
    // 8 MB of each are read and dropped, so that the sender sees the response; no more.
    expect(pulled).toBeLessThan(530)
  })

  it('another verb', async () => {
    const { world } = genuine()
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const responses = await world.answers(() => new Request(`${ORIGIN}/webhooks`, { method }))
      for (const { status, headers } of responses) expect([status, headers.get('allow')]).toEqual([405, 'POST'])
    }
  })
})

describe.each(KINDS)('POST /webhooks over %s KV accepts', (kind) => {
  it('a slow body, one byte at a time, with a charset in its type', async () => {
    const { body, world } = genuine({ kind })
    const bytes = new TextEncoder().encode(body)
    const slow = () => {
      let position = 0
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          await new Promise((resolve) => queueMicrotask(() => resolve(undefined)))
          if (position === bytes.length) controller.close()
          else controller.enqueue(bytes.slice(position, ++position))
        },
      })
    }
    const headers = { 'content-type': `${FORM}; charset=UTF-8` }
    const init = () => ({ method: 'POST', body: slow(), headers, duplex: 'half' }) as RequestInit
    await accepted(world, () => world.answers(() => new Request(`${ORIGIN}/webhooks`, init())))
  })

  it('nothing while KV fails: 503, and all is well at the next delivery', async () => {
    for (const message of ['KV PUT failed: 429 Too Many Requests', 'KV PUT failed: 500 Internal Server Error']) {
      const { body, world } = genuine({ kind })
      world.kv.before = (action, key) => {
        if (action === 'put' && key.startsWith('event/')) throw new Error(message)
      }
      for (const response of await world.answers(body))
        expect([response.status, await response.text()]).toEqual([503, 'Try again later'])
      expect((await world.stored('event/')).size).toBe(0)
      world.kv.before = undefined
      await accepted(world, () => world.answers(body))
    }
  })
})

/** Sends until it is acknowledged: at once, where KV does not fail at random. */
async function accepted(world: World, send: () => Promise<Response[]>): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    await world.advance(2_000)
    const [answer] = await send()
    if (isHostile(world.kind) && answer?.status === 503) continue
    expect([answer?.status, await answer?.text()]).toEqual([200, ''])
    expect((await world.stored('event/')).size).toBe(1)
    return
  }
  throw new Error('A genuine webhook was never acknowledged.')
}

describe('the sender check', () => {
  const send = async (env: Record<string, string>, ip?: string): Promise<number> => {
    const world = new World({ env })
    const { body } = signWebhook(payment(newOrderId()), world.emulator.credentials.apiSecret)
    const { status } = await world.post(body, ip === undefined ? {} : { 'cf-connecting-ip': ip })
    expect((await world.stored('event/')).size).toBe(status === 200 ? 1 : 0)
    return status
  }

  it('lets only the configured address pass when it is enforced, the API document’s by default', async () => {
    const enforce = { SENDER_CHECK: 'enforce', SENDER_IP: '' }
    expect(await send(enforce, '35.187.74.148')).toBe(200)
    expect(await send(enforce, '35.187.74.149')).toBe(403)
    expect(await send(enforce)).toBe(403)
    expect(await send({ ...enforce, SENDER_IP: '192.0.2.7' }, '192.0.2.7')).toBe(200)
    expect(await send({ ...enforce, SENDER_IP: '192.0.2.7' }, '35.187.74.148')).toBe(403)
  })

  it('rejects no sender when it is off or only logs', async () => {
    expect(await send({ SENDER_CHECK: 'off' }, '192.0.2.7')).toBe(200)
    expect(await send({ SENDER_CHECK: 'log' }, '192.0.2.7')).toBe(200)
    expect(await send({ SENDER_CHECK: '' })).toBe(200)
  })

  it('is a configuration error when it is misspelt', async () => {
    expect(await send({ SENDER_CHECK: 'enforced' }, '35.187.74.148')).toBe(500)
  })

  it('never replaces the signature', async () => {
    const world = new World({ env: { SENDER_CHECK: 'enforce' } })
    const { body } = signWebhook(payment('A-1'), 'another secret')
    await expectRejection(world, await world.answers(body, { 'cf-connecting-ip': '35.187.74.148' }), 401)
  })
})
