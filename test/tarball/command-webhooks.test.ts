import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { VERBS } from '../../src/cli/commands/verbs.ts'
import { serveEmulator } from '../../src/cli/service/serve-emulator.ts'
import { serveOnNode } from '../../src/cli/service/serve-node.ts'
import { signWebhook, verifyWebhook } from '../../src/webhooks/index.ts'
import { direct, post } from '../emulator/call.ts'
import { CANARIES, PERMISSIONS, RUNTIMES, type RunningCommand, run, start } from './support/command.ts'

const SECRET = CANARIES.EDGETILL_API_SECRET
const EVENT =
  '{"method":"purchase","payment_id":"p","order_id":"A-1","status":"success","amount":5,"currency":"UAH","cc_token":"canary-token"}'
const { body } = signWebhook(EVENT, SECRET)

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0)) await end()
})

function temporary(): string {
  return mkdtempSync(join(tmpdir(), 'edgetill-command-'))
}

interface Got {
  method: string
  headers: IncomingMessage['headers']
  body: string
}

/** A receiver of this process. */
async function receiver(status = 200): Promise<{ url: string; got: Got[] }> {
  const got: Got[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part) => {
      text += part
    })
    request.on('end', () => {
      got.push({ method: request.method ?? '', headers: request.headers, body: text })
      response.writeHead(status, { 'content-type': 'text/plain' }).end(status === 200 ? 'OK' : 'the shop says no')
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  ending.push(() => {
    server.closeAllConnections()
    return new Promise((done) => server.close(done))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, got }
}

/** A port of loopback that nobody listens on. */
async function nowhere(): Promise<string> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return `http://127.0.0.1:${port}/`
}

async function listening(running: RunningCommand, line: string): Promise<string> {
  let ended = false
  running.ended.then(
    () => {
      ended = true
    },
    () => {},
  )
  ending.push(() => ended || running.stop('SIGKILL'))
  return /http:\/\/127\.0\.0\.1:\d+\//.exec(await running.seen(line))?.[0] ?? ''
}

describe.each(RUNTIMES)('the command on %s', (runtime) => {
  it('signs JSON from stdin, and verifies what it signed', async () => {
    const signed = await run(runtime, ['sign'], { stdin: `${EVENT}\n` })
    expect(signed).toEqual({ code: 0, stdout: `${body}\n`, stderr: '' })
    const verified = await run(runtime, ['verify'], { stdin: signed.stdout })
    expect(verified).toMatchObject({ code: 0, stderr: '' })
    expect(verified.stdout).toContain('Genuine: signed with EDGETILL_API_SECRET.\npurchase success 5.00 UAH order A-1')
    expect(verified.stdout).not.toContain('canary-token')
  })

  it('verify --json prints the verdict, and exits 1 for what is not genuine', async () => {
    const { data, signature } = signWebhook(EVENT, SECRET)
    const valid = await run(runtime, ['verify', '--json', '--data', data, '--signature', signature])
    expect(valid.code).toBe(0)
    expect(JSON.parse(valid.stdout)).toMatchObject({ valid: true, event: { order_id: 'A-1', cc_token: '[hidden]' } })
    const spoiled = await run(runtime, ['verify', '--json', '--data', data, '--signature', signature.slice(0, -1)])
    expect(spoiled.code).toBe(1)
    expect(JSON.parse(spoiled.stdout)).toMatchObject({ valid: false, causes: ['lost_padding'], proven: true })
  })

  it('says what is wrong with the usage or the configuration on stderr, and exits 2', async () => {
    const cases: [string[], object, string][] = [
      [['verify'], { env: {}, stdin: body }, 'The API secret is missing: set EDGETILL_API_SECRET'],
      [['verify'], {}, 'There is no input'],
      [['verify', '--data', 'x'], {}, '--data and --signature belong together'],
      [['verify', '--sekret', 'x'], {}, "unknown option '--sekret'"],
      [['sign'], { stdin: 'not JSON' }, 'The input is not JSON.'],
      [['sign', '--secret-file', 'none'], { stdin: '{}' }, '--secret-file none cannot be read: there is no such file.'],
      [['trigger', 'refnd', '--to', 'http://127.0.0.1:1'], {}, 'Did you mean refund?'],
      [['trigger', 'refund'], {}, 'Pass --to URL'],
      [['trigger', 'refund', '--to', 'http://127.0.0.1:1', '--set', 'amuont=5'], {}, 'Did you mean amount?'],
      [['trigger', 'refund', '--to', 'http://127.0.0.1:1', '--set', 'fee.amont=5'], {}, 'fee has no such field. Did'],
      [['trigger', 'refund', '--to', 'http://127.0.0.1:1', '--set', 'cc_token=x'], {}, 'a refund webhook has no such'],
      [['replay', 'none'], {}, 'there is no such folder'],
      [['listen', '--port', 'x'], {}, 'It takes a whole number'],
      [['listen', '--port', '0', '--save', 'package.json'], {}, '--save package.json cannot be used'],
      [['sign'], { stdin: Uint8Array.of(0xff) }, 'The input is not UTF-8.'],
      [['verify'], { stdin: new Uint8Array(2 ** 24 + 1) }, 'The input is longer than 16777216 bytes'],
    ]
    const ends = await Promise.all(cases.map(([words, options]) => run(runtime, words, options)))
    expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual(cases.map(() => [2, '']))
    expect(ends.map(({ stderr }, index) => stderr.includes(cases[index]?.[2] ?? '?') || stderr)).toEqual(
      cases.map(() => true),
    )
  })

  it('verify says of bytes that are not UTF-8 that they are not a form', async () => {
    const ended = await run(runtime, ['verify'], { stdin: Uint8Array.of(0xff, 0xfe, 0x64) })
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('Not genuine: not a form') })
  })

  it('names an env file that is not there', async () => {
    const { code, stderr } = await run(runtime, ['verify', '--env-file', 'nowhere.env'], { stdin: body })
    expect(stderr).toContain('nowhere.env')
    // Node itself reads the option, wherever it stands, before any program begins.
    expect([code, stderr.includes('there is no such file')]).toEqual(runtime === 'node' ? [9, false] : [2, true])
  })

  it('listen rejects what it cannot keep, and says so', async () => {
    const folder = join(temporary(), 'kept')
    const listen = start(runtime, [
      'listen',
      '--port',
      '0',
      '--save',
      folder,
      '--forward-to',
      await nowhere(),
      '--json',
    ])
    const url = await listening(listen, '"start"')
    rmSync(folder, { recursive: true })
    writeFileSync(folder, '')
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(500)
    await listen.seen('(cannot be kept: ')
    expect((await fetch(url, { method: 'POST', headers, body: 'x'.repeat(1024 * 1024 + 1) })).status).toBe(413)
    await listen.seen('rejected: longer than')
    listen.stop('SIGINT')
    expect((await listen.ended).code).toBe(0)
  })

  it('listen prints, forwards and keeps what trigger sends, and replay sends it again', async () => {
    const shop = await receiver()
    const folder = join(temporary(), 'kept')
    const listen = start(runtime, ['listen', '--port', '0', '--forward-to', shop.url, '--save', folder])
    const url = await listening(listen, 'Ctrl-C stops it.')
    const settings = ['--set', 'order_id=7', '--set', 'fee.amount=1.5', '--set', 'amount=80.25']
    const trigger = await run(runtime, ['trigger', 'refund', '--to', url, ...settings])
    expect(trigger).toMatchObject({ code: 0, stderr: '' })
    expect(trigger.stdout).toMatch(/^refund success 80\.25 UAH order 7\n-> http:\S+: 200 in \d+ ms\n$/)
    await listen.seen(`-> ${shop.url}: 200`)
    expect(await listen.seen('(order 7)')).toMatch(/\d\d:\d\d:\d\d {2}refund success 80\.25 UAH order 7 {2}\(/)
    // Forged, with a header of its own.
    const forged = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8', 'x-of-the-sender': 'kept' },
      body: signWebhook(EVENT, 'another').body,
    })
    expect([forged.status, await forged.text()]).toEqual([200, 'OK'])
    await listen.seen('rejected (wrong secret): The signature was made with another secret')
    expect(shop.got).toHaveLength(2)
    const [first, second] = shop.got
    const form = new URLSearchParams(first?.body)
    const event = verifyWebhook(form, SECRET)
    expect(event).toMatchObject({ kind: 'refund', order_id: '7', amount: 80.25, fee: { amount: 1.5, currency: 'UAH' } })
    expect(first?.headers['user-agent']).toBe('edgetill-trigger')
    expect(second?.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      'x-of-the-sender': 'kept',
    })
    expect(second?.body).toBe(signWebhook(EVENT, 'another').body)
    listen.stop('SIGINT')
    expect(await listen.ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/Stopped\.\n$/) })

    const files = readdirSync(folder)
    expect(files).toHaveLength(2)
    for (const file of files) expect(statSync(join(folder, file)).mode & 0o077).toBe(0)
    const again = await run(runtime, ['replay', folder, '--shuffle', '--double', '--seed', '3', '--json'])
    expect(again).toMatchObject({ code: 0, stderr: 'Shuffled with --seed 3.\n' })
    expect(
      again.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).status),
    ).toEqual([200, 200, 200, 200])
    const sent = shop.got.slice(2)
    expect(sent.map((one) => one.body).sort()).toEqual([first, first, second, second].map((one) => one?.body).sort())
    expect(sent.filter((one) => one.headers['x-of-the-sender'] === 'kept')).toHaveLength(2)
  })

  it('exits 1 where the receiver rejects or cannot be reached, and says so', async () => {
    const shop = await receiver(500)
    const rejected = await run(runtime, ['trigger', 'purchase', '--to', shop.url])
    expect(rejected).toMatchObject({ code: 1, stdout: expect.stringMatching(/: 500 in \d+ ms the shop says no/) })
    const closed = await nowhere()
    const failed = await run(runtime, ['trigger', 'purchase', '--to', closed])
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('Is the receiver running there?') })
    expect(failed.stderr).toMatch(/ECONNREFUSED|refused/i)
    const json = await run(runtime, ['trigger', 'purchase', '--to', closed, '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({ status: null, payload: { method: 'purchase' } })

    const listen = start(runtime, ['listen', '--port', '0', '--forward-to', closed, '--json'])
    const url = await listening(listen, '"start"')
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    })
    expect(response.status).toBe(502)
    await listen.seen('"forwarded"')
    listen.stop('SIGTERM')
    const { stdout } = await listen.ended
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines).toMatchObject([
      { type: 'start', url },
      { type: 'request', status: 200, event: { order_id: 'A-1', cc_token: '[hidden]' }, forwarded: { status: null } },
      { type: 'stop' },
    ])
  })

  it('keeps quiet when the reader of its output has gone, and stops serving', async () => {
    const help = await run(runtime, ['--help'], { brokenPipe: true })
    expect(help).toMatchObject({ code: 0, stderr: '' })
    const listen = start(runtime, ['listen', '--port', '0'])
    const url = await listening(listen, 'Ctrl-C stops it.')
    listen.closeStdout()
    // Whichever of them meets the closed pipe, the command ends by itself.
    for (let sent = 0; sent < 5; sent++) await fetch(url, { method: 'POST', body: 'x' }).catch(() => {})
    expect(await listen.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('ends with 130 on Ctrl-C while it waits for its input', async () => {
    const verify = start(runtime, ['verify', '--json'], { stdin: 'open' })
    await verify.fill()
    verify.stop('SIGINT')
    expect(await verify.ended).toEqual({ code: 130, stdout: '', stderr: '' })
  })

  it('lets the emulator book an event by hand, and reads its credentials from --write-env', async () => {
    const file = join(temporary(), 'emulator.env')
    const shop = await receiver()
    const emulator = start(runtime, ['emulator', '--port', '0', '--webhook-url', shop.url, '--write-env', file], {
      env: {},
    })
    const origin = await listening(emulator, 'Ctrl-C stops it.')
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain(`EDGETILL_BASE_URL=${origin.slice(0, -1)}\n`)
    const booked = await run(runtime, ['trigger', 'credit', '--emulator', origin, '--set', 'order_id=C-1'])
    expect(booked).toMatchObject({ code: 0, stdout: expect.stringContaining('"order_id":"C-1"') })
    await emulator.seen(`${'webhook credit success'.padEnd(28)}  C-1`)
    const verified = await run(runtime, ['verify', '--env-file', file], { stdin: shop.got.at(-1)?.body ?? '' })
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('credit success 100.50 UAH order C-1') })
    const rejected = await run(runtime, ['trigger', 'void', '--emulator', origin, '--set', 'order_id=C-1'])
    expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining('The emulator rejected it: 400') })
  })

  it('trigger sends a card token, and prints none', async () => {
    const shop = await receiver()
    const token = ['--set', 'cc_token=card-canary']
    const sent = await run(runtime, ['trigger', 'purchase', '--to', shop.url, ...token, '--json'])
    expect(JSON.parse(sent.stdout)).toMatchObject({ status: 200, payload: { cc_token: '[hidden]' }, body: '[hidden]' })
    const form = new URLSearchParams(shop.got[0]?.body)
    expect(verifyWebhook(form, SECRET)).toMatchObject({ cc_token: 'card-canary' })
    const without = await run(runtime, ['trigger', 'purchase', '--to', shop.url, '--json'])
    expect(JSON.parse(without.stdout)).toMatchObject({ body: shop.got[1]?.body })

    const { emulator, origin, close } = await serveEmulator({}, {})
    const init_recurring = { interval_unit: 'day', interval_count: 1 }
    expect((await post(emulator, '/api/v1/payment', direct(emulator, { init_recurring }))).status).toBe(200)
    const charge = ['trigger', 'charge', '--emulator', origin, '--set', 'order_id=A-1']
    const booked = [await run(runtime, charge), await run(runtime, [...charge, '--json'])]
    const wrong = await run(runtime, [...charge, '--set', 'cc_token=card-canary', '--json'])
    const { cc_token } = emulator.orders.get('A-1')?.payments[0] ?? {}
    await close()
    expect(cc_token).toMatch(/^emulator-token-/)
    expect(booked.map(({ code }) => code)).toEqual([0, 0])
    expect(booked[0]?.stdout).toContain('"cc_token":"[hidden]"')
    const { response } = JSON.parse(booked[1]?.stdout ?? '') as { response: string }
    expect(JSON.parse(response)).toMatchObject({ order_id: 'A-1', cc_token: '[hidden]' })
    expect([sent, ...booked, wrong].filter(({ stdout }) => /card-canary|emulator-token-/.test(stdout))).toEqual([])
  })

  it('takes a secret from a file, with or without a line break at its end', async () => {
    const file = join(temporary(), 'secret')
    writeFileSync(file, `${SECRET}\n`)
    expect(await run(runtime, ['verify', '--secret-file', file], { stdin: body, env: {} })).toMatchObject({ code: 0 })
    const broken = await run(runtime, ['verify'], { stdin: body, env: { EDGETILL_API_SECRET: `${SECRET}\n` } })
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('Not genuine: secret white space') })
  })
})

it('listen and replay print no card token that a receiver repeats', async () => {
  const shop = await serveOnNode(() => new Response('{ "cc_token": "card-canary" }', { status: 500 }))
  for (const json of [[], ['--json']]) {
    const folder = join(temporary(), 'kept')
    const words = ['listen', '--port', '0', '--forward-to', shop.origin, '--save', folder, ...json]
    const listen = start('node', words)
    const url = await listening(listen, json.length === 0 ? 'Ctrl-C stops it.' : '"start"')
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await fetch(url, { method: 'POST', headers, body })
    expect(await response.json()).toEqual({ cc_token: 'card-canary' })
    listen.stop('SIGINT')
    const replay = await run('node', ['replay', folder, ...json])
    const shown = (await listen.ended).stdout + replay.stdout
    expect(shown.match(/\[hidden\]/g)?.length).toBeGreaterThanOrEqual(2)
    expect(shown).not.toContain('card-canary')
  }
  await shop.close()
})

it('trigger and replay show at a terminal that the receiver takes long', async () => {
  let respond = () => {}
  const { origin, close } = await serveOnNode(
    () => new Promise<Response>((resolve) => (respond = () => resolve(new Response()))),
  )
  const folder = temporary()
  const headers: [string, string][] = []
  const saved = { received_at: '', method: 'POST', url: origin, forwarded_to: null, headers, summary: 'a webhook' }
  writeFileSync(join(folder, '1.json'), JSON.stringify({ ...saved, body: '', encoding: 'utf8' }))
  for (const words of [
    ['trigger', 'purchase', '--to', `${origin}/`],
    ['trigger', 'charge', '--emulator', origin],
    ['replay', folder],
  ]) {
    const running = start('node', words, { terminal: true })
    await running.seen('Waiting for the receiver … 1 s')
    respond()
    const { code, stdout } = await running.ended
    expect([words, code]).toEqual([words, 0])
    expect(stdout).toContain('\r\u001b[2KWaiting for the receiver … 1 s\r\u001b[2K')
  }
  await close()
})

it('guides/command-line.md states what Deno has to allow, for every verb', () => {
  // One starts wrangler, which needs Node; the other imports a file of yours, whatever that may need.
  const onNode = ['dev', 'step']
  const verbs = Object.keys(VERBS).filter((verb) => !onNode.includes(verb))
  expect(Object.keys(PERMISSIONS).sort()).toEqual(verbs.sort())
})
