import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { serveOnNode } from '../../src/cli/service/serve-node.ts'
import { CANARIES, type Ended, RUNTIMES, type Runtime, run as runCommand, start } from './support/command.ts'
import { type Service, serveService } from './support/service-verbs.ts'

// Each verb that talks to the service, as a process of the packed package, against an emulator that is served on loopback.

let served: Service
let worker: Awaited<ReturnType<typeof serveOnNode>>
let env: Record<string, string>

beforeAll(async () => {
  served = await serveService()
  worker = await serveOnNode(async (request) => {
    if (request.headers.get('authorization') !== `Bearer ${CANARIES.EDGETILL_WORKER_TOKEN}`)
      return new Response(null, { status: 401 })
    const { order } = (await request.json()) as { order: { order_id: string } }
    return Response.json({ id: 'link-1', url: `${worker.origin}/checkout/${order.order_id}`, expires_at: 'tomorrow' })
  })
  env = { ...served.env, EDGETILL_WORKER_URL: worker.origin }
})
afterAll(async () => {
  await served.close()
  await worker.close()
})
beforeEach(() => served.emulator.faults.clear())

/** Runs a verb with the configuration. */
const run = (runtime: Runtime, words: string[], changed: Record<string, string> = {}): Promise<Ended> =>
  runCommand(runtime, words, { env: { ...env, ...changed } })

const pay = (form: string): Promise<void> => served.pay(form)

const ORDER = ['--amount', '100.50', '--currency', 'UAH']

describe.each(RUNTIMES)('on %s', (runtime) => {
  const id = (name: string) => `${runtime}-${name}`
  const json = async (words: string[]) => {
    const { code, stdout, stderr } = await run(runtime, [...words, '--json'])
    return { code, stderr, record: JSON.parse(stdout) as Record<string, unknown> }
  }

  it('an authorization is made, paid, captured, captured again, refunded, shown and its webhook sent again', async () => {
    const made = await run(runtime, ['payment', id('A'), ...ORDER, '--method', 'auth'])
    expect(made.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/checkout\/\S+\/form\n$/)
    await pay(made.stdout)
    const asked = await run(runtime, ['capture', id('A'), '--amount', '20'])
    expect(asked.stderr).toContain('There is no terminal to ask on, so nothing was sent.')
    expect([asked.code, asked.stdout]).toEqual([2, ''])
    const first = await json(['capture', id('A'), '--amount', '20', '--yes'])
    expect(first).toMatchObject({ code: 0, stderr: '', record: { method: 'capture', amount: 20, status: 'success' } })
    const second = await run(runtime, ['capture', id('A'), '--amount', '20', '--yes'])
    expect(second.stderr).toContain('already has a capture of 20.00 UAH')
    const refund = await json(['refund', id('A'), '--amount', '5.25', '--yes'])
    expect(refund).toMatchObject({ code: 0, record: { method: 'refund', amount: 5.25, status: 'success' } })
    const order = await json(['order', id('A')])
    expect(order.record).toMatchObject({ totals: { authorized: 100.5, captured: 40, refunded: 5.25 } })
    const resent = await run(runtime, ['resend', id('A')])
    expect(resent.stdout).toMatch(/^auth of order \S+; its webhook is sent again\n/)
    expect([made.code, second.code, order.code, resent.code]).toEqual([0, 0, 0, 0])
  })

  it('a void, a cancellation, the end of a subscription', async () => {
    const auth = await run(runtime, ['payment', id('V'), ...ORDER, '--method', 'auth'])
    await pay(auth.stdout)
    expect(await json(['void', id('V'), '--yes'])).toMatchObject({
      code: 0,
      record: { method: 'void', status: 'success' },
    })
    await run(runtime, ['payment', id('C'), ...ORDER])
    expect(await json(['cancel', id('C'), '--yes'])).toMatchObject({ code: 0, record: { status_code: '6007' } })
    const monthly = ['--set', 'init_recurring.interval_unit=month', '--set', 'init_recurring.interval_count=1']
    const subscription = await run(runtime, ['payment', id('S'), ...ORDER, ...monthly])
    await pay(subscription.stdout)
    const { record } = await json(['resend', id('S')])
    const { id: recurring } = record.recurring as { id: string }
    expect((await run(runtime, ['recurring-cancel', recurring])).code).toBe(2)
    const ended = await json(['recurring-cancel', recurring, '--yes'])
    expect(ended).toMatchObject({ code: 0, record: { recurring_status: 'canceled' } })
  })

  it('balances, doctor and link', async () => {
    const [balances, doctor, link] = await Promise.all([
      json(['balances']),
      json(['doctor', '--verbose', '--webhook-url', 'https://127.0.0.1:9000/']),
      json(['link', id('L'), ...ORDER]),
    ])
    expect(balances.record).toMatchObject([{ currency: 'UAH' }, { currency: 'USD' }, {}, {}])
    const results = (doctor.record.findings as { check: string; result: string }[]).map((one) => [
      one.check,
      one.result,
    ])
    expect(Object.fromEntries(results)).toMatchObject({
      configuration: 'ok',
      base_url: 'ok',
      clock: 'ok',
      authentication: 'ok',
      endpoints_key: 'ok',
      'webhook address': 'failed',
      'webhook port': 'failed',
    })
    expect(doctor.stderr).toContain('> GET /api/v1/')
    expect(link.record).toMatchObject({ order_id: id('L'), url: `${worker.origin}/checkout/${id('L')}` })
    expect([balances.code, doctor.code, link.code]).toEqual([0, 1, 0])
  })

  it('wrong usage, missing configuration, a service that cannot be reached', async () => {
    const { port, close } = await serveOnNode(() => new Response())
    await close()
    const [usage, missing, unreachable] = await Promise.all([
      run(runtime, ['capture', id('A'), '--amount', '1,50']),
      runCommand(runtime, ['balances'], { env: {} }),
      run(runtime, ['balances'], { EDGETILL_API_URL: `http://127.0.0.1:${port}` }),
    ])
    expect(usage.stderr).toContain('Did you mean 1.50?')
    expect(missing.stderr).toContain('Missing configuration: EDGETILL_BASE_URL, EDGETILL_POS_ID')
    expect(unreachable.stderr).toMatch(/could not reach the service.*\nCause: .*Check EDGETILL_BASE_URL/)
    expect([usage, missing, unreachable].map(({ code, stdout }) => [code, stdout])).toEqual([
      [2, ''],
      [2, ''],
      [1, ''],
    ])
  })

  it('settings from an env file and a secret from a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'edgetill-'))
    const { EDGETILL_API_SECRET: _, ...others } = env
    const lines = Object.entries(others).map(([name, value]) => `${name}="${value}"\n`)
    writeFileSync(join(folder, 'shop.env'), lines.join(''))
    writeFileSync(join(folder, 'secret'), `${CANARIES.EDGETILL_API_SECRET}\n`)
    const words = ['balances', '--env-file', join(folder, 'shop.env'), '--secret-file', join(folder, 'secret')]
    expect(await runCommand(runtime, words, { env: {} })).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('on Node', () => {
  it('--resolve finds out what happened', async () => {
    const order = 'F-1'
    await pay((await run('node', ['payment', order, ...ORDER, '--method', 'auth'])).stdout)
    served.emulator.faults.next({ kind: 'reset', on: 'capture-payment' })
    const executed = await run('node', ['capture', order, '--amount', '1', '--yes', '--resolve', '--json'])
    expect(JSON.parse(executed.stdout)).toMatchObject({ method: 'capture', amount: 1 })
    served.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
    const absent = await run('node', ['capture', order, '--amount', '2', '--yes', '--resolve', '--settle-after', '1ms'])
    expect(absent.stderr).toContain('Found out: it was not executed.')
    expect([executed.code, absent.code]).toEqual([0, 1])
  })
})

describe('at a terminal', () => {
  const coloured = '\u001b[32msuccess\u001b[0m'

  it.each([
    ['y', 0, 'capture of order'],
    ['n', 1, 'Nothing was sent.'],
  ])('asks, and takes "%s"', async (typed, code, text) => {
    const order = `T-${typed}`
    await pay((await run('node', ['payment', order, ...ORDER, '--method', 'auth'])).stdout)
    const words = ['capture', order, '--amount', '1']
    const ended = await runCommand('node', words, { env, stdin: `${typed}\n`, terminal: true })
    expect(ended.stdout).toContain('Send this? [y/N] ')
    expect(ended.stdout).toContain('charge_amount   1')
    expect(ended.stdout).toContain(text)
    expect(ended.code).toBe(code)
  })

  it('shows that something takes long, and clears the line', async () => {
    served.emulator.faults.next({ kind: 'latency', ms: 1500, on: 'list-accounts' })
    const { code, stdout } = await runCommand('node', ['balances'], { env, stdin: '', terminal: true })
    const [shown, cleared] = stdout.split('Waiting for the service … 1 s')
    expect(shown).toBe('\r\u001b[2K')
    expect(cleared?.startsWith('\r\u001b[2K')).toBe(true)
    expect(cleared).toContain('Emulator UAH')
    expect(code).toBe(0)
  })

  it('shows colours there alone, and never with NO_COLOR or on a dumb terminal', async () => {
    await pay((await run('node', ['payment', 'T-c', ...ORDER])).stdout)
    const words = ['order', 'T-c']
    const terminal = await runCommand('node', words, { env, stdin: '', terminal: true })
    const plain = await runCommand('node', words, { env: { ...env, NO_COLOR: '1' }, stdin: '', terminal: true })
    const dumb = await runCommand('node', words, { env: { ...env, TERM: 'dumb' }, stdin: '', terminal: true })
    const piped = await runCommand('node', words, { env })
    expect(terminal.stdout).toContain(coloured)
    for (const { stdout } of [plain, dumb, piped]) {
      expect(stdout).toContain('success')
      expect(stdout).not.toContain('\u001b')
    }
  })
})

it('Ctrl-C after a capture was sent leaves its outcome unknown, and says so', async () => {
  await pay((await run('node', ['payment', 'I-1', ...ORDER, '--method', 'auth'])).stdout)
  served.emulator.faults.next({ kind: 'no_response', on: 'capture-payment' })
  const words = ['capture', 'I-1', '--yes', '--verbose']
  const running = start('node', words, { env })
  await running.seen('> POST /api/v1/capture')
  running.stop('SIGINT')
  const { code, stderr } = await running.ended
  expect(stderr).toContain('Do NOT run this command again before you know.')
  expect(code).toBe(3)
})

it('a Ctrl-C that comes a second time at once, as npm passes it on, is still one', async () => {
  await pay((await run('node', ['payment', 'I-2', ...ORDER, '--method', 'auth'])).stdout)
  served.emulator.faults.next({ kind: 'no_response', on: 'capture-payment' })
  const running = start('node', ['capture', 'I-2', '--yes', '--verbose'], { env })
  await running.seen('> POST /api/v1/capture')
  running.stop('SIGINT')
  // Two signals of one kind could be merged into one.
  running.stop('SIGTERM')
  const { code, stderr } = await running.ended
  expect(stderr).toContain('Do NOT run this command again before you know.')
  expect(code).toBe(3)
})
