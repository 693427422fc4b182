import { callGate, type GateCall, namesOf } from '../call-gate.ts'
import type { Scope } from '../scope.ts'
import { auditOfBook, moneyOfBook, totalsOfBook } from './days.ts'
import { addLink, eraseLinks, linksOfBook, markRevoked, someOfBook, tokenOfShort } from './links.ts'
import {
  addStrays,
  attentionOfBook,
  failingOfBook,
  lateOfBook,
  onceAnHour,
  ordersOfBook,
  periodOfBook,
  progressOf,
  putInList,
  removeStrays,
} from './orders.ts'
import { countIn, endedSession, forgetSums, learnSums, noteTold, sumOf, tellAgain } from './register.ts'
import { closeReusable, noteEnded, orderOfVisit, ordersOfLink, recordLink, unendedOf } from './reuse.ts'
import type { BooksScope } from './scope.ts'

/** An action of a book. What it takes and returns is plain data: it crosses from the Worker to the object. */
type Action<A extends unknown[], R> = (scope: BooksScope, ...argument: A) => R

const ACTIONS: Readonly<Record<string, Action<never[], unknown>>> = {
  addLink,
  addStrays,
  attentionOfBook,
  auditOfBook,
  closeReusable,
  countIn,
  endedSession,
  eraseLinks,
  failingOfBook,
  forgetSums,
  lateOfBook,
  learnSums,
  linksOfBook,
  markRevoked,
  moneyOfBook,
  noteEnded,
  noteTold,
  onceAnHour,
  orderOfVisit,
  ordersOfBook,
  ordersOfLink,
  periodOfBook,
  progressOf,
  putInList,
  recordLink,
  removeStrays,
  someOfBook,
  sumOf,
  tellAgain,
  tokenOfShort,
  totalsOfBook,
  unendedOf,
}

const NAMES = /* @__PURE__ */ namesOf(ACTIONS)

export const runShopAction = (scope: BooksScope, { name, argument }: GateCall): unknown =>
  (ACTIONS[name] as Action<unknown[], unknown>)(scope, ...argument)

/** Runs an action in a book; the first one is the register. */
export async function actShop<A extends unknown[], R>(
  { env }: Pick<Scope, 'env'>,
  book: number,
  action: Action<A, R>,
  ...argument: A
): Promise<R> {
  const call = { name: NAMES.get(action) as string, argument }
  return (await callGate(env, book === 1 ? 'shop' : `shop/${book}`, call)) as R
}
