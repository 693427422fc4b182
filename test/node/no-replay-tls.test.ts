import { describe, expect, it } from 'vitest'
import type { Call } from './programs/calls.ts'
import { type RuntimeName, runOn } from './support/runtimes.ts'
import { AUTHORITY, FAILURES, startTlsServer } from './support/tls-server.ts'

// HTTP/2 has its own ways of saying "send it again" (GOAWAY, REFUSED_STREAM). A server that sends them after it has
// processed a capture must not make a runtime charge twice. (workerd takes no further authority, so it is not here.)

const NAMES = Object.keys(FAILURES)
const RUNTIMES: [runtime: RuntimeName, version: string][] = [
  ['node', '1.1'],
  ['deno', '2.0'],
  ['bun', '1.1'],
]

describe.each(RUNTIMES)('on %s over TLS and HTTP/%s', (runtime, version) => {
  it(`a POST that is processed and then fails in one of ${NAMES.length} ways is sent once`, async () => {
    const failureOf = (path: string, body: string) => {
      const name = NAMES.find((one) => path.includes(`/${one}/`) || body.includes(`"${one}"`)) ?? ''
      return FAILURES[name] as (typeof FAILURES)[string]
    }
    const server = await startTlsServer(failureOf)
    const trust = { NODE_EXTRA_CA_CERTS: AUTHORITY, DENO_CERT: AUTHORITY }
    const calls = NAMES.flatMap((name): Call[] => [
      ['capture', name],
      ['cancel', name],
    ])
    const outcomes = await runOn<unknown[]>(runtime, 'calls', { baseUrl: server.origin, calls }, trust)
    for (const [index, call] of calls.entries())
      expect([call, outcomes[index]]).toMatchObject([call, { code: 'outcome_unknown' }])
    const processed = server.processed.map(({ path, body }) => {
      const name = NAMES.find((one) => path.includes(`/${one}/`) || body.includes(`"${one}"`))
      return [path.endsWith('/cancel') ? 'cancel' : 'capture', name]
    })
    // The one thing that Deno sends again moves no money, and was refused by the server as not processed.
    const again = processed.findIndex(([operation, name], i) => `${[operation, name]}` === `${processed[i - 1]}`)
    if (again > 0) expect([runtime, ...processed.splice(again, 1)]).toEqual(['deno', ['cancel', 'REFUSED_STREAM']])
    expect(processed).toEqual(calls)
    expect(new Set(server.processed.map((one) => one.version))).toEqual(new Set([version]))
  })
})
