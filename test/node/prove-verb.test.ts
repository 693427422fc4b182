import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Cause } from '../../src/testing/prove/causes.ts'
import { receiver } from '../testing/prove/support/receiver.ts'
import { serve, temporaryFolder } from './support/fixtures.ts'
import { freePort } from './support/free-port.ts'
import { startWith } from './support/process.ts'

const folder = temporaryFolder()

/** Serves a shop that is right, or wrong in one way. */
async function serveShop(bug?: Cause): Promise<string> {
  const shop = receiver(bug)
  const { origin } = await serve(async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/webhooks') return shop.fetch(request)
    const state = shop.state(pathname.replace('/orders/', ''))
    return state ? Response.json(state) : new Response('', { status: 404 })
  })
  return origin
}

const prove = (origin: string, words: string, ...more: string[]) => start(origin, words, ...more).finished

function start(origin: string, words: string, ...more: string[]) {
  const secret = { EDGETILL_API_SECRET: 'emulator-api-secret' }
  const flags = ['--url', `${origin}/webhooks`, '--settle-ms', '0', '--stories', folder, ...words.split(' '), ...more]
  return startWith(secret, 'node', 'src/cli/main.ts', 'prove', ...flags)
}

/** The report; on a busy machine lines of stderr say what is waited for. */
const jsonIn = (output: string) => JSON.parse(output.split('\n').find((line) => line.startsWith('{')) ?? '')

it('exits 0 when nothing is found', { timeout: 90_000 }, async () => {
  const origin = await serveShop()
  const { code, output } = await prove(origin, `--state ${origin}/orders/{order_id} --orders 40`)
  expect(output).toMatch(
    /^1\d\d orders, \d+ webhooks, seed 1: nothing found\.\nNot tried: .*amount or currency.*killed.*\nTried:\n +\d+ copy +\d/ms,
  )
  expect(code).toBe(0)
})

it('exits 1 and writes a page when something is found', { timeout: 90_000 }, async () => {
  const origin = await serveShop('adds_up_copies')
  const page = join(folder, 'report.html')
  const words = `--state ${origin}/orders/{order_id} --orders 30 --json --report ${page}`
  const { code, output } = await prove(origin, words)
  const [finding] = (jsonIn(output) as { findings: object[] }).findings
  expect(finding).toMatchObject({ cause: 'adds_up_copies', verdict: 'paid counted twice' })
  expect(code).toBe(1)
  expect(readFileSync(page, 'utf8')).toMatch(/<h2>paid counted twice<\/h2>[\s\S]*again arrives <code>200<\/code>/)
})

it('reads the state from a command, and waits for a restart', { timeout: 90_000 }, async () => {
  const state = `printf '{"sums":[{"in":"10050","out":0}]}'; echo {order_id} >&2`
  const paths = '--units minor --paid $.sums[0].in --refunded $.sums[0].out'
  const words = `--restart-command true ${paths} --orders 2 --kinds declined --json --state-command`
  const { code, output } = await prove(await serveShop(), words, state)
  expect(jsonIn(output)).toMatchObject({
    findings: [{ verdict: 'shipped but not paid', seen: { paid: 100.5 } }],
    leftOut: expect.arrayContaining([expect.stringContaining('ships twice')]),
  })
  expect(code).toBe(1)
})

it('plays the story of a finding again, and writes JUnit and SARIF', { timeout: 90_000 }, async () => {
  const origin = await serveShop('ships_copies')
  const state = `--state ${origin}/orders/{order_id}`
  const files = ['junit.xml', 'log.sarif'].map((name) => join(folder, name))
  await prove(origin, `${state} --orders 30 --junit ${files[0]} --sarif ${files[1]}`)
  const [junit = '', sarif = ''] = files.map((file) => readFileSync(file, 'utf8'))
  expect(junit).toMatch(/<testcase [^>]*name="copy" time="\d[^>]*><failure type="ships_copies"/)
  expect(JSON.parse(sarif)).toMatchObject({ version: '2.1.0', runs: [{ results: [{ ruleId: 'ships_copies' }] }] })
  const story = join(folder, 'ships_copies-shipped-twice.json')
  const again = await prove(origin, `${state} --json --story ${story}`)
  expect(jsonIn(again.output)).toMatchObject({ orders: 1, findings: [{ cause: 'ships_copies' }] })
  const right = await serveShop()
  const repaired = await prove(right, `--state ${right}/orders/{order_id} --story ${story}`)
  expect([again.code, repaired.code, repaired.output]).toEqual([
    1,
    0,
    expect.stringMatching(/^1 order,.*nothing found/m),
  ])
})

it('does not wait for what a restart leaves running, and takes the order that a command makes', {
  timeout: 90_000,
}, async () => {
  const origin = await serveShop()
  const restart = ['--restart-command', 'sleep 60 &', '--create-command', 'echo shop-{order_id}']
  const words = `--state ${origin}/orders/{order_id} --orders 3 --kinds paid --json`
  const { code, output } = await prove(origin, words, ...restart)
  const { findings, leftOut } = jsonIn(output)
  expect(leftOut).toContainEqual(expect.stringContaining('makes its own'))
  // Its command makes orders without a price, so that any amount is taken for it.
  expect(findings[0]).toMatchObject({ cause: 'trusts_amount', order_id: expect.stringMatching(/^shop-prove-/) })
  expect(code).toBe(1)
})

it('exits 2 with one line when the receiver is not there', async () => {
  const origin = `http://127.0.0.1:${await freePort()}`
  const { code, output } = await prove(origin, `--state ${origin}/orders/{order_id}`)
  expect(output).toMatch(/^The receiver does not respond: .*ECONNREFUSED\. Is the receiver running there\?\n$/)
  expect(code).toBe(2)
})

it.each(['SIGINT', 'SIGTERM'] as const)(
  'says what it has found in every format after a %s',
  { timeout: 90_000 },
  async (signal) => {
    const origin = await serveShop('adds_up_copies')
    const [junit = '', sarif = '', page = '', log = ''] = ['xml', 'sarif', 'html', 'log'].map((end) =>
      join(folder, `${signal}.${end}`),
    )
    const files = ['--junit', junit, '--sarif', sarif, '--report', page, '--log', log]
    const words = `--state ${origin}/orders/{order_id} --orders 100000 --max-seconds 80`
    const running = start(origin, words, ...files)
    // Enough for the first copies, and not for the verdict.
    const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').length : 0)
    await expect.poll(lines).toBeGreaterThan(400)
    running.stop(signal)
    const { code, output } = await running.finished
    expect(output).toMatch(/^PAID COUNTED TWICE \(/m)
    expect(readFileSync(junit, 'utf8')).toContain('<failure type=')
    expect(JSON.parse(readFileSync(sarif, 'utf8')).runs[0].results.length).toBeGreaterThan(0)
    expect(readFileSync(page, 'utf8')).toContain('<h2>paid counted twice</h2>')
    const [first, ...rest] = readFileSync(log, 'utf8').trimEnd().split('\n')
    expect(JSON.parse(first ?? '')).toMatchObject({
      method: 'POST',
      url: `${origin}/webhooks`,
      answer: expect.any(Number),
    })
    expect(rest.length).toBeGreaterThan(100)
    expect(code).toBe(1)
  },
)
