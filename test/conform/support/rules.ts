import type { EmulatorOptions } from '../../../src/emulator/index.ts'
import { changed, checkout, inKyiv, isCreation, lists, type Rule, rejected } from './project.ts'

/** A rule that is changed by hand: the statement that names it, the emulator's options, what is done to responses. */
export const RULES: readonly (readonly [id: string, options: EmulatorOptions, rule?: Rule])[] = [
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
