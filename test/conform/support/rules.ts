import type { EmulatorOptions } from '../../../src/emulator/index.ts'
import { changed, checkout, inKyiv, isCreation, lists, type Probe, type Rule, rejected } from './project.ts'

/** A rule that rejects some requests. */
export const rejecting =
  (is: (probe: Probe) => unknown, status?: number): Rule =>
  (probe) =>
    is(probe) ? rejected(status) : undefined

const unknownAsEmpty: Rule = async (probe, real) => {
  const response = lists(probe) ? await real() : undefined
  return response?.status === 404 ? Response.json([]) : response
}
const localTimes: Rule = (probe, real) =>
  lists(probe)
    ? changed(real(), (records: { created_at: string }[]) =>
        records.map((one) => ({ ...one, created_at: inKyiv(one.created_at) })),
      )
    : undefined
const usedAsNew: Rule = async (probe, real) => {
  const response = isCreation(probe) ? await real() : undefined
  return response?.status === 400 && (await response.clone().text()).includes('P-409') ? checkout() : response
}

/** A rule that is changed by hand: the statement that names it, the emulator's options, what is done to responses. */
export const RULES: readonly (readonly [id: string, options: EmulatorOptions, rule?: Rule])[] = [
  ['customer_fields_optional', { customerFields: 'required' }],
  ['split_sum', { splitSum: 'exact' }],
  ['order_id_256', {}, rejecting((probe) => isCreation(probe) && probe.order_id.length > 200)],
  ['description_2048', {}, rejecting(({ body }) => String(body.description).length > 1000)],
  ['three_d_secure_never', {}, rejecting(({ body }) => body.order_3ds_bypass === 'never')],
  ['unknown_order_404', {}, unknownAsEmpty],
  ['timestamp_utc', {}, localTimes],
  ['invalid_400', {}, rejecting((probe) => isCreation(probe) && probe.body.order_id === undefined, 422)],
  ['refund_whole', {}, rejecting(({ path, body }) => path === '/api/v1/refund' && body.refund_amount === undefined)],
  ['used_order_id', {}, usedAsNew],
]
