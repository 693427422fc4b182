import { callGate, type GateCall, namesOf } from '../call-gate.ts'
import type { Scope } from '../scope.ts'
import { auditOfMonth, moneyOfMonth, totalsOfMonth } from './days.ts'
import { addLink, eraseLinks, linksOfShop, markRevoked, statusesOfMonth, tokenOfShort } from './links.ts'
import {
  addMonth,
  attentionOfMonth,
  awaitOrder,
  countFailing,
  failingOfMonth,
  keepOrder,
  lateOfMonth,
  monthsOfShop,
  onceAnHour,
  ordersOfMonth,
  periodOfMonth,
  progressOf,
  putInBooks,
  putInList,
  startRun,
} from './orders.ts'
import type { BooksScope } from './scope.ts'

/** An action of one of the shop's objects. What it takes and returns is plain data: it crosses from the Worker to the object. */
type Action<A extends unknown[], R> = (scope: BooksScope, ...argument: A) => R | Promise<R>

const ACTIONS: Readonly<Record<string, Action<never[], unknown>>> = {
  addLink,
  addMonth,
  attentionOfMonth,
  auditOfMonth,
  awaitOrder,
  countFailing,
  eraseLinks,
  failingOfMonth,
  keepOrder,
  lateOfMonth,
  linksOfShop,
  markRevoked,
  moneyOfMonth,
  monthsOfShop,
  onceAnHour,
  ordersOfMonth,
  periodOfMonth,
  progressOf,
  putInBooks,
  putInList,
  startRun,
  statusesOfMonth,
  tokenOfShort,
  totalsOfMonth,
}

const NAMES = /* @__PURE__ */ namesOf(ACTIONS)

/** Runs an action inside one of the shop's objects. */
export const runShopAction = (scope: BooksScope, { name, argument }: GateCall): unknown =>
  (ACTIONS[name] as Action<unknown[], unknown>)(scope, ...argument)

/** Runs an action in the shop's object of a month, or in the one without a month. */
export async function actShop<A extends unknown[], R>(
  { env }: Pick<Scope, 'env'>,
  month: string | undefined,
  action: Action<A, R>,
  ...argument: A
): Promise<R> {
  const call = { name: NAMES.get(action) as string, argument }
  return (await callGate(env, month === undefined ? 'shop' : `shop/${month}`, call)) as R
}
