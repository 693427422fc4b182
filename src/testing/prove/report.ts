import { ConfigError } from '../../errors.ts'
import { PRESSES, type Pressed, type WrongPress } from '../buttons.ts'
import type { ProveState } from '../tested-shop.ts'
import { adviceOf, type Cause } from './causes.ts'
import type { StoryStep } from './run.ts'
import { decimals, type StoryFile } from './story.ts'

/** A fault of a receiver: its effect on money, and the smallest story that shows it. */
export interface ProveFinding {
  /** The fate of the money: "shipped twice", "paid but not shipped", "refund lost", "a forgery was believed", … */
  verdict: string
  /** The fault of the receiver, in a word, and in a sentence with its remedy. */
  cause: Cause
  advice: string
  /** About how many orders failed in this way. */
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
  /** Why not all orders were played. */
  stopped?: string
  /** The attacks that could not be tried, and why. */
  leftOut: string[]
  /** How many orders were right only some time after the response, and after how many milliseconds at most. */
  late?: { orders: number; ms: number }
  findings: ProveFinding[]
}

/**
 * A report of `prove` as text, for people.
 *
 * @throws {ConfigError} for anything but a report.
 * @example
 * import { prove, reportText } from 'edgetill/testing'
 * const shop = 'http://127.0.0.1:3000'
 * const report = await prove({ url: `${shop}/webhooks`, state: `${shop}/orders/{order_id}` })
 * console.log(reportText(report))
 */
export function reportText(report: ProveReport): string {
  try {
    const times = Object.entries(report.tried).filter(([, count]) => count > 0)
    return [
      summaryText(report),
      ...report.findings.map(findingText),
      ...restText(report),
      ...(times.length > 0 ? ['Tried:'] : []),
      ...columns(times.map(([name, count]) => `${String(count).padStart(4)} ${name}`)),
    ].join('\n')
  } catch (cause) {
    throw new ConfigError('report', 'Pass what prove() returned.', cause)
  }
}

/** How much was played and found, and why the run ended early. */
export function summaryText({ seed, orders, requests, findings, complete, stopped }: ProveReport): string {
  const found = `${findings.length || 'nothing'} ${['found', 'thing is wrong'][findings.length] ?? 'things are wrong'}`
  const early = stopped ? ` so far${complete ? '' : ', and not every attack was tried'}: ${stopped}` : ''
  return `${ordersText(orders)}, ${counted(requests, 'webhook')}, seed ${seed}: ${found}${early}.`
}

/** The lines about late orders and attacks that were not tried. */
export function restText({ late, leftOut }: ProveReport): string[] {
  const wait = late && `Pass --settle-ms ${settleMsFor(late.ms)}: it is faster.`
  const says = late && `Right, but late: ${ordersText(late.orders)}, up to ${late.ms} ms. ${wait}`
  return [...(says ? [says] : []), ...leftOut.map((one) => `Not tried: ${one}`)]
}

/** Twice the time, in whole seconds. */
const settleMsFor = (ms: number): number => Math.ceil((2 * ms) / 1_000) * 1_000
export const laterText = (ms: number): string => ` Is it right later? Pass --settle-ms ${settleMsFor(ms)}.`
const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
export const ordersText = (count: number): string => counted(count, 'order')

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

export function stateText(state: ProveState | null): string {
  if (state === null) return 'that it knows no such order'
  const { paid, refunded, shipped, currency } = state
  const of = currency === undefined ? '' : ` ${currency}`
  return `paid ${paid}${of}, refunded ${refunded}${shipped === undefined ? '' : `, shipped ${shipped}`}`
}

/** The wrong ends of a press: their verdict, and their causes for refunds and captures. `{}` is the button. */
const WRONG: Readonly<Record<WrongPress, readonly [verdict: string, refund: Cause, capture: Cause]>> = {
  twice: ['{}ed twice', 'refunds_twice', 'captures_twice'],
  other: ['{more} was {}ed than asked', 'refunds_other_amount', 'captures_other_amount'],
  lost: ['{} lost', 'loses_refunds', 'loses_captures'],
  never: ['{} never ends', 'never_ends', 'capture_never_ends'],
}

/** The finding of a press that ended wrong. */
export function pressFinding(pressed: Pressed, usesEdgetill: boolean | undefined): ProveFinding {
  const { name, how, wanted, answers, moved, seen, stillMs, wrong = 'never' } = pressed
  const { amount: price, currency, order_id } = pressed.order
  const [[says, refund, capture], amount] = [WRONG[wrong], decimals(wanted)]
  const cause = name === 'refund' ? refund : capture
  const isMore = moved.reduce((sum, one) => sum + one, 0) > wanted
  const verdict = says.replace('{more}', isMore ? 'more' : 'less').replace('{}e', name.replace(/e?$/, 'e'))
  const amounts = moved.map((one) => `${decimals(one)} ${currency}`).join(' and ') || 'none'
  const story = [
    { says: `the customer ${name === 'capture' ? 'authorizes' : 'pays'} ${price} ${currency}`, answers: [] },
    { says: `the ${name} of ${amount} ${currency} ${PRESSES[how]}`, answers },
    { says: `the service has of each ${name}: ${amounts}`, answers: [] },
  ]
  const expected = name === 'refund' ? { paid: price, refunded: amount } : { paid: amount, refunded: 0 }
  const advice = adviceOf(cause, usesEdgetill) + (/lost|never/.test(wrong) ? laterText(stillMs) : '')
  const finding = { verdict: verdict.replace('{}', name), cause, advice, orders: 1 }
  return { ...finding, order_id, expected, seen: seen ?? null, story, attacks: [`${name} ${how}`] }
}
