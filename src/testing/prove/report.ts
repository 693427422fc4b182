import { ConfigError } from '../../errors.ts'
import type { Cause } from './causes.ts'
import type { ProveState } from './options.ts'
import type { StoryStep } from './run.ts'
import type { StoryFile } from './story-file.ts'

/** Something wrong with a receiver: what it does to money, and the smallest story that shows it. */
export interface ProveFinding {
  /** The fate of the money: "shipped twice", "paid but not shipped", "refund lost", "a forgery was believed", … */
  verdict: string
  /** The fault of the receiver, in a word, and in a sentence with its remedy. */
  cause: Cause
  advice: string
  /** How many of the orders failed in this way, about. */
  orders: number
  /** The order of the story below, to be looked up in the shop. */
  order_id: string
  /** The right value, and the shop's; null when it knows no such order. */
  expected: ProveState
  seen: ProveState | null
  story: StoryStep[]
  /** The same story as a file's contents, which `story` plays again. Undefined for a button. */
  file?: StoryFile
}

/** The result of `prove` for a receiver's URL and a seed. */
export interface ProveReport {
  url: string
  seed: number
  /** Orders that were played, and requests that the receiver got for them. */
  orders: number
  requests: number
  /** How often each attack was tried. */
  tried: Record<string, number>
  /** The attacks that could not be tried, and why. */
  leftOut: string[]
  /** Nothing found: empty. */
  findings: ProveFinding[]
}

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
    const { seed, orders, requests, tried, leftOut, findings } = report
    const count = `${findings.length || 'nothing'} ${['found', 'thing is wrong'][findings.length] ?? 'things are wrong'}`
    const times = Object.entries(tried).filter(([, count]) => count > 0)
    return [
      `${orders} orders, ${requests} webhooks, seed ${seed}: ${count}.`,
      ...findings.map(findingText),
      ...leftOut.map((one) => `Not tried: ${one}`),
      ...(times.length > 0 ? [`Tried: ${times.map((one) => one.join(' ')).join(', ')}.`] : []),
    ].join('\n')
  } catch (cause) {
    throw new ConfigError('report', 'Pass what prove() returned.', cause)
  }
}

/** A finding as text: what happened to money, what to do, and the story. */
export function findingText({ verdict, cause, advice, order_id, expected, seen, story, orders }: ProveFinding): string {
  const after = (answers: StoryStep['answers']): string => (answers.length > 0 ? ` -> ${answers.join(', then ')}` : '')
  const steps = story.map(({ says, answers }, index) => `    ${index + 1}. ${says}${after(answers)}`)
  return `
${verdict.toUpperCase()} (${cause}, ${orders} ${orders === 1 ? 'order' : 'orders'})
  ${advice}
  The smallest story, order ${order_id}:
${steps.join('\n')}
  It should be ${stateText(expected)}. The shop says ${stateText(seen)}.
`
}

/** A state in words. */
export function stateText(state: ProveState | null): string {
  if (state === null) return 'that it knows no such order'
  const { paid, refunded, shipped, currency } = state
  const of = currency === undefined ? '' : ` ${currency}`
  return `paid ${paid}${of}, refunded ${refunded}${shipped === undefined ? '' : `, shipped ${shipped}`}`
}
