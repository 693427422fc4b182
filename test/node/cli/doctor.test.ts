import { tmpdir } from 'node:os'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { command as doctor } from '../../../src/cli/commands/doctor.ts'
import type { Finding } from '../../../src/cli/service/doctor/finding.ts'
import { checkWebhookAddress } from '../../../src/cli/service/doctor/webhook-address.ts'
import { checkWebhookReceiver } from '../../../src/cli/service/doctor/webhook-receiver.ts'
import type { EmulatorOptions } from '../../../src/emulator/index.ts'
import { createWebhookHandler } from '../../../src/index.ts'
import { openShop } from '../../support/shop.ts'
import { type Around, against, hangingFetch, runVerb } from '../support/verb.ts'

// This checkout is a project, whose settings doctor would read.
beforeAll(() => void vi.spyOn(process, 'cwd').mockReturnValue(tmpdir()))

const CREDENTIALS = 'api_key, api_secret and pos_id'

/** What doctor finds at an emulator, with some settings changed. */
async function examine(
  options: EmulatorOptions,
  changed: Record<string, string | undefined> = {},
  words: string[] = [],
) {
  const shop = openShop({}, options)
  // The emulator's clock stands still; a service's does not.
  const fetch: Around['fetch'] = async (input, init) => {
    const response = await shop.emulator.fetch(input, init as RequestInit)
    return new Response(response.body, { status: response.status, headers: { date: new Date().toUTCString() } })
  }
  const settings = { ...against(shop.emulator).environment, ...changed }
  const environment = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  const ran = await runVerb(doctor, ['--json', ...words], { fetch, environment })
  const { ok, findings } = JSON.parse(ran.out) as { ok: boolean; findings: Finding[] }
  const result = (check: string) => findings.find((finding) => finding.check === check)
  return {
    shop,
    ran,
    ok,
    findings,
    result,
    results: Object.fromEntries(findings.map((one) => [one.check, one.result])),
  }
}

describe('edgetill doctor', () => {
  it('finds everything in order, by GETs that change nothing', async () => {
    const { shop, ran, ok, results } = await examine({ authentication: 'either' })
    expect(results).toEqual({
      configuration: 'ok',
      base_url: 'ok',
      api_url: 'ok',
      clock: 'ok',
      authentication: 'ok',
      [CREDENTIALS]: 'ok',
      endpoints_key: 'ok',
      'webhook address': 'skipped',
    })
    expect([ran.code, ok]).toEqual([0, true])
    expect(shop.emulator.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET'])
    expect(shop.events).toEqual([])
  })

  it('prints each finding with its fix, for people', async () => {
    const { emulator } = openShop()
    const { environment, fetch } = against(emulator)
    const wrong = { ...environment, EDGETILL_ENDPOINTS_KEY: 'other' }
    const { code, out } = await runVerb(doctor, [], { fetch, environment: wrong })
    expect(out).toMatch(/\nfailed {3}endpoints_key: not accepted\. .*\n {9}fix: Set EDGETILL_ENDPOINTS_KEY/)
    expect(code).toBe(1)
  })

  it.each([
    ['per-endpoint', 'per-endpoint', 'ok', /per-endpoint \(HMAC\), as configured/],
    ['per-endpoint', 'plain', 'failed', /wants HMAC/],
    ['plain', 'plain', 'ok', /plain on every call, as configured/],
    ['plain', 'per-endpoint', 'failed', /does not take the HMAC signature/],
    ['either', 'per-endpoint', 'ok', /takes both/],
    ['either', 'plain', 'ok', /takes both/],
  ] as const)('a service that takes %s, where %s is configured', async (taken, configured, verdict, message) => {
    const { result } = await examine({ authentication: taken }, { EDGETILL_AUTHENTICATION: configured })
    const found = result('authentication')
    expect(found).toMatchObject({ result: verdict, message: expect.stringMatching(message) })
    expect(found?.fix).toBe(
      verdict === 'ok' ? undefined : `Set EDGETILL_AUTHENTICATION=${taken} (authentication: '${taken}' in the SDK).`,
    )
    expect(result(CREDENTIALS)?.result).toBe('ok')
    expect(result('endpoints_key')?.result).toBe('ok')
  })

  it.each(['per-endpoint', 'plain', 'either'] as const)(
    'names the credential that %s does not accept',
    async (kind) => {
      const endpoints = await examine({ authentication: kind }, { EDGETILL_ENDPOINTS_KEY: 'other' })
      expect(endpoints.results).toMatchObject({ [CREDENTIALS]: 'ok', endpoints_key: 'failed' })
      for (const [name, value] of [
        ['EDGETILL_API_KEY', 'other'],
        ['EDGETILL_API_SECRET', 'other'],
        ['EDGETILL_SCHEME', 'OTHER'],
        ['EDGETILL_POS_ID', '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11'],
      ] as const) {
        const { results, result } = await examine({ authentication: kind }, { [name]: value })
        expect(results).toMatchObject({ [CREDENTIALS]: 'failed', endpoints_key: 'skipped', authentication: 'failed' })
        expect(result(CREDENTIALS)?.message).toContain('The service says: ')
      }
    },
  )

  it('cannot check the endpoints key alone without api_url, and says so', async () => {
    const right = await examine({}, { EDGETILL_API_URL: undefined })
    expect(right.results).toMatchObject({ api_url: 'skipped', [CREDENTIALS]: 'ok', endpoints_key: 'ok' })
    const wrong = await examine({}, { EDGETILL_API_URL: undefined, EDGETILL_ENDPOINTS_KEY: 'other' })
    expect(wrong.results).toMatchObject({ [CREDENTIALS]: 'failed', endpoints_key: 'skipped' })
    expect(wrong.result(CREDENTIALS)?.fix).toContain('With EDGETILL_API_URL')
  })

  it.each([
    [[-3600, -3601], 'failed', / s ahead of the service/],
    [[+120], 'failed', / s behind the service/],
    // One slow response does not mean that the clock is wrong.
    [[-90, 1], 'ok', /agrees/],
    [[], 'skipped', /no response has a Date/],
  ])('a Date header that differs by %j s', async (seconds, verdict, message) => {
    const { emulator } = openShop({}, { authentication: 'either' })
    let asked = 0
    const fetch: Around['fetch'] = async (input, init) => {
      const response = await emulator.fetch(input, init as RequestInit)
      const offset = seconds[asked++ % Math.max(1, seconds.length)]
      const date = offset === undefined ? {} : { date: new Date(Date.now() + offset * 1000).toUTCString() }
      return new Response(response.body, { status: response.status, headers: date as Record<string, string> })
    }
    const { out } = await runVerb(doctor, ['--json'], { ...against(emulator), fetch })
    const clock = (JSON.parse(out) as { findings: Finding[] }).findings.find(({ check }) => check === 'clock')
    expect(clock).toMatchObject({ result: verdict, message: expect.stringMatching(message) })
  })

  it('ends on Ctrl-C with 130, and finds nothing wrong', async () => {
    const fetch = hangingFetch()
    const { environment } = against(openShop().emulator)
    const { code, out, err } = await runVerb(doctor, [], { environment, fetch, stopped: fetch.asked })
    expect([code, out, err]).toEqual([130, '', ''])
  })

  it('reports what is missing or wrong in the configuration as a finding', async () => {
    const missing = await examine({}, { EDGETILL_API_KEY: undefined, EDGETILL_BASE_URL: undefined })
    expect(missing.result('configuration')).toMatchObject({
      result: 'failed',
      message: 'Missing configuration: EDGETILL_BASE_URL, EDGETILL_API_KEY.',
      fix: expect.stringContaining('Set them in the environment'),
    })
    expect(missing.shop.emulator.requests).toEqual([])
    expect(missing.result('configuration')?.fix).not.toMatch(/doctor|emulator/)
    const wrong = await examine({}, { EDGETILL_POS_ID: 'shop' })
    expect(wrong.result('configuration')?.message).toContain('posId must be a UUID')
    expect([missing.ran.code, wrong.ran.code]).toEqual([1, 1])
  })

  it('says what to do first where nothing is configured', async () => {
    const { code, out } = await runVerb(doctor, [], { environment: {} })
    expect(out).toMatch(
      /^failed {3}configuration: Missing configuration: EDGETILL_BASE_URL, .*EDGETILL_ENDPOINTS_KEY, EDGETILL_SCHEME\.\n/,
    )
    expect(out).toContain('\n         fix: Set them in the environment or in a file for --env-file')
    expect(out).toContain(
      'Without an account, start edgetill emulator --write-env emulator.env and add --env-file emulator.env here.',
    )
    expect(out).not.toContain('edgetill doctor')
    expect(code).toBe(1)
  })

  it.each([
    ['ENOTFOUND', () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } })), 'the network'],
    ['503', async () => new Response('<h1>busy</h1>', { status: 503 }), 'try again later'],
    ['a page', async () => new Response('<h1>It works!</h1>'), 'Is EDGETILL_BASE_URL the address'],
  ])('a service that responds with %s is not reachable', async (_, fetch, fix) => {
    const { environment } = against(openShop().emulator)
    const { code, out } = await runVerb(doctor, ['--json'], { environment, fetch })
    const { findings } = JSON.parse(out) as { findings: Finding[] }
    const [configuration, base, api, , authentication] = findings
    expect([configuration, base, api, authentication].map((one) => one?.result)).toEqual([
      'ok',
      'failed',
      'failed',
      'warning',
    ])
    expect(base?.fix).toContain(fix)
    expect(code).toBe(1)
  })
})

describe('a webhook address', () => {
  const lookup = async (host: string): Promise<string[]> => {
    if (host === 'shop.example.com') return ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c']
    if (host === 'office.example.com') return ['93.184.215.14', '192.168.1.5']
    throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
  }
  const check = async (url: string) =>
    Object.fromEntries((await checkWebhookAddress(url, lookup)).map(({ check, result }) => [check, result]))

  it.each([
    ['https://shop.example.com/hook', 'ok', 'ok', 'ok'],
    ['https://shop.example.com:8443/hook', 'ok', 'ok', 'ok'],
    ['https://shop.example.com:9000/hook', 'ok', 'failed', 'ok'],
    ['http://shop.example.com/hook', 'ok', 'failed', 'warning'],
    ['https://office.example.com/hook', 'failed', 'ok', 'ok'],
    ['https://gone.example.com/hook', 'failed', 'ok', 'ok'],
    ['https://localhost/hook', 'failed', 'ok', 'ok'],
    ['https://mac.local/hook', 'failed', 'ok', 'ok'],
    ['https://shop/hook', 'failed', 'ok', 'ok'],
    ['https://127.0.0.1/hook', 'failed', 'ok', 'ok'],
    ['https://10.1.2.3/hook', 'failed', 'ok', 'ok'],
    ['https://172.31.255.255/hook', 'failed', 'ok', 'ok'],
    ['https://172.32.0.1/hook', 'ok', 'ok', 'ok'],
    ['https://100.64.0.1/hook', 'failed', 'ok', 'ok'],
    ['https://[::1]/hook', 'failed', 'ok', 'ok'],
    ['https://[fd00::1]/hook', 'failed', 'ok', 'ok'],
    ['https://[::ffff:10.0.0.1]/hook', 'failed', 'ok', 'ok'],
    ['https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/hook', 'ok', 'ok', 'ok'],
  ])('%s', async (url, address, port, protocol) => {
    expect(await check(url)).toEqual({ 'webhook address': address, 'webhook port': port, 'webhook protocol': protocol })
  })

  it('that is invalid is reported as invalid', async () => {
    expect(await check('shop.example.com')).toEqual({ 'webhook address': 'failed' })
    const { results, ran } = await examine({}, {}, ['--webhook-url', 'https://10.0.0.1:9000/'])
    expect(results).toMatchObject({ 'webhook address': 'failed', 'webhook port': 'failed' })
    expect(ran.code).toBe(1)
  })
})

describe('a webhook receiver', () => {
  const HTML = { 'content-type': 'text/html' }
  const page =
    (status: number, text = '', headers: Record<string, string> = HTML) =>
    async () =>
      new Response(text || null, { status, headers })
  const own = createWebhookHandler({ secrets: 'secret', onEvent() {}, onRejected() {} })
  const check = (fetch: Required<Around>['fetch']) => checkWebhookReceiver('https://shop.example.com/hook', fetch)

  it('of this package is recognized by its 401; the form has no Origin and follows no redirect', async () => {
    const sent: Request[] = []
    const { result, message } = await check((input, init) => {
      const request = new Request(input, init)
      sent.push(request.clone())
      return own(request)
    })
    expect([result, message]).toEqual(['ok', "responded 401 to an unsigned form, as edgetill's receiver does"])
    const [{ method, redirect, headers } = new Request('http://x')] = sent
    expect([method, redirect, headers.get('origin')]).toEqual(['POST', 'manual', null])
  })

  it.each([
    ['SvelteKit', page(403, 'Cross-site POST form submissions are forbidden', {}), 'SvelteKit or Astro', '"SvelteKit"'],
    ['another CSRF check', page(403, 'CSRF token missing', {}), 'the cross-site check of a framework', 'receivers.md'],
    ['a wrong path', page(404), 'nothing at this path', 'Compare the path'],
    ['a GET route', page(405), 'does not take POST', 'Compare the path'],
    ['a proxy', page(403, '<center>nginx</center>'), 'the proxy nginx', '35.187.74.148'],
    ['a proxy without its server', page(502, '', { server: 'openresty/nginx' }), 'the proxy nginx', '35.187.74.148'],
    ['a firewall', page(403, '', { 'cf-mitigated': 'challenge' }), "Cloudflare's firewall", '35.187.74.148'],
    ['any 403', page(403, 'no', {}), 'something before the receiver', 'SvelteKit, Astro, and a proxy'],
    [
      'a redirect',
      page(308, '', { location: 'https://www.shop.example.com/hook?a=b' }),
      'to https://www.shop.example.com/hook',
      'final address',
    ],
    ['a login redirect', page(302, '', { location: '/login?next=/hook' }), 'to a login page', 'Except this path'],
    ['a login page', page(200, '<input type="password">'), 'asks for a login', 'Except this path'],
    ['basic authentication', page(401, 'Authorization Required', {}), 'asks for a login', 'Except this path'],
    ['a page', page(200, '<h1>Shop</h1>'), 'a page, not a receiver', 'Check the path'],
    ['a receiver that verifies nothing', page(200, 'OK', {}), 'takes what is not signed', 'verify the signature'],
    ['a body parser', page(415, '', {}), 'a body parser', 'Mount the receiver before it'],
    ['a mistake', page(500, 'Internal error', {}), 'a mistake in the receiver', 'Its log names'],
    ['a receiver that is down', page(503, '', {}), 'responded 503', 'Look at both logs'],
    ['another API', page(422, '{}', {}), 'not with 400 or 401', 'Check the path'],
    [
      'nothing',
      () => Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })),
      'no response from this machine (ECONNREFUSED)',
      'running',
    ],
  ])('is not what responds with %s', async (_, fetch, message, fix) => {
    expect(await check(fetch)).toMatchObject({
      result: 'failed',
      message: expect.stringContaining(message),
      fix: expect.stringContaining(fix),
    })
  })
})
