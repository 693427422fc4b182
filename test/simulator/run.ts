// `npm run model`: explores every scenario of the protocol whole, then takes each rule out and shows the shortest way to what goes wrong.

import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import * as rules from '../../src/till/protocol.ts'
import { type Explored, explore, ORDER } from './explore.ts'
import { generated, guide, Life, scenarioRow, slipRow, writeGuide } from './life.ts'
import type { Protocol, Scenario } from './model.ts'
import { SETTLED_SLIPS, SLIPS, type Slip } from './slips.ts'
import { TILL, TILL_SCENARIOS } from './till-model.ts'

const PROTOCOL = new URL('../../src/till/protocol.ts', import.meta.url)

// A call may take 93 seconds, and one that was being made when the store was lost, 62: the protocol assumes 120 and 60 at most.
const ONE = { kind: 'capture', amounts: [10], deaths: 0, arrivesWithin: 3 } as const
const TWO = { kind: 'capture', deaths: 0, arrivesWithin: 3 } as const

export const SCENARIOS: readonly Scenario[] = [
  { ...ONE, name: 'one key; the same was captured before, in the portal', tries: [2], madeBefore: 1000 },
  { ...ONE, name: 'one key; the store is lost', tries: [3], canBeLost: true, arrivesWithin: 2 },
  { ...ONE, name: 'one key; another operation is made in the portal', tries: [2], byOthers: 700 },
  { ...ONE, name: 'one key; a person settles the unknown outcome', tries: [2], byHand: true },
  { ...ONE, name: 'one key, sent three times; the worker dies', tries: [3], deaths: 1 },
  { ...TWO, name: 'two keys for the same amount', amounts: [10, 10], tries: [1, 2] },
  { ...TWO, name: 'two keys for different amounts; the worker dies', amounts: [10, 20], tries: [1, 1], deaths: 1 },
]

const REFUNDS = { kind: 'refund', tries: [1, 1], deaths: 0, arrivesWithin: 3, ticks: 2, pending: true } as const
const BOTH = { attempts: ['A-1', 'A-1~2'], names: ['A-1', 'A-1~2'] } as const

/** Two people and one order: what they confirmed is what is done. */
export const CONFIRMED: readonly Scenario[] = [
  { ...REFUNDS, name: 'two full refunds, both pending for a while', amounts: [null, null] },
  { ...REFUNDS, name: 'two people who saw the same order', amounts: [10, 10], promises: { sawSame: true } },
  { ...REFUNDS, name: 'two people, each with a limit of 60', amounts: [30, 40], promises: { limit: 6_000 } },
  {
    ...REFUNDS,
    ...{ name: 'a limit of 60, and a full refund before the payment is known', paidLate: true },
    ...{ amounts: [null, 10], promises: { limit: 6_000 } },
  },
  { ...REFUNDS, ...BOTH, name: 'a limit of 60 over two attempts', amounts: [30, 40], promises: { limit: 6_000 } },
  { ...REFUNDS, ...BOTH, name: 'one key for two attempts', amounts: [10, 10], oneKey: true },
  {
    ...{
      ...REFUNDS,
      ...BOTH,
      name: 'two people who saw the first attempt: one names it, one names the order, and a second attempt is paid',
    },
    ...{ names: ['A-1', undefined], amounts: [null, null], promises: { sawSame: true } },
  },
]

const LOST = { ...ONE, canBeLost: true, byHand: true, arrivesWithin: 2, tries: [3] } as const
const LATE = { ...TWO, arrivesWithin: 9, isLate: true, ticks: 4 } as const

/** What a person decides, and what turns out to be untrue. */
export const SETTLED: readonly Scenario[] = [
  { ...LOST, name: 'one key; the store is lost, and a person settles an unexplained operation' },
  { ...LOST, name: 'one key; the same, and another capture was made in the portal', byOthers: 700, ticks: 3 },
  { ...LATE, name: 'one key; it is executed after it was counted as not executed', amounts: [10], tries: [2] },
  {
    ...LATE,
    name: 'two keys; the first is executed after it counted as not executed',
    amounts: [10, 10],
    tries: [1, 1],
  },
  {
    ...ONE,
    name: 'one key; it is pending, and may be declined',
    tries: [2],
    pending: true,
    mayDecline: true,
    ticks: 2,
  },
]

/** The protocol without a rule, and nothing else changed. */
export async function without<T = Protocol>([rule, find, replace]: Slip, file = PROTOCOL): Promise<T> {
  const source = readFileSync(file, 'utf8')
  if (source.split(find).length !== 2) throw new Error(`“${rule}”: its text does not stand in its file once.`)
  const text = stripTypeScriptTypes(source.replace(find, () => replace))
  return (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as T
}

/** The nearest violation of a protocol, in the first scenario that has one. */
export function findViolation(
  protocol: Protocol,
  scenarios: readonly Scenario[] = [...SCENARIOS, ...CONFIRMED],
): Explored['violation'] {
  for (const scenario of scenarios) {
    const { violation } = explore(scenario, protocol, ORDER)
    if (violation) return violation
  }
  return undefined
}

/** The finding, with the way there. @param isWanted Whether something has to be found. */
function report(row: string, violation: Explored['violation'], isWanted: boolean): string {
  console.log([row, ...(violation?.trace ?? [])].join('\n  '))
  if (isWanted !== (violation !== undefined)) process.exitCode = 1
  return row
}

if (import.meta.main) {
  const life = new Life()
  const rows = [...SCENARIOS, ...CONFIRMED, ...SETTLED].map((scenario) => {
    const explored = explore(scenario, rules, ORDER, (before, after) => life.see(before, after))
    return report(scenarioRow(scenario, explored), explored.violation, false)
  })
  for (const scenario of TILL_SCENARIOS) {
    const explored = explore(scenario, rules, TILL)
    rows.push(report(scenarioRow(scenario, explored), explored.violation, false))
  }
  const slips: string[] = []
  for (const slip of [...SLIPS, ...SETTLED_SLIPS]) {
    const isSettled = SETTLED_SLIPS.includes(slip)
    const found = findViolation(await without(slip), isSettled ? SETTLED : undefined)
    slips.push(report(slipRow(slip, found), found, true))
  }
  const [before, stored, after] = guide()
  const made = generated(life, rows, slips)
  if (process.argv.includes('--update')) writeGuide(before, made, after)
  else if (stored !== made) {
    console.error('The guide is not what the model says: run `npm run model -- --update` and commit it.')
    process.exitCode = 1
  }
}
