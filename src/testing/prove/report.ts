import { ConfigError } from '../../errors.ts'
import type { ProveFinding, ProveReport } from './finding.ts'
import type { ProveState } from './options.ts'

/**
 * A report of `prove` as text, for people.
 *
 * @throws {ConfigError} for anything but a report.
 * @example
 * import { prove, reportText } from 'edgetill/testing'
 * const report = await prove({
 *   url: 'http://127.0.0.1:3000/webhooks',
 *   state: 'http://127.0.0.1:3000/orders/{order_id}',
 * })
 * console.log(reportText(report))
 */
export function reportText(report: ProveReport): string {
  try {
    return textOf(report)
  } catch (cause) {
    throw new ConfigError('report', 'Pass what prove() returned.', cause)
  }
}

function textOf({ seed, orders, requests, tried, leftOut, findings }: ProveReport): string {
  const head = `${orders} orders, ${requests} webhooks, seed ${seed}: ${findings.length === 0 ? 'nothing found' : count(findings.length)}.`
  const times = Object.entries(tried).filter(([, count]) => count > 0)
  const what = times.length > 0 ? [`Tried: ${times.map(([name, count]) => `${name} ${count}`).join(', ')}.`] : []
  return [head, ...findings.map(findingText), ...leftOut.map((one) => `Not tried: ${one}`), ...what].join('\n')
}

const count = (found: number): string => `${found} ${found === 1 ? 'thing is' : 'things are'} wrong`

function findingText({ verdict, cause, advice, order_id, expected, seen, story, orders }: ProveFinding): string {
  return [
    '',
    `${verdict.toUpperCase()} (${cause}, ${orders} ${orders === 1 ? 'order' : 'orders'})`,
    `  ${advice}`,
    `  The smallest story, order ${order_id}:`,
    ...story.map(({ says, answers }, index) => `    ${index + 1}. ${says}${answersText(answers)}`),
    `  It should be ${stateText(expected)}. The shop says ${stateText(seen)}.`,
    '',
  ].join('\n')
}

/** What the receiver answered, after a step. */
const answersText = (answers: readonly (number | string)[]): string =>
  answers.length === 0 ? '' : ` -> ${answers.join(', then ')}`

/** A state in words. */
export function stateText(state: ProveState | null): string {
  if (state === null) return 'that it knows no such order'
  const { paid, refunded, shipped, currency } = state
  const of = currency === undefined ? '' : ` ${currency}`
  return `paid ${paid}${of}, refunded ${refunded}${shipped === undefined ? '' : `, shipped ${shipped}`}`
}
