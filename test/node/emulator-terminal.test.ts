import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { activityLine } from '../../src/cli/terminal/activity-lines.ts'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { direct, plain } from '../emulator/call.ts'
import { freePort } from './support/free-port.ts'
import { type Running, start } from './support/process.ts'

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0)) await end()
})

/** The address of a server that accepts connections and does with them what `handle` says. */
async function receiver(handle: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handle as never)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ending.push(() => {
    server.closeAllConnections()
    return new Promise((done) => server.close(done))
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function served(...words: string[]): Promise<{ run: Running; origin: string }> {
  const run = start('src/cli/main.ts', 'emulator', '--port', '0', ...words)
  let ended = false
  run.finished.then(() => {
    ended = true
  })
  ending.push(() => ended || run.stop('SIGKILL'))
  await run.seen(words.includes('--json') ? '"type":"start"' : 'Ctrl-C stops it.')
  return { run, origin: /http:\/\/127\.0\.0\.1:\d+/.exec(run.output())?.[0] ?? '' }
}

const defaults = createEmulator()

function pay(origin: string, order_id: string, server_url: string, more: Record<string, unknown> = {}) {
  return fetch(`${origin}/api/v1/payment`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...plain(defaults) },
    body: JSON.stringify(direct(defaults, { order_id, server_url, ...more })),
  })
}

describe('the cause of a failed webhook, on Node', () => {
  const causeOf = async (emulator: Emulator) => {
    emulator.control.createPayment({ method: 'credit', order_id: 'C', amount: 1, currency: 'UAH' })
    await emulator.deliveries.idle()
    return emulator.deliveries[0]?.attempts[0]?.error
  }

  it('names the address that refused the connection', async () => {
    const host = `127.0.0.1:${await freePort()}`
    expect(await causeOf(createEmulator({ webhookUrl: `http://${host}/w` }))).toBe(`ECONNREFUSED ${host}`)
  })

  it('names TLS to a plain port, a closed connection, a blocked port and a receiver that never responds', async () => {
    const plainHttp = await receiver((_, response) => response.end())
    expect(await causeOf(createEmulator({ webhookUrl: `https://${plainHttp}/` }))).toMatch(/SSL|TLS|EPROTO/)
    const closing = await receiver((request) => request.socket.destroy())
    expect(await causeOf(createEmulator({ webhookUrl: `http://${closing}/` }))).toMatch(/UND_ERR_SOCKET|ECONNRESET/)
    expect(await causeOf(createEmulator({ webhookUrl: 'http://127.0.0.1:6000/' }))).toMatch(/^bad port/)
    const silent = await receiver(() => {})
    const patient = createEmulator({ webhookUrl: `http://${silent}/`, webhookTimeoutMs: 50 })
    expect(await causeOf(patient)).toBe('no response within 0.05 s')
  })
})

describe('the terminal of edgetill emulator', () => {
  it('has a line for each request, webhook and fault, and says why something failed', async () => {
    const { run, origin } = await served()
    const up = await receiver((_, response) => response.end())
    const down = `127.0.0.1:${await freePort()}`
    await pay(origin, 'T-1', `http://${up}/hook`)
    await run.seen(`  T-1  emulator-delivery-1  -> http://${up}/hook`)
    await run.seen('  T-1  emulator-request-1')
    await pay(origin, 'T-2', `http://${down}/hook`)
    await run.seen(`-> http://${down}/hook: ECONNREFUSED ${down}; next attempt `)
    await pay(origin, 'T-3', `http://${up}/hook`, { amount: -1 })
    await run.seen('T-3  emulator-request-3  Invalid parameters: amount must be a positive number')
    await fetch(`${origin}/_emulator/api/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"next":{"kind":"reset","when":"after_commit"}}',
    })
    await expect(pay(origin, 'T-4', `http://${up}/hook`)).rejects.toThrow()
    await run.seen('fault reset when=after_commit fired on create-payment  T-4')
    await run.seen('T-4  emulator-request-5  the connection was broken on purpose')
    await pay(origin, 'T-5', `http://${up}/hook`, { order_3ds_bypass: 'xyz' })
    await run.seen('T-5  emulator-request-6  works here, may be rejected there: order_3ds_bypass')
    const lines = run.output().split('Ctrl-C stops it.')[1]
    expect(lines).not.toMatch(/4111111111111111|emulator-api-secret|undefined|\[object/)
  })

  it('--json prints each as an object, from start to stop', async () => {
    const { run, origin } = await served('--json')
    await pay(origin, 'J-1', '', { amount: -1 })
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

  it('--quiet prints neither requests nor webhooks', async () => {
    const { run, origin } = await served('--quiet')
    const response = await pay(origin, 'Q-1', `http://127.0.0.1:${await freePort()}/`)
    expect(response.status).toBe(200)
    run.stop('SIGTERM')
    const { output, code } = await run.finished
    expect([code, output.includes('Q-1')]).toEqual([0, false])
  })

  it('stops at once while a webhook waits for its receiver', async () => {
    const { run, origin } = await served()
    let arrived = (): void => {}
    const waiting = new Promise<void>((done) => {
      arrived = done
    })
    const silent = await receiver(() => arrived())
    await pay(origin, 'S-1', `http://${silent}/`)
    await waiting
    const since = Date.now()
    run.stop('SIGTERM')
    expect((await run.finished).code).toBe(0)
    // A delivery times out after 10 s.
    expect(Date.now() - since).toBeLessThan(5000)
  })
})

describe('a line of the terminal', () => {
  const at = '2026-01-31T10:00:00.000'

  it('shows a mistake of the emulator with its stack', () => {
    expect(activityLine({ type: 'error', at, id: null, stack: 'RangeError: x\n    at one\n    at two' })).toBe(
      '10:00:00  internal error\nRangeError: x\n    at one\n    at two',
    )
  })

  it('lets nothing out of a request move the cursor or forge a line', () => {
    const order_id = 'A\n10:00:00  POST\u001b[2J\u202e'
    const request = {
      type: 'request',
      at,
      id: '1',
      method: 'GET',
      path: '/',
      operation: null,
      order_id,
      ms: 3,
    } as const
    const line = activityLine({ ...request, status: 200, reason: null })
    expect(line).toMatch(/^10:00:00 {2}200 +3 ms {2}GET \/ +A\\u000a10:00:00 {2}POST\\u001b\[2J\\u202e {2}1$/)
    const plainLine = activityLine({ ...request, order_id: 'A-1', status: 503, reason: 'why' })
    const coloured = activityLine(
      { ...request, order_id: 'A-1', status: 503, reason: 'why' },
      (_, text) => `\u001b[31m${text}\u001b[0m`,
    )
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
    expect(coloured.replaceAll(/\u001b\[\d+m/g, '')).toBe(plainLine)
    expect(coloured).toContain('\u001b[31m503 \u001b[0m')
  })
})
