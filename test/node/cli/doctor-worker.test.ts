import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { verb as doctor } from '../../../src/cli/commands/doctor.ts'
import type { Finding } from '../../../src/cli/service/doctor/finding.ts'
import { createEmulator } from '../../../src/emulator/index.ts'
import { ADMIN_TOKEN, ORIGIN, World } from '../../worker/support/world.ts'
import { Document } from '../support/document.ts'
import { temporaryFolder } from '../support/fixtures.ts'
import { root } from '../support/runtimes.ts'
import { type Around, runVerb } from '../support/verb.ts'

const folder = temporaryFolder()
const project = join(folder, 'wrangler.toml')
const TOML = readFileSync(join(root, 'wrangler.toml'), 'utf8')
beforeAll(() => void vi.spyOn(process, 'cwd').mockReturnValue(folder))
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
})

type Answer = (request: Request) => Response | Promise<Response>

async function examine(respond: Answer, words: string[] = ['--worker-url', ORIGIN], token = ADMIN_TOKEN) {
  const calls: string[] = []
  const fetch: Around['fetch'] = async (input, init) => {
    const request = new Request(input, init)
    const { pathname, host } = new URL(request.url)
    calls.push(`${request.method} ${pathname}`)
    if (/^gone/.test(host)) throw new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } })
    return respond(request)
  }
  const environment = token === '' ? {} : { EDGETILL_WORKER_TOKEN: token }
  const ran = await runVerb(doctor, ['--json', ...words], { fetch, environment })
  const { findings = [] } = JSON.parse(ran.out || '{}') as { findings: Finding[] }
  const results = Object.fromEntries(findings.map(({ check, result }) => [check, result]))
  const text = findings.map(({ message, fix }) => `${message} ${fix}`).join('\n')
  return { ...ran, findings, results, text, calls }
}

const RIGHT = {
  ...{ service: 'skipped', 'webhook address': 'skipped', worker: 'ok', 'worker token': 'ok', 'worker MODE': 'skipped' },
  ...{ 'webhook receiver': 'ok', 'worker PUBLIC_ORIGIN': 'ok', 'worker link': 'ok' },
}

it('doctor --worker-url finds a worker in order, and leaves no link and no payment open', async () => {
  const world = new World({ kind: 'strict', env: { MODE: 'test' } })
  // As worker/README.md says it.
  const { text } = new Document('worker/README.md')
  const words = /`npx edgetill doctor (--worker-url \S+ --token-file) token\.txt`/.exec(text)?.[1]?.split(' ') ?? []
  const file = join(folder, 'token.txt')
  writeFileSync(file, `${ADMIN_TOKEN}\n`)
  const { code, results, calls } = await examine((request) => world.fetch(request), [...words, file], '')
  expect([code, results]).toEqual([0, RIGHT])
  const sent = world.emulator.requests().map(({ method, path, status }) => [method, path.split('/').at(-1), status])
  expect(sent.filter(([method]) => method === 'POST').slice(-1)).toEqual([['POST', 'cancel', 200]])
  await world.emulator.deliveries.idle()
  const link = calls.find((call) => call.startsWith('GET /checkout/')) ?? ''
  expect((await world.get(ORIGIN + link.slice('GET '.length))).status).not.toBe(303)
  const changes = calls.filter((call) => /^(DELETE|POST)/.test(call)).map((call) => call.split('/')[2])
  expect(changes).toEqual([undefined, 'links', 'links', 'orders'])
})

it('doctor --worker-url says that a shop is closed, and makes no link there', async () => {
  const world = new World({ kind: 'strict', canMove: true })
  await world.send('/api/log/close')
  const { code, results, text, calls } = await examine((request) => world.fetch(request))
  expect([code, results.worker, text.includes('is closed'), calls]).toEqual([1, 'failed', true, ['GET /health']])
})

describe('doctor --worker-url', () => {
  const worker = (env: object, options: object = {}): Answer => {
    const world = new World({ kind: 'strict', env: { MODE: 'test', ...env }, ...options })
    return (request) => world.fetch(request)
  }
  /** A worker in live mode, as far as doctor can see, with some responses changed. */
  const standIn = (webhooks = new Response('Unauthorized', { status: 401 }), health: object = {}): Answer => {
    const responses = { '/health': Response.json({ status: 'ok', ...health }), '/webhooks': webhooks }
    return ({ url }) => responses[new URL(url).pathname as '/health']?.clone() ?? new Response('', { status: 404 })
  }
  const LIVE = TOML.replaceAll('POS_ID = ""', 'POS_ID = "p"').replace(
    /(\[env.live.vars\][\s\S]*)PUBLIC_ORIGIN = ""/,
    `$1PUBLIC_ORIGIN = "${ORIGIN}"`,
  )

  const NO_LINK = { 'worker PUBLIC_ORIGIN': undefined, 'worker link': 'failed' }
  const NOT_TRIED = { 'worker PUBLIC_ORIGIN': 'skipped', 'worker link': 'skipped' }
  const TOKEN = 'a-token-of-32-characters-for-olena'
  const REFUSED = () => Promise.reject(new TypeError('', { cause: { code: 'ECONNREFUSED' } }))

  it.each<[what: string, respond: Answer, unlike: object | undefined, texts: string[], toml?: string]>([
    [
      'an address that customers cannot reach',
      worker({ PUBLIC_ORIGIN: 'https://gone.example.com' }),
      { 'worker PUBLIC_ORIGIN': 'failed', 'worker link': 'skipped' },
      ['https://gone.example.com does not respond (ENOTFOUND)', 'Set it to the origin that customers reach'],
    ],
    ['no address', worker({ PUBLIC_ORIGIN: '' }), NO_LINK, ['not made (409)', 'Set PUBLIC_ORIGIN']],
    [
      'wrong credentials of the service',
      worker({ API_KEY: 'other' }),
      { 'worker link': 'failed' },
      ['opens no payment: the worker responded', 'Check its credentials of the service'],
    ],
    [
      'live mode with the addresses of the emulator',
      worker({ MODE: 'live' }),
      {
        ...{ worker: undefined, ...NOT_TRIED },
        ...{ 'worker POS_ID': 'failed', 'worker API_KEY': 'failed', 'webhook receiver': 'failed' },
      },
      ['belongs to the emulator, but MODE is live', 'npx wrangler secret put API_KEY', 'Correct it in wrangler.toml'],
    ],
    [
      'a worker that accepts a forged webhook',
      standIn(new Response('OK')),
      { 'webhook receiver': 'failed', ...NOT_TRIED },
      ['accepts unsigned webhooks'],
    ],
    [
      "live mode with the test's POS",
      standIn(),
      { 'worker MODE': 'failed', 'worker link': 'skipped' },
      [
        'live, but POS_ID are those of [env.test.vars]',
        'Write the values that the service gave you for live into [env.live.vars].',
      ],
      LIVE,
    ],
    [
      'test mode at the address of live',
      standIn(undefined, { mode: 'test' }),
      { 'worker MODE': 'failed', ...NO_LINK },
      ['the worker runs as test', 'Set MODE = "live" in [env.live.vars], and deploy again.'],
      LIVE,
    ],
    [
      'a live worker that rejects other senders',
      standIn(new Response('Forbidden', { status: 403 })),
      { 'worker MODE': 'ok', 'worker link': 'skipped' },
      [],
      LIVE.replace('POS_ID = "p"', 'POS_ID = "q"'),
    ],
    ...[
      ['short', 'sell', 'the token of taras must have at least 32 visible characters'],
      [TOKEN, 'sell', 'the token of taras is that of olena'],
      [TOKEN.toUpperCase(), 'boss', 'the role of taras must be'],
    ].map(([token = '', role = '', text = '']): [string, Answer, object, string[]] => [
      `PEOPLE: ${text}`,
      worker({ PEOPLE: JSON.stringify({ olena: { token: TOKEN, role: 'all' }, taras: { token, role } }) }),
      { worker: undefined, 'worker PEOPLE': 'failed', 'worker token': 'failed', ...NO_LINK, 'worker link': 'skipped' },
      [text, 'Set it with `npx wrangler secret put PEOPLE`'],
    ]),
    ['a page', () => new Response('<h1>It works!</h1>'), undefined, ['Is --worker-url the origin']],
    ['nothing', REFUSED, undefined, [`no response at ${ORIGIN} (ECONNREFUSED)`, 'is the worker deployed']],
  ])('%s', async (_, respond, unlike, texts, toml) => {
    if (toml !== undefined) writeFileSync(project, toml)
    const { code, results, text, calls } = await examine(respond)
    const expected: Record<string, string> = unlike ? { ...RIGHT, ...unlike } : { worker: 'failed' }
    expect(results).toMatchObject(Object.fromEntries(Object.entries(expected).filter(([, result]) => result)))
    expect(texts.filter((one) => !text.includes(one))).toEqual([])
    expect(text.toLowerCase()).not.toContain(TOKEN)
    expect(code).toBe(Object.values(results).includes('failed') ? 1 : 0)
    // Whatever is not right has a fix.
    const right = Object.values(results).filter((result) => /ok|skipped/.test(result))
    expect(text.match(/undefined$/gm) ?? []).toHaveLength(right.length)
    if (results['worker link'] === 'skipped' && expected['worker PUBLIC_ORIGIN'] !== 'failed') {
      expect(calls.filter((call) => call.includes('/api/links'))).toEqual([])
    }
  })

  it('names a token that the worker does not have', async () => {
    const { code, results, text, calls } = await examine(worker({}), undefined, 'x'.repeat(32))
    const unlike = { 'worker token': 'failed', 'worker PUBLIC_ORIGIN': undefined, 'worker link': 'skipped' }
    expect([code, results]).toEqual([1, { ...RIGHT, ...unlike }])
    expect(text).toContain('Pass the ADMIN_TOKEN that this worker has')
    expect(calls).not.toContain('POST /api/links')
  })

  it('ends on Ctrl-C with 130, after taking back what it made', async () => {
    const respond = worker({})
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
    const calls: string[] = []
    const fetch: Around['fetch'] = async (input, init) => {
      const request = new Request(input, init)
      calls.push(`${request.method} ${new URL(request.url).pathname.split('/')[1]}`)
      if (!calls.at(-1)?.startsWith('GET checkout')) return respond(request)
      stop()
      return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
    }
    const environment = { EDGETILL_WORKER_TOKEN: ADMIN_TOKEN }
    const { code, out } = await runVerb(doctor, ['--worker-url', ORIGIN], { fetch, environment, stopped })
    expect([code, out, calls.slice(-2)]).toEqual([130, '', ['DELETE api', 'POST api']])
  })
})

describe('doctor in a project', () => {
  const emulator = createEmulator({ origin: 'http://127.0.0.1:4010', authentication: 'either' })
  const SECRETS = 'API_KEY=emulator-api-key\nAPI_SECRET=emulator-api-secret\nENDPOINTS_KEY=emulator-endpoints-key\n'

  it.each([
    [SECRETS, ['--env-file', join(folder, '.dev.vars')], 0, 'complete (wrangler.toml, .dev.vars)'],
    [SECRETS, ['--scheme', 'OTHER'], 1, 'wrangler.toml, .dev.vars, --scheme'],
    ['', [], 1, 'This project has them in wrangler.toml and .dev.vars, without EDGETILL_.'],
  ])('reads wrangler.toml and .dev.vars: %j %j', async (secrets, words, expected, message) => {
    writeFileSync(project, TOML)
    writeFileSync(join(folder, '.dev.vars'), secrets)
    const { code, text } = await examine((request) => emulator.fetch(request), words, '')
    expect(text).toContain(message)
    expect(code).toBe(expected)
  })

  it('takes the token of .dev.vars for the worker on this machine', async () => {
    writeFileSync(project, TOML)
    writeFileSync(join(folder, '.dev.vars'), `${SECRETS}ADMIN_TOKEN=${ADMIN_TOKEN}\n`)
    const world = new World({ kind: 'strict', env: { MODE: 'test', PUBLIC_ORIGIN: '' } })
    const local = await examine((request) => world.fetch(request), ['--worker-url', 'http://127.0.0.1:8787'], '')
    expect(local.results).toEqual({ ...RIGHT, 'worker MODE': 'ok', version: 'skipped' })
    const other = await examine((request) => world.fetch(request), undefined, '')
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('EDGETILL_WORKER_TOKEN')])
  })
})
