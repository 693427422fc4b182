import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { VERBS } from '../../src/cli/commands/verbs.ts'
import { serveOnNode } from '../../src/cli/service/serve-node.ts'
import { signWebhook, verifyWebhook } from '../../src/webhooks/index.ts'
import { direct, post } from '../emulator/call.ts'
import { serve, serveNewEmulator, temporaryFolder, whenOver } from '../node/support/fixtures.ts'
import { CANARIES, PERMISSIONS, RUNTIMES, type RunningCommand, run, start } from './support/command.ts'

const SECRET = CANARIES.EDGETILL_API_SECRET
const EVENT =
  '{"method":"purchase","payment_id":"p","order_id":"A-1","status":"success","amount":5,"currency":"UAH","cc_token":"canary-token"}'
const { body, data, signature } = signWebhook(EVENT, SECRET)
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

interface Got {
  headers: IncomingHttpHeaders
  body: string
}

/** A receiver of this process. */
async function receiver(respond = () => new Response('OK')): Promise<{ url: string; got: Got[] }> {
  const got: Got[] = []
  const { origin } = await serve(async (request) => {
    got.push({ headers: Object.fromEntries(request.headers), body: await request.text() })
    return respond()
  })
  return { url: `${origin}/hook`, got }
}

/** An address of loopback where nobody listens. */
async function nowhere(): Promise<string> {
  const { origin, close } = await serveOnNode(() => new Response())
  await close()
  return `${origin}/`
}

async function listening(running: RunningCommand, line = 'Ctrl-C stops it.'): Promise<string> {
  whenOver(() => running.stop('SIGKILL'))
  return /http:\/\/127\.0\.0\.1:\d+\//.exec(await running.seen(line))?.[0] ?? ''
}

// A verb of each kind on each runtime: what reads stdin, listens, sends, serves, writes files.
describe.each(RUNTIMES)('the command on %s', (runtime) => {
  it('signs JSON from stdin, and verifies what it signed, with a secret from the environment or a file', async () => {
    const file = join(temporaryFolder(), 'secret')
    writeFileSync(file, `${SECRET}\n`)
    const signed = await run(runtime, ['sign'], { stdin: `${EVENT}\n` })
    expect(signed).toEqual({ code: 0, stdout: `${body}\n`, stderr: '' })
    const verified = await run(runtime, ['verify', '--secret-file', file], { stdin: signed.stdout, env: {} })
    expect(verified).toMatchObject({ code: 0, stderr: '' })
    expect(verified.stdout).toMatch(/^Genuine: signed with \S+\.\npurchase success 5\.00 UAH order A-1/)
    expect(verified.stdout).not.toContain('canary-token')
    const spoiled = ['verify', '--json', '--data', data, '--signature', signature.slice(0, -1)]
    const { code, stdout } = await run(runtime, spoiled)
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { valid: false, causes: ['lost_padding'], proven: true }])
    const missing = await run(runtime, ['verify', '--env-file', 'nowhere.env'], { stdin: body })
    expect(missing.stderr).toContain('nowhere.env')
    // Node itself reads the option, wherever it stands, before any program begins.
    expect(missing.code).toBe(runtime === 'node' ? 9 : 2)
  })

  it('listen prints, forwards and keeps what trigger sends, and replay sends it again', async () => {
    const shop = await receiver()
    const kept = join(temporaryFolder(), 'kept')
    const listen = start(runtime, ['listen', '--port', '0', '--forward-to', shop.url, '--save', kept])
    const url = await listening(listen)
    const settings = ['--set', 'order_id=7', '--set', 'fee.amount=1.5', '--set', 'amount=80.25']
    const trigger = await run(runtime, ['trigger', 'refund', '--to', url, ...settings])
    expect(trigger).toMatchObject({ code: 0, stderr: '' })
    expect(trigger.stdout).toMatch(/^refund success 80\.25 UAH order 7\n-> http:\S+: 200 in \d+ ms\n$/)
    await listen.seen(`-> ${shop.url}: 200`)
    expect(await listen.seen('(order 7)')).toMatch(/\d\d:\d\d:\d\d {2}refund success 80\.25 UAH order 7 {2}\(/)
    // Forged, with a header of its own.
    const forged = signWebhook(EVENT, 'another').body
    const headers = { 'content-type': `${FORM['content-type']}; charset=utf-8`, 'x-of-the-sender': 'kept' }
    const response = await fetch(url, { method: 'POST', headers, body: forged })
    expect([response.status, await response.text()]).toEqual([200, 'OK'])
    await listen.seen('rejected (wrong secret): The signature was made with another secret')
    expect(shop.got).toHaveLength(2)
    const [first, second] = shop.got
    expect(verifyWebhook(new URLSearchParams(first?.body), SECRET)).toMatchObject({
      ...{ kind: 'refund', order_id: '7', amount: 80.25, fee: { amount: 1.5, currency: 'UAH' } },
    })
    expect(first?.headers['user-agent']).toBe('edgetill-trigger')
    // Headers of one connection are not sent on.
    expect(second).toMatchObject({ headers: { ...headers, host: new URL(shop.url).host }, body: forged })
    listen.stop('SIGINT')
    expect(await listen.ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/Stopped\.\n$/) })

    expect(readdirSync(kept).map((file) => statSync(join(kept, file)).mode & 0o077)).toEqual([0, 0])
    const again = await run(runtime, ['replay', kept, '--shuffle', '--double', '--seed', '3', '--json'])
    expect(again).toMatchObject({ code: 0, stderr: 'Shuffled with --seed 3.\n' })
    expect(again.stdout.match(/"status":200/g)).toHaveLength(4)
    const sent = shop.got.slice(2)
    expect(sent.map((one) => one.body).sort()).toEqual([first, first, second, second].map((one) => one?.body).sort())
    expect(sent.filter((one) => one.headers['x-of-the-sender'] === 'kept')).toHaveLength(2)
    const failed = await run(runtime, ['trigger', 'purchase', '--to', await nowhere()])
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('Is the receiver running there?') })
    expect(failed.stderr).toMatch(/ECONNREFUSED|refused/i)
  })

  it('keeps quiet when the reader of its output has gone, and on Ctrl-C while it waits for its input', async () => {
    const listen = start(runtime, ['listen', '--port', '0'])
    const url = await listening(listen)
    listen.closeStdout()
    // Whichever of them meets the closed pipe, the command ends by itself.
    for (let sent = 0; sent < 5; sent++) await fetch(url, { method: 'POST', body: 'x' }).catch(() => {})
    expect(await listen.ended).toMatchObject({ code: 0, stderr: '' })
    const verify = start(runtime, ['verify', '--json'], { stdin: 'open' })
    await verify.fill()
    verify.stop('SIGINT')
    expect(await verify.ended).toEqual({ code: 130, stdout: '', stderr: '' })
  })

  it('lets the emulator book an event by hand, and reads its credentials from --write-env', async () => {
    const file = join(temporaryFolder(), 'emulator.env')
    const shop = await receiver()
    const words = ['emulator', '--port', '0', '--webhook-url', shop.url, '--write-env', file]
    const emulator = start(runtime, words, { env: {} })
    const origin = await listening(emulator)
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain(`EDGETILL_BASE_URL=${origin.slice(0, -1)}\n`)
    const booked = await run(runtime, ['trigger', 'credit', '--emulator', origin, '--set', 'order_id=C-1'])
    expect(booked).toMatchObject({ code: 0, stdout: expect.stringContaining('"order_id":"C-1"') })
    await emulator.seen(`${'webhook credit success'.padEnd(28)}  C-1`)
    const verified = await run(runtime, ['verify', '--env-file', file], { stdin: shop.got.at(-1)?.body ?? '' })
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('credit success 100.50 UAH order C-1') })
  })

  it('writes a project, once', async () => {
    const shop = join(temporaryFolder(), 'shop')
    const { code, stdout } = await run(runtime, ['init', shop])
    expect([code, stdout]).toEqual([0, expect.stringContaining(`  cd ${shop}\n  npm install\n  npm test\n`)])
    expect(readdirSync(shop, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())).toHaveLength(12)
    expect(await run(runtime, ['init', shop])).toMatchObject({ code: 1, stderr: expect.stringContaining('exists') })
  })
})

it.concurrent.each<[string[], object, string]>([
  [['verify'], { env: {}, stdin: body }, 'The API secret is missing: set EDGETILL_API_SECRET'],
  [['verify'], {}, 'There is no input'],
  [['verify'], { stdin: new Uint8Array(2 ** 24 + 1) }, 'longer than 16777216 bytes'],
  [['verify', '--data', 'x'], {}, '--data and --signature belong together'],
  [['sign'], { stdin: 'not JSON' }, 'The input is not JSON.'],
  [['sign'], { stdin: Uint8Array.of(0xff) }, 'The input is not UTF-8.'],
  [['trigger', 'refnd', '--to', 'http://127.0.0.1:1'], {}, 'Did you mean refund?'],
  [['trigger', 'refund'], {}, 'Pass --to URL'],
  [['trigger', 'refund', '--to', 'http://127.0.0.1:1', '--set', 'fee.amont=5'], {}, 'fee has no such field. Did'],
  [['trigger', 'refund', '--to', 'http://127.0.0.1:1', '--set', 'cc_token=x'], {}, 'a refund webhook has no such'],
  [['replay', 'none'], {}, 'there is no such folder'],
  [['listen', '--port', '0', '--save', 'package.json'], {}, '--save package.json cannot be used'],
  [['init', ''], {}, 'empty'],
])('%j exits 2 and says what is wrong', async (words, options, text) => {
  expect(await run('node', words, options)).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(text) })
})

it('listen reports a receiver that is down to the sender, and rejects what it cannot keep', async () => {
  const kept = join(temporaryFolder(), 'kept')
  const listen = start('node', ['listen', '--port', '0', '--save', kept, '--forward-to', await nowhere(), '--json'])
  const url = await listening(listen, '"start"')
  const send = () => fetch(url, { method: 'POST', headers: FORM, body })
  expect((await send()).status).toBe(502)
  await listen.seen('"forwarded"')
  rmSync(kept, { recursive: true })
  writeFileSync(kept, '')
  expect((await send()).status).toBe(500)
  await listen.seen('(cannot be kept: ')
  listen.stop('SIGTERM')
  const { stdout } = await listen.ended
  const event = { order_id: 'A-1', cc_token: '[hidden]' }
  expect(
    stdout
      .trim()
      .split('\n', 2)
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { type: 'start', url },
    { type: 'request', status: 200, event, forwarded: { status: null } },
  ])
  expect(stdout).toMatch(/"stop"[^\n]*\n$/)
})

it('trigger sends a card token, prints none, and exits 1 where the receiver or the emulator rejects it', async () => {
  const shop = await receiver(() => new Response('the shop says no', { status: 500 }))
  const token = ['--set', 'cc_token=card-canary']
  const sent = await run('node', ['trigger', 'purchase', '--to', shop.url, ...token, '--json'])
  const hidden = { status: 500, response: 'the shop says no', payload: { cc_token: '[hidden]' }, body: '[hidden]' }
  expect([sent.code, JSON.parse(sent.stdout)]).toMatchObject([1, hidden])
  expect(verifyWebhook(new URLSearchParams(shop.got[0]?.body), SECRET)).toMatchObject({ cc_token: 'card-canary' })

  const { emulator, origin } = await serveNewEmulator()
  const init_recurring = { interval_unit: 'day', interval_count: 1 }
  expect((await post(emulator, '/api/v1/payment', direct(emulator, { init_recurring }))).status).toBe(200)
  const charge = ['trigger', 'charge', '--emulator', origin, '--set', 'order_id=A-1']
  expect(emulator.orders.get('A-1')?.payments[0]?.cc_token).toMatch(/^emulator-token-/)
  const booked = [await run('node', charge), await run('node', [...charge, '--json'])]
  for (const { code, stdout } of booked)
    expect([code, stdout.replaceAll('\\', '')]).toEqual([0, expect.stringContaining('"cc_token":"[hidden]"')])
  const wrong = await run('node', [...charge, ...token])
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('The emulator rejected it: 400') })
  const printed = [sent, ...booked, wrong].map(({ stdout, stderr }) => stdout + stderr)
  expect(printed.filter((text) => /card-canary|emulator-token-/.test(text))).toEqual([])
})

it.each([[[]], [['--json']]])('listen %j and replay print no card token that a receiver repeats', async (json) => {
  const shop = await receiver(() => new Response('{ "cc_token": "card-canary" }', { status: 500 }))
  const kept = join(temporaryFolder(), 'kept')
  const listen = start('node', ['listen', '--port', '0', '--forward-to', shop.url, '--save', kept, ...json])
  const url = await listening(listen, json.length === 0 ? undefined : '"start"')
  const response = await fetch(url, { method: 'POST', headers: FORM, body })
  expect(await response.json()).toEqual({ cc_token: 'card-canary' })
  listen.stop('SIGINT')
  const replay = await run('node', ['replay', kept, ...json])
  expect([replay.code, replay.stderr]).toEqual([1, '1 of 1 got no 2xx response.\n'])
  if (json.length === 0) expect(replay.stdout).toMatch(/: 500 in \d+ ms \{ ?"cc_token"/)
  const shown = (await listen.ended).stdout + replay.stdout
  expect(shown.match(/\[hidden\]/g)?.length).toBeGreaterThanOrEqual(2)
  expect(shown).not.toContain('card-canary')
})

it('trigger and replay show at a terminal that the receiver takes long', async () => {
  let respond = () => {}
  const { origin } = await serve(() => new Promise((resolve) => (respond = () => resolve(new Response()))))
  const kept = temporaryFolder()
  const saved = { received_at: '', method: 'POST', url: origin, forwarded_to: null, headers: [], summary: 'a webhook' }
  writeFileSync(join(kept, '1.json'), JSON.stringify({ ...saved, body: '', encoding: 'utf8' }))
  for (const words of [
    ['trigger', 'purchase', '--to', `${origin}/`],
    ['replay', kept],
  ]) {
    const running = start('node', words, { terminal: true })
    await running.seen('Waiting for the receiver … 1 s')
    respond()
    const { code, stdout } = await running.ended
    expect([words, code]).toEqual([words, 0])
    expect(stdout).toContain('\r\u001b[2KWaiting for the receiver … 1 s\r\u001b[2K')
  }
})

it('guides/command-line.md states what Deno has to allow, for every verb', () => {
  // It starts wrangler, which needs Node.
  const onNode = ['dev']
  const verbs = Object.keys(VERBS).filter((verb) => !onNode.includes(verb))
  expect(Object.keys(PERMISSIONS).sort()).toEqual(verbs.sort())
})
