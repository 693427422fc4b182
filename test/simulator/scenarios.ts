import type { OperationKind } from '../../src/till/protocol.ts'
import { createRandom } from '../worker/support/random.ts'
import { playBooks } from './books.ts'
import { type CheckoutScenario, playCheckout } from './checkout.ts'
import { replaceCrypto } from './crypto.ts'
import { type EventsScenario, playEvents } from './events.ts'
import { type MoneyScenario, playMoney } from './money.ts'
import type { Play, Played, Schedule } from './schedule.ts'
import { playTill, type TillScenario } from './till.ts'
import { replaceTime } from './time.ts'

/** @param text Of each caller the key, the kind and the amount; without one it is all that is left. */
const callsOf = (text: string): MoneyScenario['calls'] =>
  text.split(', ').map((call) => {
    const [key = '', kind, amount] = call.split(' ') as [string, OperationKind, string?]
    return amount === undefined ? [key, kind] : [key, kind, Number(amount)]
  })

const MONEY: Record<string, MoneyScenario> = {
  'one key, three times': { method: 'auth', calls: callsOf('one capture, one capture, one capture'), lost: 0.2 },
  'three keys': { method: 'auth', calls: callsOf('one capture 10, two capture 10, three capture 10'), lost: 0.2 },
  'a void that is open': { method: 'auth', open: ['void'], calls: callsOf('one void, one void, two void') },
  'a capture that is open': {
    method: 'auth',
    open: ['capture', 10],
    calls: callsOf('one capture 10, one capture 10, two capture 10'),
    lost: 0.1,
    cron: true,
  },
  'a whole capture that is open': {
    method: 'auth',
    open: ['capture'],
    calls: callsOf('one capture, two capture 10, two capture 10'),
    lost: 0.1,
  },
  'capture, refund and void': {
    method: 'auth',
    calls: callsOf('one capture 10, two refund 10, three void, four capture 10'),
    lost: 0.2,
  },
  'a refund that is open': {
    method: 'purchase',
    open: ['refund', 10],
    calls: callsOf('one refund 10, two refund 10, one refund 10'),
    lost: 0.2,
  },
  'a person and the cron': {
    method: 'auth',
    open: ['capture', 10],
    calls: callsOf('one capture 10, two capture 10'),
    byHand: true,
    cron: true,
  },
  'two keys, and no webhook': { method: 'auth', calls: callsOf('one capture 10, two capture 10'), silent: true },
  'two people who saw the same order': {
    method: 'auth',
    open: ['capture', 10],
    calls: callsOf('two capture 10, three capture 10'),
    sawSame: true,
    lost: 0.1,
  },
}

const CHECKOUTS: Record<string, CheckoutScenario> = {
  'three tabs': { tabs: 3, lost: 0.1, cron: true },
  'a tab that looks once': { tabs: 1, once: true },
  'tabs after a lost opening': { tabs: 2, before: 'lost', cron: true },
  'tabs of an open checkout': { tabs: 3, before: 'opened' },
  'tabs after a day': { tabs: 2, before: 'a day ago' },
  'tabs after a decline': { tabs: 3, before: 'declined', lost: 0.1 },
  'tabs after expiry': { tabs: 2, before: 'expired', lost: 0.1 },
  'an expired link and a newer one': { tabs: 3, before: 'expired', newer: true, lost: 0.1 },
  'a tab, and the data is removed': { tabs: 1, once: true, shop: 'erases' },
  'a tab, and the order is cancelled': { tabs: 1, once: true, shop: 'cancels' },
  'tabs, and the data is removed': { tabs: 2, before: 'opened', shop: 'erases', cron: true },
  'tabs after a decline, and the data is removed': { tabs: 2, before: 'declined', shop: 'erases', cron: true },
  'tabs, and the link is revoked': { tabs: 2, shop: 'revokes' },
  'tabs of a newer link, and the old one is revoked': { tabs: 2, before: 'opened', newer: true, shop: 'revokes' },
  'tabs of two links of other terms': { tabs: 3, newer: 'dearer', lost: 0.1 },
  'tabs that look at the result': { tabs: 3, results: true, cron: true },
  'tabs, and the order is cancelled': { tabs: 2, shop: 'cancels' },
  'tabs of an open checkout that is cancelled': { tabs: 2, before: 'opened', shop: 'cancels' },
  'tabs after a decline, and the order is cancelled': { tabs: 2, before: 'declined', shop: 'cancels' },
  'tabs after a lost opening that is cancelled': { tabs: 2, before: 'lost', shop: 'cancels', lost: 0.1 },
  'a subscription whose charge is due': { tabs: 2, before: 'subscribed', cron: true },
  'a subscription, and the data is removed': { tabs: 1, before: 'subscribed', shop: 'erases' },
  'an order that all give up': { tabs: 2, givenUp: true, lost: 0.4 },
  'an order that all give up after a decline': { tabs: 2, before: 'declined', givenUp: true, lost: 0.4 },
  'an order that all give up after a lost opening': { tabs: 2, before: 'lost', givenUp: true, lost: 0.4 },
  'an order that all give up after expiry': { tabs: 2, before: 'expired', newer: true, givenUp: true, lost: 0.4 },
}

const EVENTS: Record<string, EventsScenario> = {
  'one webhook': { alone: true },
  'one webhook, and the worker dies': { alone: true, dropped: true },
  'one webhook, and a second one when it was handled': { alone: true, followed: true },
  'webhooks at once': { refunds: true },
  'webhooks, and a refund is lost': { refunds: true, lost: true },
  'webhooks, and the worker dies': { dropped: true },
  'webhooks, and two people': { person: true },
  'webhooks, and the data is removed': { erases: 1 },
  'webhooks, and two remove the data': { erases: 2 },
  'webhooks that the shop cannot handle': { broken: true },
  'webhooks that fail, and the data is removed': { broken: true, erases: 1 },
}

/** Three processes of a shop over one SQLite. */
const TILLS: Record<string, TillScenario> = {
  'till: a button pressed three times': {
    method: 'purchase',
    calls: callsOf('one refund 30, one refund 30, one refund 30'),
    lost: 0.2,
  },
  'till: three buttons': {
    method: 'purchase',
    calls: callsOf('one refund 30, two refund 30, three refund 30'),
    lost: 0.2,
  },
  'till: a restored backup': {
    method: 'purchase',
    calls: callsOf('one refund 30, two refund 20'),
    isRestored: true,
    lost: 0.1,
  },
  'till: a refund that is open': {
    method: 'purchase',
    open: ['refund', 30],
    calls: callsOf('one refund 30, two refund 30'),
    lost: 0.1,
  },
  'till: capture, refund and void': {
    method: 'auth',
    calls: callsOf('one capture 10, two refund 10, three void'),
    lost: 0.1,
  },
  'till: two people who saw the same order': {
    method: 'purchase',
    calls: callsOf('one refund 60, two refund 60'),
    sawSame: true,
    lost: 0.1,
  },
  'till: two buttons beside another program': {
    method: 'auth',
    calls: callsOf('one capture 10, two capture 10'),
    beside: 20,
  },
  'till: buttons beside an erasure': {
    method: 'purchase',
    calls: callsOf('one refund 30, two refund 20'),
    isErased: true,
    lost: 0.1,
  },
  'till: buttons beside another merchant': {
    method: 'purchase',
    calls: callsOf('one refund 30, two refund 20'),
    hasStranger: true,
    lost: 0.1,
  },
  'till: two attempts under a limit': {
    method: 'purchase',
    calls: [
      ['one', 'refund', 30, 'A-1~1'],
      ['two', 'refund', 40, 'A-1~2'],
      ['three', 'refund', 20, 'A-1~2'],
    ],
    limitMinor: 6_000,
    lost: 0.2,
  },
  'till: customers who come back': { method: 'purchase', calls: [], customers: 3, lost: 0.1 },
  'till: customers who come back, and a cancellation': {
    method: 'purchase',
    calls: [],
    customers: 3,
    isCancelled: true,
    lost: 0.1,
  },
  'till: an opening, and events that fail': {
    method: 'purchase',
    opens: 3,
    calls: callsOf('one refund 30'),
    isBroken: true,
  },
}

const BOOKS = 'the books'

/** The properties of every scenario, and how it is played. */
const PLAYS: Readonly<Record<string, Play>> = Object.fromEntries([
  ...Object.entries(EVENTS).map(([name, scenario]) => [name, (schedule: Schedule) => playEvents(scenario, schedule)]),
  ...Object.entries(MONEY).map(([name, scenario]) => [name, (schedule: Schedule) => playMoney(scenario, schedule)]),
  ...Object.entries(CHECKOUTS).map(([name, scenario]) => [
    name,
    (schedule: Schedule) => playCheckout(scenario, schedule),
  ]),
  [BOOKS, playBooks],
  ...Object.entries(TILLS).map(([name, scenario]) => [name, (schedule: Schedule) => playTill(scenario, schedule)]),
])

export const SCENARIOS: readonly string[] = Object.keys(PLAYS)

/** Plays one schedule, with the cryptography of its seed. */
export async function playSchedule(schedule: Schedule): Promise<Played> {
  const play = PLAYS[schedule.scenario]
  if (!play) throw new Error(`Unknown scenario: ${schedule.scenario}. There are: ${SCENARIOS.join(' | ')}`)
  // Nothing goes on at once in the books: the pauses of the machine's timers decide nothing.
  const ends = [replaceCrypto(createRandom(schedule.seed)), ...(schedule.scenario === BOOKS ? [] : [replaceTime()])]
  try {
    return await play(schedule)
  } finally {
    for (const end of ends) end()
  }
}
