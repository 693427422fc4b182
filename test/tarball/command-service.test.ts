import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ServedEmulator, serveEmulator } from '../../src/cli/service/serve-emulator.ts'
import { serveOnNode } from '../../src/cli/service/serve-node.ts'
import { pay } from '../../src/testing/index.ts'
import { CANARIES, type CommandOptions, RUNTIMES, type Runtime, run as runCommand, start } from './support/command.ts'

// Each verb that talks to the service, as a process of the packed package, against an emulator that is served on loopback.
// The handling of each response is tested in test/node/cli: here is what a process, its streams and a runtime can change.

let served: ServedEmulator
let worker: Awaited<ReturnType<typeof serveOnNode>>
let env: Record<string, string>

beforeAll(async () => {
  const credentials = {
    posId: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11',
    apiKey: CANARIES.EDGETILL_API_KEY,
    apiSecret: CANARIES.EDGETILL_API_SECRET,
    endpointsKey: CANARIES.EDGETILL_ENDPOINTS_KEY,
  }
  served = await serveEmulator({}, { credentials, authentication: 'per-endpoint', seed: 3 })
  worker = await serveOnNode(async (request) => {
    if (request.headers.get('authorization') !== `Bearer ${CANARIES.EDGETILL_WORKER_TOKEN}`)
      return new Response(null, { status: 401 })
    const { order } = (await request.json()) as { order: { order_id: string } }
    return Response.json({ id: 'link-1', url: `${worker.origin}/checkout/${order.order_id}`, expires_at: 'tomorrow' })
  })
  const { baseUrl, apiUrl, posId } = served.emulator.credentials
  const addresses = { EDGETILL_BASE_URL: baseUrl, EDGETILL_API_URL: apiUrl, EDGETILL_WORKER_URL: worker.origin }
  env = { ...CANARIES, ...addresses, EDGETILL_POS_ID: posId, EDGETILL_SCHEME: 'SVC' }
})
afterAll(() => Promise.all([served.close(), worker.close()]))
beforeEach(() => served.emulator.faults.clear())

/** Runs a verb with the configuration. */
const run = (runtime: Runtime, words: string[], options: CommandOptions = {}) =>
  runCommand(runtime, words, { env, ...options })

const ORDER = ['--amount', '100.50', '--currency', 'UAH']

/** Pays an order on its checkout page. */
async function order(runtime: Runtime, id: string, ...more: string[]): Promise<void> {
  const { code, stdout } = await run(runtime, ['payment', id, ...ORDER, ...more])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\S+\/form\n$/)])
  await pay(stdout.trim())
}

/** How many captures the service has of an order. */
const captures = (id: string) => served.emulator.orders.get(id)?.operations.length

describe.each(RUNTIMES)('on %s', (runtime) => {
  const id = (name: string) => `${runtime}-${name}`

  it('each verb does its work, as JSON and with the rights that the guide names, and asks before it moves money', async () => {
    await order(runtime, id('A'), '--method', 'auth')
    const capture = ['capture', id('A'), '--amount', '20']
    const asked = await run(runtime, capture)
    expect(asked).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('no terminal to confirm on') })
    const finding = (check: string, result: string) => expect.objectContaining({ check, result })
    const fine = ['base_url', 'clock', 'authentication', 'endpoints_key'].map((check) => finding(check, 'ok'))
    const findings = expect.arrayContaining([...fine, finding('webhook address', 'failed')])
    for (const [words, code, record] of [
      [[...capture, '--yes'], 0, { method: 'capture', amount: 20, status: 'success' }],
      [['resend', id('A')], 0, { method: 'auth' }],
      [['order', id('A')], 0, { totals: { authorized_minor: 10_050, captured_minor: 2000 } }],
      [['balances'], 0, [{ currency: 'UAH' }, { currency: 'USD' }, {}, {}]],
      [['link', id('L'), ...ORDER], 0, { url: `${worker.origin}/checkout/${id('L')}` }],
      [['doctor', '--webhook-url', 'https://127.0.0.1:9000/'], 1, { findings }],
    ] as const) {
      const ended = await run(runtime, [...words, '--json'])
      expect([words, ended.code, JSON.parse(ended.stdout)]).toMatchObject([words, code, record])
    }
  })

  it('Ctrl-C ends what reads with 130, and what may have changed something with 3', async () => {
    await order(runtime, id('I'), '--method', 'auth')
    for (const [operation, words, path, code] of [
      ['list-accounts', ['balances'], '> GET /api/v1/balances', 130],
      ['capture-payment', ['capture', id('I'), '--yes'], '> POST /api/v1/capture', 3],
    ] as const) {
      served.emulator.faults.next({ kind: 'no_response', on: operation })
      const running = start(runtime, [...words, '--verbose'], { env })
      await running.seen(path)
      running.stop('SIGINT')
      // As npm passes a Ctrl-C on: the process gets it twice. Two signals of one kind could be merged into one.
      running.stop('SIGTERM')
      const ended = await running.ended
      expect([ended.code, ended.stderr.includes('Do NOT run this command again')]).toEqual([code, code === 3])
    }
  })

  it('does its work where nobody reads its output, and exits 3 where the disk is full', async () => {
    for (const [name, options, code] of [
      ['P', { brokenPipe: true }, 0],
      ['D', { fullDisk: true }, 3],
    ] as const) {
      await order(runtime, id(name), '--method', 'auth')
      for (const words of [
        ['order', id(name)],
        ['capture', id(name), '--yes'],
      ]) {
        const ended = await run(runtime, words, options)
        const lost = /^The output cannot be written \(.*\); the work itself went on\.$/m.test(ended.stderr)
        expect([words, ended.code, lost]).toEqual([words, code, code === 3])
        expect(ended.stderr).not.toMatch(/EPIPE|\bat |Error/)
      }
      expect(captures(id(name))).toBe(1)
    }
  })
})

describe('at a terminal', () => {
  it.each([
    ['y', 0, 'capture of order', 1],
    ['n', 1, 'Nothing was sent.', 0],
  ])('asks, and takes "%s"', async (typed, code, text, sent) => {
    const id = `T-${typed}`
    await order('node', id, '--method', 'auth')
    const options = { stdin: `${typed}\n`, terminal: true }
    const ended = await run('node', ['capture', id, '--amount', '1'], options)
    for (const part of ['Send this? [y/N] ', 'charge_amount   1', text]) expect(ended.stdout).toContain(part)
    expect([ended.code, captures(id)]).toEqual([code, sent])
  })

  it('ends with 130 on Ctrl-C instead of an answer', async () => {
    await order('node', 'T-c', '--method', 'auth')
    const running = start('node', ['capture', 'T-c'], { env, terminal: true, stdin: 'open' })
    await running.seen('[y/N] ')
    running.type('\u0003')
    const { code, stdout } = await running.ended
    expect(stdout).toMatch(/\[y\/N\] .*\nNothing was sent\.\r?\n$/s)
    expect([code, captures('T-c')]).toEqual([130, 0])
  })

  it('shows that something takes long, and clears the line', async () => {
    served.emulator.faults.next({ kind: 'latency', ms: 1500, on: 'list-accounts' })
    const { code, stdout } = await run('node', ['balances'], { terminal: true })
    expect([code, stdout]).toEqual([0, expect.stringContaining('Emulator UAH')])
    const [shown, cleared] = stdout.split('Waiting for the service … 1 s')
    expect([shown, cleared?.startsWith('\r\u001b[2K')]).toEqual(['\r\u001b[2K', true])
  })

  it('shows colours there alone, and never with NO_COLOR or on a dumb terminal', async () => {
    await order('node', 'T-p')
    const terminal = true
    const each: CommandOptions[] = [
      { terminal },
      { terminal, env: { ...env, NO_COLOR: '1' } },
      { terminal, env: { ...env, TERM: 'dumb' } },
      {},
    ]
    const shown = await Promise.all(each.map((options) => run('node', ['order', 'T-p'], options)))
    const [colours, ...plain] = shown.map(({ stdout }) => stdout)
    expect(colours).toContain('\u001b[32msuccess\u001b[0m')
    for (const text of plain) expect([text, text.includes('\u001b')]).toEqual([expect.stringMatching('success'), false])
  })
})
