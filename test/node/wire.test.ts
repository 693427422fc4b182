import { expect, it } from 'vitest'
import type { Call } from './programs/calls.ts'
import { answer, startRawServer } from './support/raw-server.ts'
import { RUNTIMES, type RuntimeName, runOn } from './support/runtimes.ts'

// Requests as they arrive: each runtime adds headers. guides/going-live.md has the same table.

const OURS = ['accept', 'user-agent', 'x-api-auth']
const FRESH = ['cache-control', 'pragma']
const ADDED: Record<RuntimeName, string[]> = {
  node: ['accept-encoding', 'accept-language', 'connection', 'host', 'sec-fetch-mode', ...FRESH],
  deno: ['accept-encoding', 'accept-language', 'host'],
  bun: ['accept-encoding', 'host'],
  workerd: ['cf-worker', 'host', ...FRESH],
  'workerd 2026-08-03': ['cf-worker', 'host', ...FRESH],
  // It throws at a request with `cache`.
  'workerd 2024-11-10': ['cf-worker', 'host'],
}
const CALLS: [Call, own: string[]][] = [
  [
    ['capture', 'A-1'],
    ['content-length', 'content-type', 'x-api-key'],
  ],
  [
    ['cancel', 'A-1'],
    ['content-length', 'x-api-key'],
  ],
  [['accounts', 'A-1'], []],
]

it.each<RuntimeName>([...RUNTIMES, 'workerd 2024-11-10'])('%s sends these headers and no others', async (runtime) => {
  const server = await startRawServer(() => answer(400, {}, '{}'))
  const outcomes = await runOn(runtime, 'calls', { baseUrl: server.origin, calls: CALLS.map(([call]) => call) })
  expect(outcomes).toMatchObject(CALLS.map(() => ({ code: 'api', status: 400 })))
  const sent = server.received.map(({ headers }) => Object.keys(headers).sort())
  expect(sent).toEqual(CALLS.map(([, own]) => [...OURS, ...ADDED[runtime], ...own].sort()))
  const [, { headers, body } = { headers: {}, body: '' }] = server.received
  expect([headers['content-length'], body]).toEqual(['0', ''])
  for (const { headers } of server.received) {
    expect([headers['cache-control'], headers.pragma].filter(Boolean)).toEqual(
      ADDED[runtime].filter((name) => FRESH.includes(name)).map(() => 'no-cache'),
    )
  }
})
