import { describe, expect, it } from 'vitest'
import { conformText, isClean } from '../../src/conform/index.ts'
import type { EmulatorOptions } from '../../src/emulator/index.ts'
import {
  changed,
  checkout,
  idsOf,
  inKyiv,
  isCreation,
  lists,
  openConform,
  type Rule,
  rejected,
} from './support/project.ts'

const UNTRIED = [
  'cryptogram_without_cvv',
  'validation_url_http',
  'split_without_recurring',
  'null_is_absent',
  'sender_address',
  'webhook_retries',
]

/** A rule that is changed by hand: the statement that names it, the emulator's options, what is done to responses. */
const RULES: readonly (readonly [id: string, options: EmulatorOptions, rule?: Rule])[] = [
  ['customer_fields_optional', { customerFields: 'required' }],
  ['split_sum', { splitSum: 'exact' }],
  ['order_id_256', {}, (probe) => (isCreation(probe) && probe.order_id.length > 200 ? rejected() : undefined)],
  ['description_2048', {}, ({ body }) => (String(body.description).length > 1000 ? rejected() : undefined)],
  ['three_d_secure_never', {}, ({ body }) => (body.order_3ds_bypass === 'never' ? rejected() : undefined)],
  [
    'unknown_order_404',
    {},
    (probe, real) =>
      lists(probe) ? real().then((response) => (response.status === 404 ? Response.json([]) : response)) : undefined,
  ],
  [
    'timestamp_utc',
    {},
    (probe, real) =>
      lists(probe)
        ? changed(real(), (records: { created_at: string }[]) =>
            records.map((one) => ({ ...one, created_at: inKyiv(one.created_at) })),
          )
        : undefined,
  ],
  ['invalid_400', {}, (probe) => (isCreation(probe) && probe.body.order_id === undefined ? rejected(422) : undefined)],
  [
    'refund_whole',
    {},
    ({ path, body }) => (path === '/api/v1/refund' && body.refund_amount === undefined ? rejected() : undefined),
  ],
  [
    'used_order_id',
    {},
    async (probe, real) => {
      if (!isCreation(probe)) return undefined
      const response = await real()
      return response.status === 400 && (await response.clone().text()).includes('P-409') ? checkout() : response
    },
  ],
]

describe('conform, on the emulator', () => {
  it('finds that every statement holds, and leaves nothing behind', async () => {
    const { run, store, emulator } = openConform()
    const report = await run()
    expect(idsOf(report, 'differs')).toEqual([])
    expect(idsOf(report, 'not tried')).toEqual(UNTRIED)
    expect(idsOf(report, 'holds')?.length).toBeGreaterThan(40)
    expect(report?.news).toEqual({ fields: [], values: [] })
    expect(report?.made.every(({ now, open }) => now !== undefined && !open)).toBe(true)
    expect(emulator.orders.list().filter(({ status }) => status === 'init')).toEqual([])
    expect([store.text, report && isClean(report)]).toEqual([undefined, true])
  })

  it('names the ten differences of an emulator with ten rules changed by hand', async () => {
    const options = Object.assign({}, ...RULES.map(([, one]) => one)) as EmulatorOptions
    const { run } = openConform(
      options,
      RULES.flatMap(([, , rule]) => rule ?? []),
    )
    const report = await run()
    expect(idsOf(report, 'differs')?.toSorted()).toEqual(RULES.map(([id]) => id).toSorted())
    expect(report?.statements.every(({ result, follow }) => (result === 'differs') === (follow !== undefined))).toBe(
      true,
    )
    const text = report ? conformText(report) : ''
    for (const [id] of RULES)
      expect(text).toMatch(new RegExp(`^ {2}${id}: .*\\n {4}seen: .*\\n {4}follow it with: `, 'm'))
  })

  it.each(RULES)('names %s alone', async (id, options, rule) => {
    const { run } = openConform(options, rule ? [rule] : [])
    expect(idsOf(await run(), 'differs')).toEqual([id])
  })
})
