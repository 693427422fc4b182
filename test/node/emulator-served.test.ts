import { once } from 'node:events'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { direct, plain } from '../emulator/call.ts'
import { eventually } from '../support/eventually.ts'
import { serveNewEmulator } from './support/fixtures.ts'

it('over HTTP on Node, a raw client sees a reset and not one byte', async () => {
  const { emulator } = await serveNewEmulator()
  emulator.faults.next({ kind: 'reset', when: 'before_commit' })
  const socket = connect(Number(new URL(emulator.credentials.baseUrl).port), '127.0.0.1')
  socket.resume()
  const headers = Object.entries(plain(emulator)).map(([name, value]) => `${name}: ${value}\r\n`)
  const json = 'Content-Type: application/json\r\nContent-Length: 0\r\n'
  socket.write(`POST /api/v1/payment HTTP/1.1\r\nHost: x\r\n${headers.join('')}${json}\r\n`)
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
  expect([error.code, socket.bytesRead]).toEqual(['ECONNRESET', 0])
})

describe('the control API of a served emulator', () => {
  /** The response to a request, whatever it names as its host. */
  async function ask(port: number, line: string, host: string): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    socket.write(`${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    return String(Buffer.concat(await socket.toArray()))
  }

  it('is there, for HEAD too, but not under another name', async () => {
    const { emulator, origin } = await serveNewEmulator()
    const head = await fetch(`${origin}/_emulator`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const page = await ask(Number(new URL(emulator.credentials.baseUrl).port), 'GET /_emulator', 'evil.example')
    expect(page).toMatch(/^HTTP\/1\.1 403 [\s\S]*--origin http:\/\/evil\.example/)
  })

  it('keeps time: what falls due happens without a request', async () => {
    const options = { webhookUrl: 'http://127.0.0.1:1/', retryDelaysMs: [1] }
    const { emulator } = await serveNewEmulator(options)
    emulator.control.createPayment({ method: 'credit', order_id: 'C', amount: 1, currency: 'UAH' })
    const { deliveries } = emulator
    await expect.poll(() => deliveries[0]?.attempts.length).toBe(2)
    // The receiver is not there.
    expect(deliveries[0]?.attempts).toMatchObject([{ error: expect.any(String) }, { error: expect.any(String) }])
  })

  it('survives the end of its time', async () => {
    const timers = vi.spyOn(globalThis, 'setInterval')
    const { emulator, origin } = await serveNewEmulator()
    const tick = timers.mock.calls.find(([, ms]) => ms === 1000)?.[0] as () => void
    timers.mockRestore()
    const seen: unknown[] = []
    const listen = (error: unknown) => seen.push(error)
    process.on('unhandledRejection', listen)
    let before = emulator.clock.now()
    while (before < Date.UTC(9998, 0, 1)) {
      before = Math.min(before + 29 * 365 * 86_400_000, Date.UTC(9998, 11, 31, 23, 59, 59, 999))
      await emulator.clock.set(before)
    }
    await expect(emulator.clock.advance({ seconds: 1 })).rejects.toThrow('9998')
    tick()
    for (let turn = 0; turn < 10; turn++) await new Promise((done) => setImmediate(done))
    process.off('unhandledRejection', listen)
    expect(seen).toEqual([])
    expect((await fetch(`${origin}/_emulator/api/clock`)).status).toBe(200)
  })

  it.each([
    ['OPTIONS *', 'x'],
    ['TRACE /', 'x'],
    ['GET /', '127.0.0.1@evil.test'],
    ['GET /', 'a:b:c'],
    ['GET /', '[::1'],
  ])('%s with Host: %s is a bad request, not an internal error', async (line, host) => {
    const { emulator } = await serveNewEmulator()
    expect(await ask(Number(new URL(emulator.credentials.baseUrl).port), line, host)).toMatch(/^HTTP\/1\.1 400 /)
  })
})

it('rejects 20 MB with a response, and counts real time, whatever the clock does', async () => {
  const { emulator, origin } = await serveNewEmulator()
  const sent = await fetch(`${origin}/api/v1/payment`, { method: 'POST', body: new Uint8Array(20 * 1024 * 1024) })
  expect([sent.status, await sent.text()]).toEqual([413, expect.stringContaining('8 MiB')])
  await fetch(`${origin}/_emulator/api/clock`, { method: 'POST', body: '{"months":4}' })
  expect(emulator.requests().at(-1)?.ms).toBeLessThan(60_000)
})

it('gives a request up when its caller does, although the garbage was collected meanwhile', async () => {
  const emulator = createEmulator()
  emulator.faults.next({ kind: 'no_response' })
  const gaveUp = new AbortController()
  const headers = { 'content-type': 'application/json', ...plain(emulator) }
  const body = JSON.stringify(direct(emulator, { order_id: 'A-1' }))
  const url = `${emulator.credentials.baseUrl}/api/v1/payment`
  let rejected: unknown
  // Nothing here holds the promise: it has to live by itself.
  const keep = (error: unknown) => (rejected = error)
  void emulator.fetch(url, { method: 'POST', headers, body, signal: gaveUp.signal }).catch(keep)
  await eventually(() => expect(emulator.requests()[0]?.faults).toHaveLength(1))
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  // The last turn holds its objects until its end.
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
  }
  gaveUp.abort()
  await eventually(() => expect(rejected).toMatchObject({ name: 'AbortError' }))
})
