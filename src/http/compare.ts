import type { Issue } from '../errors.ts'
import { warn } from '../hooks.ts'
import { hundredths, isAmount } from '../lib/decimal.ts'
import { issueAt } from '../schemas/input.ts'
import { unreadableRecord } from './body.ts'
import type { ParsedResponse } from './types.ts'

/**
 * The fields of its request that a record repeats. Null is not another value: the service returns null for an unknown
 * field.
 */
interface Echo {
  order_id?: unknown
  method?: unknown
  amount?: unknown
  currency?: unknown
}

/**
 * Compares a record with the request that it responds to.
 * @throws {OutcomeUnknownError | UnexpectedResponseError} for a record of another order, or of a method that this call
 *   never returns: something on the way mixed responses up.
 */
export function compareWithRequest<T extends Echo>(response: ParsedResponse, record: T): T {
  const { config, request } = response.attempt
  const { operation, subject, methods } = request
  const { order_id, method, amount, currency } = record
  const issues: Issue[] = []
  if (order_id != null && String(order_id) !== subject?.order_id)
    issues.push(issueAt('order_id', 'is of another order', order_id))
  if (method != null && methods && !methods.includes(String(method)))
    issues.push(issueAt('method', `must be ${methods.join(' or ')}`, method))
  if (issues.length > 0) throw unreadableRecord(response, issues)
  const requested = subject?.amount
  const isOther =
    (requested !== undefined && isAmount(amount) && hundredths(amount) !== hundredths(requested)) ||
    (subject?.currency !== undefined && currency != null && currency !== subject.currency)
  if (isOther) {
    const message = `The service reports ${amount} ${currency}, not ${requested ?? 'all'} ${subject?.currency}.`
    warn(config, { operation, code: 'other_amount', path: 'amount', message })
  }
  return record
}
