import { ConfigError } from '../../errors.ts'
import type { ProveState } from '../tested-shop.ts'
import type { Cause } from './causes.ts'
import type { StoryStep } from './run.ts'
import type { StoryFile } from './story-file.ts'

/** A fault of a receiver: its effect on money, and the smallest story that shows it. */
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
  /** The right value, and the shop's; null for an order that the shop does not have. */
  expected: ProveState
  seen: ProveState | null
  story: StoryStep[]
  /** The attacks of the story, by the names in `tried`. */
  attacks: string[]
  /** The same story as a file's contents, which `story` plays again. Undefined for a button. */
  file?: StoryFile | undefined
}

/** The result of `prove` for a receiver's URL and a seed. */
export interface ProveReport {
  url: string
  seed: number
  /** Orders that were played, and requests that the receiver got for them. */
  orders: number
  requests: number
  /** How often each attack was tried, and for how many seconds. */
  tried: Record<string, number>
  seconds: Record<string, number>
  /** Whether every fixed story and every button was played. If not, finding nothing proves nothing. */
  complete: boolean
  /** The attacks that could not be tried, and why. */
  leftOut: string[]
  /** How many orders were right only some time after the response, and after how many milliseconds at most. */
  late?: { orders: number; ms: number }
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
    const { seed, requests, tried, leftOut, findings, complete, late } = report
    const wrong = ['found', 'thing is wrong'][findings.length] ?? 'things are wrong'
    const count = `${findings.length || 'nothing'} ${wrong}${complete ? '' : ' so far, and it is not complete'}`
    const times = Object.entries(tried).filter(([, count]) => count > 0)
    const wait = late && `Faster with --settle-ms ${Math.ceil((2 * late.ms) / 1_000) * 1_000}.`
    return [
      `${ordersText(report.orders)}, ${requests} webhooks, seed ${seed}: ${count}.`,
      ...findings.map(findingText),
      ...(late ? [`Right, but late: ${ordersText(late.orders)}, up to ${late.ms} ms. ${wait}`] : []),
      ...leftOut.map((one) => `Not tried: ${one}`),
      ...(times.length > 0
        ? ['Tried:', ...columns(times.map(([name, count]) => `${String(count).padStart(4)} ${name}`))]
        : []),
    ].join('\n')
  } catch (cause) {
    throw new ConfigError('report', 'Pass what prove() returned.', cause)
  }
}

const ordersText = (count: number): string => `${count} ${count === 1 ? 'order' : 'orders'}`

/** Three columns, read from top to bottom. */
function columns(cells: readonly string[]): string[] {
  const height = Math.ceil(cells.length / 3)
  const row = (n: number) => [0, 1, 2].map((column) => (cells[n + column * height] ?? '').padEnd(37)).join(' ')
  return Array.from({ length: height }, (_, n) => row(n).trimEnd())
}

/** A finding as text: the fate of the money, the remedy, and the story. */
export function findingText({ verdict, cause, advice, order_id, expected, seen, story, orders }: ProveFinding): string {
  const after = (answers: StoryStep['answers']): string => (answers.length > 0 ? ` -> ${answers.join(', then ')}` : '')
  const steps = story.map(({ says, answers }, index) => `    ${index + 1}. ${says}${after(answers)}`)
  return `
${verdict.toUpperCase()} (${cause}, ${ordersText(orders)})
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
