import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { serveEmulator as serveEmulatorWithClock } from '../../src/cli/service/serve-emulator.ts'
import { type Served, serveOnNode } from '../../src/cli/service/serve-node.ts'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { direct, plain } from '../emulator/call.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const served of open.splice(0)) await served.close()
})

async function serve(fetch: Parameters<typeof serveOnNode>[0]): Promise<Served> {
  const served = await serveOnNode(fetch)
  open.push(served)
  return served
}

async function serveEmulator(): Promise<Emulator> {
  let emulator: Emulator | undefined
  const { origin } = await serve((request) => emulator?.fetch(request) ?? new Response(null, { status: 503 }))
  emulator = createEmulator({ origin })
  return emulator
}

const pay = (emulator: Emulator, order_id: string) =>
  fetch(`${emulator.credentials.baseUrl}/api/v1/payment`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...plain(emulator) },
    body: JSON.stringify(direct(emulator, { order_id, server_url: undefined })),
  })

describe('the emulator over HTTP on Node', () => {
  it('responds the same as in process', async () => {
    const emulator = await serveEmulator()
    const response = await pay(emulator, 'A-1')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await response.json()).toMatchObject({ order_id: 'A-1', status: 'success' })
    const { baseUrl, posId } = emulator.credentials
    const again = await fetch(`${baseUrl}/api/v1/pos/${posId}/orders/A-1/purchase?callback=true`, {
      headers: plain(emulator),
    })
    expect(again.status).toBe(200)
    const head = await fetch(`${baseUrl}/_emulator`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('breaks the connection before and after the request is executed', async () => {
    const emulator = await serveEmulator()
    for (const when of ['before_commit', 'after_commit'] as const) {
      emulator.faults.next({ kind: 'reset', when })
      await expect(pay(emulator, when)).rejects.toMatchObject({
        cause: { code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) },
      })
    }
    expect(emulator.orders.list().map(({ order_id }) => order_id)).toEqual(['after_commit'])
  })

  it('a raw client sees a reset and not one byte', async () => {
    const emulator = await serveEmulator()
    emulator.faults.next({ kind: 'reset', when: 'before_commit' })
    const socket = connect(Number(new URL(emulator.credentials.baseUrl).port), '127.0.0.1')
    let bytes = 0
    socket.on('data', (data) => {
      bytes += data.length
    })
    const headers = Object.entries(plain(emulator)).map(([name, value]) => `${name}: ${value}\r\n`)
    const json = 'Content-Type: application/json\r\nContent-Length: 0\r\n'
    socket.write(`POST /api/v1/payment HTTP/1.1\r\nHost: x\r\n${headers.join('')}${json}\r\n`)
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
    expect([error.code, bytes]).toEqual(['ECONNRESET', 0])
  })

  it('delivers webhooks to a real server', async () => {
    const bodies: string[] = []
    const receiver = createServer((request, response) => {
      let body = ''
      request.on('data', (part) => {
        body += part
      })
      request.on('end', () => {
        bodies.push(body)
        response.end()
      })
    })
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
    open.push({ close: () => new Promise((done) => receiver.close(() => done())) })
    const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    const emulator = createEmulator({ webhookUrl })
    await emulator.fetch(`${emulator.credentials.baseUrl}/api/v1/payment`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...plain(emulator) },
      body: JSON.stringify(direct(emulator, { server_url: undefined })),
    })
    await emulator.deliveries.idle()
    receiver.closeAllConnections()
    expect(bodies).toEqual([emulator.deliveries[0]?.body])
    expect(emulator.deliveries[0]?.attempts).toMatchObject([{ status: 200 }])
  })

  it('a receiver that is not there is an attempt with an error, and is tried again', async () => {
    const emulator = createEmulator({ webhookUrl: 'http://127.0.0.1:1/', retryDelaysMs: [1000] })
    emulator.control.createPayment({ method: 'credit', order_id: 'C', amount: 1, currency: 'UAH' })
    await emulator.deliveries.idle()
    await emulator.clock.advance({ seconds: 2 })
    expect(emulator.deliveries[0]?.attempts).toMatchObject([
      { error: expect.any(String) },
      { error: expect.any(String) },
    ])
  })
})

describe('the control API of a served emulator', () => {
  const ask = (port: number, host: string, path = '/_emulator/api/clock'): Promise<string> =>
    new Promise((done) => {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      socket.on('data', (data) => {
        text += String(data)
      })
      socket.on('close', () => done(text))
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    })

  it('is there under its own host and on loopback, and under no other name', async () => {
    const { credentials } = await serveEmulator()
    const port = Number(new URL(credentials.baseUrl).port)
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      expect(await ask(port, host)).toMatch(/^HTTP\/1\.1 200 /)
    }
    const rebound = await ask(port, 'evil.example')
    expect(rebound).toMatch(/^HTTP\/1\.1 403 /)
    expect(rebound).toContain('--origin http://evil.example')
    const page = await ask(port, 'evil.example', '/_emulator')
    expect(page).toMatch(/^HTTP\/1\.1 403 /)
    expect(page).not.toContain(credentials.apiSecret)
  })

  it('keeps time: what falls due happens without a request', async () => {
    const served = await serveEmulatorWithClock({ port: 0 }, { webhookUrl: 'http://127.0.0.1:1/', retryDelaysMs: [1] })
    open.push(served)
    served.emulator.control.createPayment({ method: 'credit', order_id: 'C', amount: 1, currency: 'UAH' })
    const { deliveries } = served.emulator
    await expect.poll(() => deliveries[0]?.attempts.length, { timeout: 10_000 }).toBe(2)
  })

  it('survives the end of its time', async () => {
    const timers = vi.spyOn(globalThis, 'setInterval')
    const served = await serveEmulatorWithClock({ port: 0 }, {})
    open.push(served)
    const tick = timers.mock.calls.find(([, ms]) => ms === 1000)?.[0] as () => void
    timers.mockRestore()
    const seen: unknown[] = []
    const listen = (error: unknown) => seen.push(error)
    process.on('unhandledRejection', listen)
    let before = served.emulator.clock.now()
    while (before < Date.UTC(9998, 0, 1)) {
      before = Math.min(before + 29 * 365 * 86_400_000, Date.UTC(9998, 11, 31, 23, 59, 59, 999))
      await served.emulator.clock.set(before)
    }
    await expect(served.emulator.clock.advance({ seconds: 1 })).rejects.toThrow('9998')
    tick()
    await new Promise((done) => setImmediate(done))
    process.off('unhandledRejection', listen)
    expect(seen).toEqual([])
    expect((await fetch(`${served.origin}/_emulator/api/clock`)).status).toBe(200)
  })

  it.each(['OPTIONS * HTTP/1.1', 'TRACE / HTTP/1.1'])('%s is a bad request, not an internal error', async (line) => {
    const { credentials } = await serveEmulator()
    const socket = connect(Number(new URL(credentials.baseUrl).port), '127.0.0.1')
    socket.write(`${line}\r\nHost: x\r\nConnection: close\r\n\r\n`)
    const [data] = (await once(socket, 'data')) as [Buffer]
    expect(String(data)).toMatch(/^HTTP\/1\.1 400 /)
  })
})

describe('serveOnNode', () => {
  it('carries bytes both ways unchanged', async () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256)
    const { origin } = await serve(async (request) => new Response(await request.arrayBuffer()))
    const response = await fetch(origin, { method: 'POST', body: bytes })
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
  })

  it('streams: the first piece arrives before the last is made', async () => {
    let finish: () => void = () => {}
    const { origin } = await serve(
      () =>
        new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode('first'))
              finish = () => {
                controller.enqueue(new TextEncoder().encode('last'))
                controller.close()
              }
            },
          }),
        ),
    )
    const response = await fetch(origin)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect(await reader?.read()).toEqual({ done: false, value: 'first' })
    finish()
    expect(await reader?.read()).toEqual({ done: false, value: 'last' })
    expect((await reader?.read())?.done).toBe(true)
  })

  it('keeps status, several cookies and empty bodies', async () => {
    const { origin } = await serve(() => {
      const headers = new Headers({ location: '/there' })
      headers.append('set-cookie', 'a=1')
      headers.append('set-cookie', 'b=2')
      return new Response(null, { status: 303, headers })
    })
    const response = await fetch(origin, { redirect: 'manual' })
    expect([response.status, response.headers.get('location'), await response.text()]).toEqual([303, '/there', ''])
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it('a throw is a plain 500 that reveals nothing', async () => {
    const { origin } = await serve(() => {
      throw new Error('a secret')
    })
    const response = await fetch(origin)
    expect([response.status, await response.text()]).toEqual([500, 'Internal error\n'])
  })

  it('rejects when the port is taken', async () => {
    const { port } = await serve(() => new Response())
    await expect(serveOnNode(() => new Response(), { port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('close ends connections that are open', async () => {
    const served = await serveOnNode(() => new Response(new ReadableStream()))
    const response = await fetch(served.origin)
    const reading = expect(response.text()).rejects.toThrow()
    await served.close()
    await reading
  })
})

it('gives a request up when its caller does, although the garbage was collected meanwhile', async () => {
  const emulator = createEmulator()
  emulator.faults.next({ kind: 'no_response' })
  const gaveUp = new AbortController()
  let rejected: unknown
  emulator
    .fetch(`${emulator.credentials.baseUrl}/api/v1/payment`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...plain(emulator) },
      body: JSON.stringify(direct(emulator, { order_id: 'A-1' })),
      signal: gaveUp.signal,
    })
    .catch((error: unknown) => {
      rejected = error
    })
  await vi.waitFor(() => expect(emulator.requests[0]?.faults).toHaveLength(1))
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  // What the last turn has used is held until its end.
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
  }
  gaveUp.abort()
  await vi.waitFor(() => expect(rejected).toMatchObject({ name: 'AbortError' }))
})
