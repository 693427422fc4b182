import { tmpdir } from 'node:os'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { verb as doctor } from '../../../src/cli/commands/doctor.ts'
import type { Finding } from '../../../src/cli/service/doctor/finding.ts'
import type { EmulatorOptions } from '../../../src/emulator/index.ts'
import { openShop } from '../../support/shop.ts'
import { type Around, against, hangingFetch, runVerb } from '../support/verb.ts'

// This checkout is a project, whose settings doctor would read.
beforeAll(() => void vi.spyOn(process, 'cwd').mockReturnValue(tmpdir()))

const CREDENTIALS = 'api_key, api_secret and pos_id'

/** The findings of doctor at an emulator, with some settings changed, whose `Date` headers differ by these seconds. */
async function examine(
  options: EmulatorOptions,
  changed: Record<string, string | undefined> = {},
  words: string[] = [],
  seconds = [0],
) {
  const shop = openShop({}, options)
  let asked = 0
  const fetch: Around['fetch'] = async (input, init) => {
    const { body, status } = await shop.emulator.fetch(input, init as RequestInit)
    const offset = seconds[asked++ % seconds.length]
    const date = offset !== undefined && new Date(Date.now() + offset * 1000).toUTCString()
    return new Response(body, { status, ...(date && { headers: { date } }) })
  }
  const settings = { ...against(shop.emulator).environment, ...changed }
  const environment = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  const ran = await runVerb(doctor, ['--json', ...words], { fetch, environment })
  const { ok, findings } = JSON.parse(ran.out) as { ok: boolean; findings: Finding[] }
  const result = (check: string) => findings.find((finding) => finding.check === check)
  return { shop, ran, ok, result, results: Object.fromEntries(findings.map((one) => [one.check, one.result])) }
}

describe('edgetill doctor', () => {
  it('finds everything in order, by GETs that change nothing', async () => {
    const { shop, ran, ok, results } = await examine({ authentication: 'either' })
    expect(results).toEqual({
      ...{ configuration: 'ok', base_url: 'ok', api_url: 'ok', clock: 'ok', authentication: 'ok' },
      ...{ [CREDENTIALS]: 'ok', endpoints_key: 'ok', 'webhook address': 'skipped' },
    })
    expect([ran.code, ok]).toEqual([0, true])
    expect(shop.emulator.requests().map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET'])
    expect(shop.events).toEqual([])
  })

  it.each([
    ['per-endpoint', 'per-endpoint', 'ok', /per-endpoint \(HMAC\), as configured/],
    ['per-endpoint', 'plain', 'failed', /requires HMAC/],
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
    expect([result(CREDENTIALS)?.result, result('endpoints_key')?.result]).toEqual(['ok', 'ok'])
  })

  it.each(['per-endpoint', 'plain', 'either'] as const)(
    'names the credential that %s does not accept',
    async (kind) => {
      const endpoints = await examine({ authentication: kind }, { EDGETILL_ENDPOINTS_KEY: 'other' })
      expect(endpoints.results).toMatchObject({ [CREDENTIALS]: 'ok', endpoints_key: 'failed' })
      const posId = '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11'
      const wrong = { API_KEY: 'other', API_SECRET: 'other', SCHEME: 'OTHER', POS_ID: posId }
      for (const [name, value] of Object.entries(wrong)) {
        const { results, result } = await examine({ authentication: kind }, { [`EDGETILL_${name}`]: value })
        expect(results).toMatchObject({ [CREDENTIALS]: 'failed', endpoints_key: 'skipped', authentication: 'failed' })
        expect(result(CREDENTIALS)?.message).toContain("The service's reason: ")
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
    [[1, -90], 'ok', /agrees/],
    [[], 'skipped', /no response has a Date/],
  ])('a Date header that differs by %j s', async (seconds, verdict, message) => {
    const { result } = await examine({ authentication: 'either' }, {}, [], seconds)
    expect(result('clock')).toMatchObject({ result: verdict, message: expect.stringMatching(message) })
  })

  it('ends on Ctrl-C with 130, and finds nothing wrong', async () => {
    const fetch = hangingFetch()
    const { environment } = against(openShop().emulator)
    const { code, out, err } = await runVerb(doctor, [], { environment, fetch, stopped: fetch.asked })
    expect([code, out, err]).toEqual([130, '', ''])
  })

  it('reports what is missing or wrong in the configuration as a finding, with its fix', async () => {
    const missing = await examine({}, { EDGETILL_API_KEY: undefined, EDGETILL_BASE_URL: undefined })
    const found = missing.result('configuration')
    expect(found).toMatchObject({
      result: 'failed',
      message: 'Missing configuration: EDGETILL_BASE_URL, EDGETILL_API_KEY.',
      fix: expect.stringMatching(/^Set them in the environment(?!.*(doctor|emulator))/),
    })
    expect(missing.shop.emulator.requests()).toEqual([])
    const wrong = await examine({}, { EDGETILL_POS_ID: 'shop' })
    expect(wrong.result('configuration')?.message).toContain('posId must be a UUID')
    const { code, out } = await runVerb(doctor, [], { environment: {} })
    expect(out).toMatch(/^failed {3}configuration: Missing configuration: EDGETILL_BASE_URL, .*EDGETILL_SCHEME\.\n/)
    expect(out).toContain('\n         fix: Set them in the environment or in a file for --env-file')
    expect(out).toContain('start edgetill emulator --write-env emulator.env and add --env-file emulator.env here.')
    expect([missing.ran.code, wrong.ran.code, code]).toEqual([1, 1, 1])
  })

  it('checks the address of webhooks too', async () => {
    const { results, ran } = await examine({}, {}, ['--webhook-url', 'https://10.0.0.1:9000/'])
    expect(results).toMatchObject({ 'webhook address': 'failed', 'webhook port': 'failed' })
    expect(ran.code).toBe(1)
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
    const results = [configuration, base, api, authentication].map((one) => one?.result)
    expect(results).toEqual(['ok', 'failed', 'failed', 'warning'])
    expect(base?.fix).toContain(fix)
    expect(code).toBe(1)
  })
})
