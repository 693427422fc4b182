import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { verb as balances } from '../../../src/cli/commands/balances.ts'
import { capture, recurringCancel, refund } from '../../../src/cli/commands/change-order.ts'
import { verb as order } from '../../../src/cli/commands/order.ts'
import { verb as payment } from '../../../src/cli/commands/payment.ts'
import { verb as resend } from '../../../src/cli/commands/resend.ts'
import { writeWhole } from '../../../src/cli/terminal/environment.ts'
import { openShop, type Shop } from '../../support/shop.ts'
import { temporaryFolder } from '../support/fixtures.ts'
import { type Around, against, hangingFetch, runVerb } from '../support/verb.ts'

let shop: Shop
let around: Required<Pick<Around, 'environment' | 'fetch'>>
const folder = temporaryFolder()

beforeEach(() => {
  shop = openShop()
  around = against(shop.emulator)
})

const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(around.environment).filter(([name]) => !names.includes(name)))

const file = async (name: string, text: string | Uint8Array): Promise<string> => {
  await writeFile(join(folder, name), text)
  return join(folder, name)
}

it('settings come from flags, then from an env file, then from the environment; a secret from a separate file', async () => {
  const { baseUrl, apiUrl, posId, scheme, apiSecret, endpointsKey } = shop.emulator.credentials
  const names = ['BASE_URL', 'API_URL', 'POS_ID', 'SCHEME'].map((name) => `EDGETILL_${name}`)
  const words = ['--base-url', baseUrl, '--api-url', apiUrl, '--pos-id', posId, '--scheme', scheme]
  const run = async (given: string[], environment: Around['environment'] = around.environment) =>
    await runVerb(balances, given, { ...around, environment })
  expect((await run(words, without(...names))).code).toBe(0)
  const other = await run([...words, '--scheme', 'OTHER'])
  expect(other.err).toContain('rejected with 401')
  expect(other.err).toContain('edgetill doctor finds out which credential is not accepted.')
  expect(other.code).toBe(1)

  const env = await file(
    'shop.env',
    `# test\nEDGETILL_API_SECRET='${apiSecret}'\nEDGETILL_ENDPOINTS_KEY=${endpointsKey}\n`,
  )
  const live = { ...around.environment, EDGETILL_API_SECRET: 'live-secret' }
  expect([(await run(['--env-file', env], live)).code, (await run([], live)).code]).toEqual([0, 1])

  const secret = await file('secret', `${apiSecret}\n`)
  expect((await run(['--secret-file', secret], without('EDGETILL_API_SECRET'))).code).toBe(0)
})

describe('wrong settings exit 2 and say how to correct them', () => {
  it('names everything that is missing at once', async () => {
    const { code, err } = await runVerb(balances, [], { ...around, environment: {} })
    expect(err).toMatch(/^Missing configuration: EDGETILL_BASE_URL, EDGETILL_POS_ID, .*_KEY, EDGETILL_SCHEME\.\n/)
    expect(err).toContain('--base-url, --pos-id and --scheme can be flags as well')
    expect(err).toContain('edgetill doctor checks the configuration.')
    expect(code).toBe(2)
  })

  it.each<[object, string[], string | RegExp]>([
    [
      { EDGETILL_BASE_URL: 'http://pay.example.com' },
      [],
      /must be https:.*--allow-insecure-http.*_BASE_URL, from: env/,
    ],
    [{ EDGETILL_POS_ID: 'shop' }, [], /posId must be a UUID.*EDGETILL_POS_ID, from: environment/],
    [{ EDGETILL_AUTHENTICATION: 'basic' }, [], /EDGETILL_AUTHENTICATION must be per-endpoint or plain/],
    [{}, ['--env-file', 'nowhere.env'], '--env-file nowhere.env cannot be read: there is no such file.'],
    [{}, ['--secret-file', 'nowhere'], '--secret-file nowhere cannot be read: there is no such file.'],
    [{}, ['--timeout', 'soon'], 'It takes a time like 500ms'],
    [{}, ['--timeout', '0'], '--timeout in milliseconds must be a whole number from 1'],
  ])('%j %j', async (changed, words, text) => {
    const environment = { ...around.environment, ...changed }
    const { code, err } = await runVerb(balances, words, { ...around, environment })
    expect(err).toMatch(text)
    expect([code, shop.emulator.requests().length]).toEqual([2, 0])
  })
})

it.each(['--env-file', '--secret-file'])('%s that is not UTF-8 is not taken for an empty one', async (option) => {
  const text = 'EDGETILL_API_SECRET=secret\n'
  for (const bytes of [
    Buffer.from(text, 'utf16le'),
    Buffer.from(`\uFEFF${text}`, 'utf16le'),
    Uint8Array.of(0xff, 0x41),
  ]) {
    const { code, err } = await runVerb(balances, [option, await file('not-utf-8', bytes)], around)
    expect([code, err]).toEqual([2, expect.stringContaining('cannot be read: it is not a text in UTF-8.')])
  }
})

describe('the service', () => {
  it('may be http:// beyond loopback with --allow-insecure-http, or its variable, alone', async () => {
    const { credentials, fetch } = shop.emulator
    const environment = { ...around.environment, EDGETILL_API_URL: 'http://emulator.example/balances-api' }
    const relayed: Around = {
      environment: { ...environment, EDGETILL_BASE_URL: 'http://emulator.example' },
      fetch: (input, init) =>
        fetch(String(input).replace('http://emulator.example', credentials.baseUrl), init as RequestInit),
    }
    expect((await runVerb(balances, [], relayed)).code).toBe(2)
    expect((await runVerb(balances, ['--allow-insecure-http'], relayed)).code).toBe(0)
    const withVariable = (EDGETILL_ALLOW_INSECURE_HTTP: string) =>
      runVerb(balances, [], { ...relayed, environment: { ...relayed.environment, EDGETILL_ALLOW_INSECURE_HTTP } })
    expect((await withVariable('true')).code).toBe(0)
    expect((await withVariable('false')).code).toBe(2)
  })

  it('that cannot be reached exits 1, with what to check', async () => {
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }))
    const { code, err, out } = await runVerb(balances, [], { ...around, fetch })
    expect(err).toMatch(/could not reach.*Cause: ECONNREFUSED\. Check EDGETILL_BASE_URL .*edgetill doctor/s)
    expect([code, out]).toEqual([1, ''])
  })

  it('cannot colour or hide what a terminal shows', async () => {
    const evil = '\u001b[8mhidden\u001b[31m\u001b[2J\r\n'
    const record = {
      ...{ payment_id: 'p', operation_id: 'o', order_id: 'A-1', method: 'capture', mode: 'hosted' },
      ...{ status: `success${evil}`, recurring_status: evil, user_action_url: evil },
    }
    const responses = [
      () => Response.json({ message: evil, args: [{ field_name: evil, violation: evil }] }, { status: 400 }),
      () => new Response(null, { status: 307, headers: { location: 'https://pay.example.com/\u001b[8m' } }),
      (path: string) => {
        const operation = { ...record, amount: 1, currency: 'UAH', status_description: evil }
        return Response.json(path.includes('/orders/') ? [operation] : operation)
      },
    ]
    for (const respond of responses) {
      const fetch = async (input: string | URL | Request) => respond(new Request(input).url)
      const words = ['A-1', '--yes', '--currency', 'UAH', '--amount', '1']
      const all: [typeof order, string[]][] = [
        [order, ['A-1']],
        [capture, words],
        [refund, words],
        [resend, ['A-1']],
        [recurringCancel, ['R-1', '--yes']],
        [payment, ['A-1', '--amount', '1', '--currency', 'UAH', '--method', 'auth']],
      ]
      for (const [verb, given] of all) {
        const ran = await runVerb(verb, given, { ...around, fetch })
        expect(ran.out + ran.err).not.toBe('')
        for (const sign of ['\u001b', '\r']) expect(ran.out + ran.err).not.toContain(sign)
      }
    }
  })

  it('that is interrupted while something is read exits 130', async () => {
    const ran = await runVerb(balances, [], { ...around, fetch: hangingFetch(), stopped: Promise.resolve() })
    expect([ran.code, ran.out]).toEqual([130, ''])
  })

  it('is described with --verbose, without secrets', async () => {
    shop.emulator.faults.next({ kind: 'server_error', status: 503, on: 'list-accounts' })
    const { code, err } = await runVerb(balances, ['--verbose'], around)
    expect(err).toMatch(
      /^> GET \/api\/v1\/balances\/pos\/\S+\/accounts\n< 503 after \d+ ms\n… again in \d+ ms\n> GET .* \(attempt 2\)\n< 200/,
    )
    const { apiKey, apiSecret, endpointsKey } = shop.emulator.credentials
    for (const secret of [apiKey, apiSecret, endpointsKey]) expect(err).not.toContain(secret)
    expect(code).toBe(0)
  })
})

it('a state is replaced as a whole: whoever reads it has the one before or the one after', async () => {
  const state = await file('state.json', 'before')
  const reader = await open(state)
  await writeWhole(state, 'after')
  const read = [await reader.readFile('utf8'), await readFile(state, 'utf8')]
  await reader.close()
  expect(read).toEqual(['before', 'after'])
})
