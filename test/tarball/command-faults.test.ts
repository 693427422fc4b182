import { describe, expect, it } from 'vitest'
import type { Fault } from '../../src/emulator/faults/fault.ts'
import { isLong } from '../support/environment.ts'
import { run } from './support/command.ts'
import {
  SERVICE_VERB_NAMES,
  SERVICE_VERBS,
  type ServiceVerbName,
  serveService,
  type Use,
} from './support/service-verbs.ts'

// Each fault of a response on each verb, as a process on Node. `npm test` plays every fault on `capture` and on one other
// verb; `npm run test:long` plays all of them on all verbs.

type Code = 0 | 1 | 3

/** What a verb has to exit with. A verb that only reads is tried again by the SDK: the fault fires once, or every time. */
interface Expected {
  readsOnce: Code
  readsAlways: Code
  changes: Code
  /** A hosted payment is a redirect: nothing but its header is read. */
  payment?: Code
}

const LOST: Expected = { readsOnce: 0, readsAlways: 1, changes: 3 }
const UNREADABLE: Expected = { readsOnce: 1, readsAlways: 1, changes: 3, payment: 0 }

// On a response that it cannot change, a fault does not fire.
const WITH_BODY = SERVICE_VERB_NAMES.filter((name) => name !== 'payment')
const WITH_NUMBERS = WITH_BODY.filter((name) => name !== 'recurring-cancel')
const WITH_RECORD = WITH_NUMBERS.filter((name) => name !== 'balances')
const HARMLESS: Expected = { readsOnce: 0, readsAlways: 0, changes: 0 }

const FAULTS: readonly (readonly [fault: Fault, expected: Expected, only?: readonly ServiceVerbName[]])[] = [
  [{ kind: 'reset' }, LOST],
  [{ kind: 'reset', when: 'before_commit' }, LOST],
  [{ kind: 'server_error' }, LOST],
  [{ kind: 'server_error', status: 500, body: 'html', when: 'before_commit' }, LOST],
  [{ kind: 'server_error', body: 'empty' }, LOST],
  [{ kind: 'server_error', body: 'truncated' }, LOST],
  [{ kind: 'server_error', body: 'huge' }, LOST],
  [{ kind: 'no_response' }, LOST],
  [{ kind: 'no_response', when: 'before_commit' }, LOST],
  [{ kind: 'body', body: 'truncated' }, UNREADABLE, WITH_BODY],
  [{ kind: 'body', body: 'empty' }, UNREADABLE, WITH_BODY],
  [{ kind: 'body', body: 'html' }, UNREADABLE],
  [{ kind: 'body', body: 'huge' }, UNREADABLE],
  [{ kind: 'slow_body', ms: 10_000, pieces: 2 }, LOST, WITH_BODY],
  // Too long to be waited for: the service has done nothing.
  [
    { kind: 'too_many_requests', retryAfter: 3600 },
    { readsOnce: 1, readsAlways: 1, changes: 1 },
  ],
  [
    { kind: 'too_many_requests', retryAfter: 0 },
    { readsOnce: 0, readsAlways: 1, changes: 0 },
  ],
  [{ kind: 'latency', ms: 50 }, HARMLESS],
  [{ kind: 'numbers_as_strings' }, HARMLESS, WITH_NUMBERS],
  [{ kind: 'null_fee' }, HARMLESS, WITH_RECORD],
  [{ kind: 'unknown_fields' }, HARMLESS, WITH_BODY],
  [{ kind: 'unknown_method' }, HARMLESS, ['order', 'resend']],
  // After a POST, a record of another method does not answer it.
  [{ kind: 'unknown_method' }, UNREADABLE, ['capture', 'refund', 'void', 'cancel']],
  // Not final: it may still move money.
  [{ kind: 'unknown_status' }, { ...HARMLESS, changes: 3 }, ['order', 'resend', 'capture', 'refund', 'void']],
  // What decides about a cancellation is its code.
  [{ kind: 'unknown_status' }, HARMLESS, ['cancel']],
  [{ kind: 'status_code', status_code: '2000' }, { ...HARMLESS, changes: 3 }, ['capture', 'refund', 'void']],
  [{ kind: 'status_code', status_code: '4153' }, { ...HARMLESS, changes: 1 }, ['capture', 'refund', 'void']],
]

interface Case {
  title: string
  verb: ServiceVerbName
  fault: Fault
  times: number
  code: Code
}

const READS: readonly string[] = ['order', 'balances', 'resend'] satisfies ServiceVerbName[]
const ALWAYS = 9

function casesOf(index: number): Case[] {
  const [fault, expected, verbs = SERVICE_VERB_NAMES] = FAULTS[index] as (typeof FAULTS)[number]
  return verbs.flatMap((verb) => {
    const title = `${verb} after ${JSON.stringify(fault)}`
    if (READS.includes(verb)) {
      return [
        { title: `${title} once`, verb, fault, times: 1, code: expected.readsOnce },
        { title: `${title} every time`, verb, fault, times: ALWAYS, code: expected.readsAlways },
      ]
    }
    const code = verb === 'payment' ? (expected.payment ?? expected.changes) : expected.changes
    return [{ title, verb, fault, times: 1, code }]
  })
}

function sample(cases: Case[], index: number): Case[] {
  const others = cases.filter(({ verb }) => verb !== 'capture')
  return [...cases.filter(({ verb }) => verb === 'capture'), ...others.slice(index % others.length).slice(0, 1)]
}

const CASES = FAULTS.flatMap((_, index) => (isLong ? casesOf(index) : sample(casesOf(index), index)))

/** Long enough for a good response on a busy machine, except where none comes. */
const timeoutOf = ({ kind }: Fault): string => (/^(no_response|slow_body)$/.test(kind) ? '2s' : '30s')

describe('on Node, a fault of the service', () => {
  it.concurrent.each(CASES)('$title exits $code', async ({ verb, fault, times, code }) => {
    const service = await serveService()
    const { endpoint, prepare } = SERVICE_VERBS[verb]
    const use: Use = await prepare(service)
    const { faults, requests } = service.emulator
    faults.next({ ...fault, on: endpoint } as Fault, times)
    const before = requests.length
    const ended = await run('node', [...use.words, '--json', '--timeout', timeoutOf(fault)], { env: service.env })
    const sent = requests.slice(before).filter(({ method }) => method !== 'GET').length
    // Otherwise the fault would prove nothing.
    expect(faults.fired().length).toBeGreaterThan(0)
    faults.clear()
    const isDone = await use.isDone?.()
    await service.close()

    expect(ended, ended.stderr).toMatchObject({ code })
    if (code === 0) expect(JSON.parse(ended.stdout)).toBeTypeOf('object')
    else expect(ended.stderr).not.toBe('')
    if (code === 3) {
      expect(ended.stderr).toMatch(/Find out with: edgetill (order|resend) |Do not repeat it: edgetill order /)
      expect(JSON.parse(ended.stdout)).toBeTypeOf('object')
    }
    // What the code says is true of the service, and nothing was sent twice.
    if (code !== 3) expect(isDone ?? code === 0).toBe(code === 0)
    const retried = fault.kind === 'too_many_requests' && fault.retryAfter === 0
    expect(sent).toBe(use.isDone === undefined ? 0 : retried ? 2 : 1)
  })

  it.concurrent.each([
    ['capture', { kind: 'reset' }],
    ['refund', { kind: 'server_error' }],
    ['void', { kind: 'body', body: 'truncated' }],
    ['cancel', { kind: 'too_many_requests', retryAfter: 3600 }],
  ] as const)('%s exits 1 and sends nothing when it cannot look the order up: %j', async (verb, fault) => {
    const service = await serveService()
    const { words, isDone }: Use = await SERVICE_VERBS[verb].prepare(service)
    const { faults } = service.emulator
    faults.next({ ...fault, on: 'list-order-operations' }, ALWAYS)
    expect(await run('node', words, { env: service.env })).toMatchObject({ code: 1, stdout: '' })
    faults.clear()
    expect(await isDone?.()).toBe(false)
    await service.close()
  })
})
