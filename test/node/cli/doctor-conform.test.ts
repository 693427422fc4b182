import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { verb as doctor } from '../../../src/cli/commands/doctor.ts'
import type { ConformReport } from '../../../src/cli/conform/report.ts'
import { CONFORM_OPTIONS } from '../../../src/cli/service/doctor/conform.ts'
import { flagOf } from '../../../src/cli/terminal/verb.ts'
import { variablesOf } from '../../../src/emulator/control/pages/connect.ts'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../../src/emulator/index.ts'
import type { Fetch } from '../../../src/index.ts'
import { Document } from '../support/document.ts'
import { serveNewEmulator, temporaryFolder } from '../support/fixtures.ts'
import { freePort } from '../support/free-port.ts'
import { type Around, against, runVerb } from '../support/verb.ts'

// This checkout is a project, whose settings doctor would read.
beforeAll(() => void vi.spyOn(process, 'cwd').mockReturnValue(tmpdir()))

const EDGETILL_TEST_CARD = '4111 1111 1111 1111 12/99 123'
let state: string
beforeEach(() => {
  state = join(temporaryFolder(), 'state.json')
})

/** Runs it against an emulator. */
async function conform(words: string[] = [], options: EmulatorOptions = {}, around: Around = {}) {
  const emulator = createEmulator(options)
  const { environment, fetch } = against(emulator)
  const given = { fetch, ...around, environment: { ...environment, EDGETILL_TEST_CARD, ...around.environment } }
  return { emulator, ...(await runVerb(doctor, ['--conform', '--state', state, ...words], given)) }
}

const results = ({ statements }: ConformReport, result: string) => statements.filter((one) => one.result === result)

describe('edgetill doctor --conform', () => {
  it('writes a report, and leaves neither a state nor an open payment', async () => {
    const report = join(state, '../report.json')
    const { code, out, emulator } = await conform(['--json', '--report', report])
    const printed = JSON.parse(out) as ConformReport
    expect(JSON.parse(readFileSync(report, 'utf8'))).toEqual(printed)
    expect([code, results(printed, 'differs'), existsSync(state)]).toEqual([0, [], false])
    expect(emulator.orders.list().filter(({ status }) => status === 'init')).toEqual([])
    for (const secret of Object.values(emulator.credentials)) if (secret !== 'SVC') expect(out).not.toContain(secret)
  })

  it.each(['--test-project', '--live-with-smallest-amounts'])(
    'says in a project with %s what differs and what to set, for people, and exits with 1',
    async (word) => {
      const options = { customerFields: 'required', origin: 'https://pay.example.com' } as const
      const { code, out } = await conform(['--amount', '1.50', '--currency', 'XTS', word], options)
      expect(out).toMatch(/^\d+ hold, 1 differ, \d+ were not tried\.$/m)
      expect(out).toMatch(/^ {2}customer_fields_optional: .*\n.*\n {4}follow it with: customerFields: 'required'$/m)
      expect(out).toMatch(/^ {2}webhook_signature: no address for webhooks/m)
      expect(out).toMatch(/^ {2}conform-\w+ \(purchase\): refunded$/m)
      expect(code).toBe(1)
    },
  )

  it('records what it made as a seed file, without a secret, and lists what the emulator does differently', async () => {
    const file = join(state, '../seed.json')
    const service = createEmulator()
    // A service with another code for a refund, and one more field.
    const changed: Fetch = async (input, init) => {
      const response = await service.fetch(input as string, init)
      if (!String(input).endsWith('/refund') || !response.ok) return response
      return Response.json({ ...((await response.json()) as object), status_code: '1009', refund_kind: 'card' })
    }
    const { out } = await conform(['--record', file], {}, { ...against(service), fetch: changed })
    const text = readFileSync(file, 'utf8')
    for (const secret of [...Object.values(service.credentials), '4111', 'example.com', 'Conform', '380']) {
      if (secret !== 'SVC') expect(text).not.toContain(secret)
    }
    const again = createEmulator()
    again.seedOrders(JSON.parse(text))
    const ends = (emulator: Emulator) =>
      emulator.orders
        .list()
        .map(({ order_id, status, operations }) => [
          order_id,
          status,
          operations.map((one) => [one.method, one.amount]),
        ])
    expect(again.orders.list().length).toBeGreaterThan(3)
    expect(ends(again)).toEqual(ends(service))
    expect(out).toMatch(
      /refund: status_code is 1009, in the emulator 1004\.\n.*the field refund_kind is not in the emulator\./,
    )
    expect((await conform(['--record', file])).out).toContain('The emulator reproduces them.')
  })

  it('receives webhooks where --webhook-url leads to', async () => {
    const port = await freePort()
    const words = ['--webhook-url', `http://127.0.0.1:${port}/hooks`, '--webhook-port', `${port}`]
    const { code, out } = await conform(['--json', ...words])
    const held = results(JSON.parse(out) as ConformReport, 'holds').filter(({ id }) => id.startsWith('webhook_'))
    expect(held.map(({ id }) => id.slice(8))).toEqual(['signature', 'form', 'fields', 'resent'])
    expect(code).toBe(0)
  })

  it('goes on after Ctrl-C, and ends what was made before', async () => {
    const emulator = createEmulator()
    let asked = 0
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
    const fetch: Fetch = (input, init) => {
      if (++asked === 20) stop()
      return emulator.fetch(input, init as RequestInit)
    }
    const first = await conform([], {}, { fetch, stopped })
    expect([first.code, first.out]).toEqual([130, ''])
    expect(first.err).toContain(`goes on from ${state}`)
    expect(statSync(state).mode & 0o077).toBe(0)
    const second = await conform(['--json'], {}, { fetch: emulator.fetch })
    const { made } = JSON.parse(second.out) as ConformReport
    expect(made.filter(({ now, open }) => now === undefined || open)).toEqual([])
    expect(emulator.orders.list().filter(({ status }) => status === 'init')).toEqual([])
    expect([second.code, existsSync(state)]).toEqual([0, false])
  })

  const AWAY = { EDGETILL_BASE_URL: 'https://pay.example.com' }
  it.each([
    ['a project that was not called the test project', [], AWAY, /--test-project.*--live-with-smallest-amounts/],
    ['two words at once', ['--test-project', '--live-with-smallest-amounts'], {}, /exclude each other/],
    ['a card that is none', [], { EDGETILL_TEST_CARD: '4111' }, /EDGETILL_TEST_CARD takes a number/],
    ['an amount that is none', ['--amount', '0'], {}, /--amount takes a positive amount/],
    ['a currency that is none', ['--currency', 'hryvnia'], {}, /--currency takes a currency/],
    ['a sub-merchant that is none', ['--sub-merchant', 'X-1'], {}, /--sub-merchant takes a UUID/],
    ['a port that is none', ['--webhook-port', '99999'], {}, /It takes a whole number/],
    ['the check of a project', ['--project'], {}, /--conform is for the service/],
    ['a missing setting', [], { EDGETILL_API_KEY: '' }, /Missing configuration: EDGETILL_API_KEY/],
  ])('rejects %s with 2, and sends nothing', async (_, words, environment, message) => {
    const { emulator, code, err, out } = await conform(words, {}, { environment })
    expect([code, emulator.requests(), out]).toEqual([2, [], ''])
    expect(err).toMatch(message)
    expect(err).not.toContain('emulator-api')
  })

  it('rejects its flags without --conform, and a state file that is not one', async () => {
    const { emulator } = await conform()
    const alone = await runVerb(doctor, ['--sub-merchant', '5b1d0f4e-0c55-4a53-9b0e-4a6f3f1a9c01'], against(emulator))
    expect([alone.code, alone.err]).toEqual([2, expect.stringMatching(/^--sub-merchant is for doctor --conform\.\n/)])
    writeFileSync(state, '{"version":7}')
    const { code, err } = await conform()
    expect([code, err]).toEqual([2, expect.stringContaining('is not one of doctor --conform')])
  })
})

describe('guides/conform.md', () => {
  const guide = new Document('guides/conform.md')
  const cells = (rows: string[][]) => rows.map(([first = '', second = '']) => [first.replaceAll('`', ''), second])

  it('has every statement and every option', async () => {
    const { out } = await conform(['--json'])
    const { statements } = JSON.parse(out) as ConformReport
    expect(cells(guide.rows('The statements'))).toEqual(statements.map(({ id, says }) => [id, says]))
    const rows = guide.rows('In the test project')
    const options = Object.entries(CONFORM_OPTIONS).map(([name, { says, value }]) => [
      [flagOf(name), value].filter(Boolean).join(' '),
      says,
    ])
    expect(cells(rows.slice(0, -4))).toEqual(options)
    expect(rows.slice(-4).map(([code]) => code)).toEqual(['0', '1', '2', '130'])
  })

  it('has commands that do what it says', async () => {
    const { emulator } = await serveNewEmulator({ customerFields: 'required', splitSum: 'exact' })
    const folder = join(state, '..')
    const file = join(folder, 'emulator.env')
    writeFileSync(file, variablesOf(emulator.credentials).join('\n'))
    const report = join(folder, 'conform.json')
    const places: Record<string, string> = { 'emulator.env': file, 'test.env': file, 'conform.json': report }
    const commands = [...guide.text.matchAll(/^(?:EDGETILL_TEST_CARD='(.*)' )?npx edgetill doctor (.*)$/gm)]
    expect(commands).toHaveLength(3)
    const outputs: string[] = []
    for (const [, card = '', words = ''] of commands) {
      const given = words.split(' ').map((word) => places[word] ?? word)
      const isConform = given.includes('--conform')
      const merchant = ['--sub-merchant', '5b1d0f4e-0c55-4a53-9b0e-4a6f3f1a9c01', '--state', state]
      const around = { environment: card === '' ? {} : { EDGETILL_TEST_CARD: card } }
      outputs.push((await runVerb(doctor, [...given, ...(isConform ? merchant : [])], around)).out)
    }
    const shown = /```text\n([\s\S]*?)```/.exec(guide.text)?.[1]
    expect(outputs[0]).toContain(shown)
    expect(JSON.parse(readFileSync(report, 'utf8')).statements.length).toBeGreaterThan(50)
  })
})
