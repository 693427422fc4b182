import { createServer, type RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../src/emulator/index.ts'
import type { Json } from '../emulator/call.ts'
import { payAt, startEmulator } from './support/emulator-process.ts'
import { listen } from './support/fixtures.ts'
import { freePort } from './support/free-port.ts'
import { start } from './support/process.ts'

/** The address of a server that accepts connections and does with them what `handle` says. */
const receiver = async (handle: RequestListener): Promise<string> => new URL(await listen(createServer(handle))).host

async function served(...words: string[]) {
  const { run, origins } = await startEmulator(...words)
  const pay = (order_id: string, server_url: string, more: Json = {}) =>
    payAt(origins[0], { order_id, server_url, ...more })
  return { run, origin: origins[0], pay }
}

const causeOf = async (webhookUrl: string, options: EmulatorOptions = {}) => {
  const emulator = createEmulator({ webhookUrl, ...options })
  emulator.control.createPayment({ method: 'credit', order_id: 'C', amount: 1, currency: 'UAH' })
  await emulator.deliveries.idle()
  return emulator.deliveries[0]?.attempts[0]?.error
}

it('the cause of a failed webhook names TLS to a plain port, a closed connection, a blocked port and a receiver that never responds', async () => {
  const plainHttp = await receiver((_, response) => response.end())
  expect(await causeOf(`https://${plainHttp}/`)).toMatch(/SSL|TLS|EPROTO/)
  const closing = await receiver((request) => request.socket.destroy())
  expect(await causeOf(`http://${closing}/`)).toMatch(/UND_ERR_SOCKET|ECONNRESET/)
  expect(await causeOf('http://127.0.0.1:6000/')).toMatch(/^bad port/)
  const silent = await receiver(() => {})
  expect(await causeOf(`http://${silent}/`, { webhookTimeoutMs: 50 })).toBe('no response within 0.05 s')
})

describe('the terminal of edgetill emulator', () => {
  it('has a line for each request, webhook and fault, and says why something failed', async () => {
    const { run, origin, pay } = await served()
    const up = await receiver((_, response) => response.end())
    const down = `127.0.0.1:${await freePort()}`
    await pay('T-1', `http://${up}/hook`)
    await run.seen(`  T-1  emulator-delivery-1  -> http://${up}/hook`)
    await run.seen('  T-1  emulator-request-1')
    await pay('T-2', `http://${down}/hook`)
    await run.seen(`-> http://${down}/hook: ECONNREFUSED ${down}; next attempt `)
    await pay('T-3', `http://${up}/hook`, { amount: -1 })
    await run.seen('T-3  emulator-request-3  Invalid parameters: amount must be a positive number')
    const fault = '{"next":{"kind":"reset","when":"after_commit"}}'
    await fetch(`${origin}/_emulator/api/faults`, { method: 'POST', body: fault })
    await run.seen(`emulator-request-4  ${fault}`)
    expect(run.output()).toMatch(/^\d\d-\d\d \d\d:\d\d:\d\d {2}200 .*faults/m)
    await expect(pay('T-4', `http://${up}/hook`)).rejects.toThrow()
    await run.seen('fault reset when=after_commit fired on create-payment  T-4')
    await run.seen('T-4  emulator-request-5  the connection was broken on purpose')
    await pay('T-5', `http://${up}/hook`, { order_3ds_bypass: 'xyz' })
    await run.seen('T-5  emulator-request-6  works here, may be rejected there: order_3ds_bypass')
    const lines = run.output().split('Ctrl-C stops it.')[1]
    expect(lines).not.toMatch(/4111111111111111|emulator-api-secret|undefined|\[object/)
  })

  it('--json prints each as an object, from start to stop', async () => {
    const { run, origin, pay } = await served('--json')
    await pay('J-1', '', { amount: -1 })
    await run.seen('"request"')
    run.stop('SIGTERM')
    const { output } = await run.finished
    const events = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(events).toMatchObject([
      { type: 'start', baseUrl: origin, overview: `${origin}/_emulator` },
      { type: 'request', order_id: 'J-1', status: 400, operation: 'create-payment' },
      { type: 'stop' },
    ])
  })

  it('--quiet prints nothing, and stops at once while a webhook waits', async () => {
    const port = String(await freePort())
    const run = start('src/cli/main.ts', 'emulator', '--quiet', '--port', port, '--webhook-timeout', '10m')
    const origin = `http://127.0.0.1:${port}`
    const isUp = async () => (await fetch(`${origin}/_emulator/health`).catch(() => undefined))?.ok
    await expect.poll(isUp).toBe(true)
    const pay = (order_id: string, server_url: string) => payAt(origin, { order_id, server_url })
    const { promise: waiting, resolve: arrived } = Promise.withResolvers<void>()
    const silent = await receiver(() => arrived())
    await pay('S-1', `http://${silent}/`)
    await waiting
    run.stop('SIGTERM')
    const { code, output } = await run.finished
    expect([code, output]).toEqual([0, ''])
  })
})
