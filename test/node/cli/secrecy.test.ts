import { describe, expect, it } from 'vitest'
import { VERBS } from '../../../src/cli/commands/verbs.ts'
import { type Around, runLine, runVerb } from '../support/verb.ts'

// The canary secrets appear in no output of any verb, whatever the service repeats of what it was sent.

const CANARIES = {
  apiKey: 'key-canary-k3y',
  apiSecret: 'secret-canary-s3cr3t',
  endpointsKey: 'endpoints-canary-3nd',
  workerToken: 'worker-token-canary-0f-32-characters',
  cardToken: 'rcr:token-canary-t0k3n',
}
const environment = {
  EDGETILL_BASE_URL: 'https://pay.example.com',
  EDGETILL_API_URL: 'https://api.example.com',
  EDGETILL_POS_ID: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11',
  EDGETILL_API_KEY: CANARIES.apiKey,
  EDGETILL_API_SECRET: CANARIES.apiSecret,
  EDGETILL_ENDPOINTS_KEY: CANARIES.endpointsKey,
  EDGETILL_SCHEME: 'SVC',
  EDGETILL_WORKER_URL: 'https://worker.example.com',
  EDGETILL_WORKER_TOKEN: CANARIES.workerToken,
}

const ORDER = ['--amount', '100.50', '--currency', 'UAH']
/** Each verb that talks to the service or to the worker. */
const USES: Record<string, string[]> = {
  payment: ['A-1', ...ORDER],
  order: ['A-1'],
  capture: ['A-1', ...ORDER, '--yes', '--resolve', '--settle-after', '1ms'],
  refund: ['A-1', ...ORDER, '--yes'],
  void: ['A-1', '--currency', 'UAH', '--yes'],
  cancel: ['A-1', '--yes'],
  balances: [],
  resend: ['A-1'],
  'recurring-cancel': ['R-1', '--yes'],
  link: ['A-1', ...ORDER],
  doctor: ['--webhook-url', 'https://127.0.0.1/'],
}

/** The contents of a request, in every place that a response has. */
async function answer(input: string | URL | Request, init?: RequestInit) {
  const request = new Request(input, init)
  const headers = [...request.headers].map(([name, value]) => `${name}: ${value}`).join(' ')
  return `${headers} ${await request.text()}`
}

const record = (text: string) => ({
  ...{ payment_id: 'p-1', operation_id: 'o-1', order_id: 'A-1', method: 'capture', status: 'success' },
  ...{ status_code: '1000', amount: 100.5, currency: 'UAH', cc_token: CANARIES.cardToken },
  ...{ recurring_token: CANARIES.cardToken, recurring_status: text, comment: text, message: text },
  args: { code: text, field_name: text, violation: text },
})

type Service = (text: string, path: string) => Response | Promise<Response>
const headers = { 'x-request-id': 'r-1' }
const SERVICES: [string, Service][] = [
  ['400 that echoes', (text) => Response.json(record(text), { status: 400, headers })],
  ['401 that echoes', (text) => new Response(text, { status: 401 })],
  ['404 that echoes', (text) => Response.json(record(text), { status: 404 })],
  ['500 that echoes', (text) => new Response(text, { status: 500 })],
  ['a record that holds a token', (_, path) => Response.json(/orders\/[^/]+$/.test(path) ? [record('')] : record(''))],
  ['a redirect that echoes', (text) => Response.redirect(`https://x.example/?${encodeURIComponent(text)}`, 307)],
  ['a reset', () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }))],
]

describe('no output of any verb shows a secret', () => {
  it('names every verb of the command line that takes the configuration', () => {
    const others = 'completion dev emulator init listen load mcp prove replay trigger verify sign'.split(' ')
    const named = new Set(Object.keys(USES).map((name) => name.split(' ')[0]))
    expect(
      Object.keys(VERBS)
        .filter((verb) => !others.includes(verb))
        .sort(),
    ).toEqual([...named].sort())
  })

  it.concurrent.each(Object.entries(USES))('%s', async (name, words) => {
    const verb = await VERBS[name.split(' ')[0] ?? '']?.()
    if (!verb) throw new Error(`Unknown verb ${name}.`)
    const cases = SERVICES.flatMap((service) => [[], ['--json']].map((json) => [...service, json] as const))
    const all = cases.map(async ([service, respond, json]) => {
      let travelled = ''
      const fetch: Around['fetch'] = async (input, init) => {
        const text = await answer(input, init)
        travelled += text
        return await respond(text, new URL(input instanceof Request ? input.url : input).pathname)
      }
      const verbose = name === 'link' ? [] : ['--verbose']
      const ran = await runVerb(verb, [...words, ...json, ...verbose], { environment, fetch })
      const shown = `${ran.out}${ran.err}`
      expect(shown.length, service).toBeGreaterThan(0)
      const found = Object.entries(CANARIES).filter(([, canary]) => shown.includes(canary))
      expect(found.map(([canary]) => `${canary} after ${service}`)).toEqual([])
      // The canaries did travel: otherwise the search would prove nothing.
      expect(travelled).toContain(name === 'link' ? CANARIES.workerToken : CANARIES.apiKey)
    })
    await Promise.all(all)
  })
})

it.each(Object.entries(USES))('a secret that is given to %s as a flag is not repeated', async (name, words) => {
  const secret = CANARIES.apiSecret
  for (const flag of ['--api-key', '--api-secret', '--endpoints-key', '--worker-token']) {
    for (const given of [[flag, secret], [`${flag}=${secret}`]]) {
      const { code, output } = await runLine(name.split(' ')[0] ?? '', ...words, ...given)
      expect([code, output]).toEqual([2, expect.stringContaining(flag)])
      expect(output).not.toContain(secret)
    }
  }
})
