import { checkoutLinkId } from '../../src/checkout-link/index.ts'
import { attemptId } from '../../src/orders/attempt-id.ts'
import { LINK_SECRET, ORDER, ORIGIN, payAt } from '../worker/support/world.ts'
import { judgeEvents, judgeOrder } from './judges.ts'
import { personIn } from './on-event.ts'
import type { Played, Schedule } from './schedule.ts'
import { type Fate, Simulation } from './simulation.ts'
import { hasFailed, judgeSoon } from './soon.ts'

/** Simultaneous events of one order that is to be paid. */
export interface CheckoutScenario {
  /** Customers who open its link twice each, and mostly pay. */
  tabs: number
  /** They open it once, and do not look again. */
  once?: boolean
  /** The history of the link. */
  before?: 'opened' | 'a day ago' | 'declined' | 'expired' | 'lost' | 'subscribed'
  /** The last tab opens a newer link of the order; `dearer`: of another amount. */
  newer?: boolean | 'dearer'
  /** Who has paid looks at the result, and waits for it. */
  results?: boolean
  /** The shop's work beside them. */
  shop?: 'revokes' | 'cancels' | 'erases'
  /** The customers look once, and go; then the shop cancels. */
  givenUp?: boolean
  cron?: boolean
  /** Probability that a call's answer, or the call, is lost. */
  lost?: number
}

const LOST: readonly Fate[] = ['lost before', 'lost after']
const ORDER_ID = 'A-1'
const DAY_MS = 24 * 3_600_000
/** Of the last one a payment is pending, and fails later. */
const CARDS = ['success', 'success', 'success', 'declined', 'timeout'] as const
/** So often a page that says "one moment" is looked at again. */
const LOOKS = 14
const isCheckout = (location: string): boolean => location !== '' && !location.includes('/return/')

class Play extends Simulation {
  /** The events that were there before their personal data was removed. */
  erased: readonly string[] = []
  /** Whether a tab was led to a payment. */
  isLed = false
  /** Whether a payment was being created when the removal of personal data was asked for. */
  isErasedWhileOpening = false

  /** The attempts whose payment has this status. */
  having(status: string): string[] {
    return this.emulator.orders.list().flatMap((order) => (order.payments[0]?.status === status ? order.order_id : []))
  }

  /** The payment that a checkout page is of. */
  paymentAt(location: string): { amount: number; result_url: string | null } | undefined {
    const found = this.emulator.orders.list().find(({ checkout_id }) => location.includes(checkout_id))
    return found?.payments[0]
  }

  /** Opens a link, and waits. @returns Where it leads to, if anywhere. */
  async visit(actor: string, link: string, looks = LOOKS): Promise<string> {
    let url = link
    for (let look = 0; look < looks; look++) {
      const response = await this.request(actor, new Request(new URL(url, ORIGIN)))
      const text = await response.text()
      const location = response.headers.get('location') ?? ''
      this.steps.note(`${actor}: ${response.status} ${location}`)
      if (![200, 303, 409, 410, 503, 520].includes(response.status)) this.wrong.add(`a visit led to ${response.status}`)
      if (response.status < 500) return location
      url = /<a href="([^"]+)">/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? link
      await this.steps.at(actor, 'looks again')
    }
    return ''
  }

  /** @param amount The link's. */
  async tab(actor: string, link: string, amount: number, { once, givenUp, results }: CheckoutScenario): Promise<void> {
    const looks = once || givenUp ? 1 : LOOKS
    for (let time = 0; time < (once ? 1 : 2); time++) {
      await this.steps.at(actor, 'opens')
      const location = await this.visit(actor, link, looks)
      if (!isCheckout(location)) continue
      this.isLed = true
      const payment = this.paymentAt(location)
      if (payment?.amount !== amount) this.wrong.add(`a link of ${amount} leads to a payment of ${payment?.amount}`)
      if (this.random() < 0.3) continue
      await this.steps.at(actor, 'pays')
      await payAt(this.emulator, location, this.pick(CARDS))
      if (!results) continue
      await this.steps.at(actor, 'looks at the result')
      await this.request(`${actor} with its result`, new Request(`${payment?.result_url}&look=5`))
    }
  }

  /** The shop closes the link of an order that has no other one. @returns What the worker has said, when it has done it. */
  async shop({ shop: does, newer }: CheckoutScenario, link: string): Promise<Record<string, unknown> | undefined> {
    await this.steps.at('shop', `${does}`)
    const path = {
      revokes: `/api/links/${await checkoutLinkId(link, LINK_SECRET)}${newer ? '' : '?cancel=true'}`,
      cancels: `/api/orders/${ORDER_ID}/cancel`,
      erases: `/api/orders/${ORDER_ID}/personal-data`,
    }
    const method = does === 'cancels' ? 'POST' : 'DELETE'
    this.isErasedWhileOpening = does === 'erases' && this.isAt('/payment')
    const known = [...this.kv.dump().keys()].filter((key) => key.startsWith('event/'))
    const { status, body } = await this.api('shop', path[does ?? 'erases'], { method })
    this.steps.note(`shop: ${status}`)
    if (does === 'erases' && status === 200) this.erased = known
    return status === 200 ? body : undefined
  }
}

const paymentsOf = (play: Play) => play.logOf(ORDER_ID).filter(({ kind }) => kind === 'payment')

/** Plays one schedule. */
export function playCheckout(scenario: CheckoutScenario, schedule: Schedule): Promise<Played> {
  const play = new Play(schedule)
  return play.play(() => playScenario(play, scenario))
}

async function playScenario(play: Play, scenario: CheckoutScenario): Promise<void> {
  const { tabs, once, before, newer, shop, givenUp, cron, lost = 0 } = scenario
  const init_recurring = { interval_unit: 'day', interval_count: 1 } as const
  const order = { order_id: ORDER_ID, ...(before === 'subscribed' && { init_recurring }) }
  const link = await play.link(order, before === 'a day ago' ? play.time + 3 * DAY_MS : undefined)
  if (before === 'lost') {
    const fate = play.pick<Fate>(['died before', 'died after', ...LOST])
    await play.disturbOne(fate, 'opener', () => play.visit('opener', link))
  } else if (before) {
    const location = await play.visit('opener', link)
    if (before === 'declined') await payAt(play.emulator, location, 'declined')
    if (before === 'subscribed') await payAt(play.emulator, location, 'success')
    await play.idle()
  }
  // The second charge of a subscription is due in seconds.
  const pause = { expired: DAY_MS + 3_600_000, 'a day ago': DAY_MS, subscribed: DAY_MS - 3_000 }[before as string]
  play.time += pause ?? play.pick([2_000, 1_200_000])
  const amounts = [ORDER.amount, newer === 'dearer' ? 200.5 : ORDER.amount] as const
  const newest = newer ? await play.link({ ...order, amount: amounts[1] }) : link
  // After a death a link may lead to the checkout of a payment that the shop has cancelled.
  play.disturb(lost, !givenUp)
  for (let tab = 1; tab < tabs; tab++) play.begin(() => play.tab(`tab ${tab}`, link, amounts[0], scenario))
  play.begin(() => play.tab(`tab ${tabs}`, newest, amounts[1], scenario))
  let said: Promise<Record<string, unknown> | undefined> | undefined
  if (shop)
    play.begin(() => {
      said = play.shop(scenario, link)
      return said
    })
  if (cron) play.begin(() => play.steps.at('cron', 'begins').then(() => play.wake('cron')))
  play.begin(() => play.minutes())
  await play.calm()

  const [payable, [paid, ...more]] = [play.having('init'), play.having('success')]
  const done = await said
  if (more.length > 0) play.wrong.add(`paid twice: ${paid} and ${more}`)
  if (payable.length > (paid ? 0 : 1)) play.wrong.add(`${payable} can be paid, ${paid} is paid`)
  const opened = once && play.isErasedWhileOpening && done && personIn(paymentsOf(play))
  if (opened) play.wrong.add(`${opened} was stored by an opening, after it was removed`)
  const cancelled = () => shop === 'cancels' && done && play.having('init').length > 0
  if (cancelled()) play.wrong.add(`${payable} can be paid, and was cancelled`)
  if (shop === 'revokes' && done?.opened === false && (play.isLed || payable.length > 0)) {
    play.wrong.add('a payment was opened after its link was revoked')
  }
  // The SDK repeats a question that got no response in time.
  const asked = [...new Set(play.steps.log.filter((line) => /^tab \d+ with its result: GET .*, answered/.test(line)))]
  if (asked.length > new Set(asked.map((line) => line.replace(/^tab \d+/, ''))).size)
    play.wrong.add('the service was asked twice for the customers who wait for a result')
  await judgeSoon(play, paid ?? ORDER_ID)
  /** Whatever can still be paid is asked about one day, and cancelled. */
  const judgeWatched = () => {
    const watched = paymentsOf(play).flatMap(({ attempt, next_at }) =>
      next_at === null ? [] : attemptId(ORDER_ID, attempt),
    )
    for (const id of play.having('init'))
      if (!watched.includes(id)) play.wrong.add(`${id} can be paid, and is not watched`)
  }
  if (play.isLed && !shop && before !== 'expired' && !hasFailed(play)) judgeWatched()
  for (let time = 0; time < 4; time++) await play.pass(0.5)
  if (shop === 'revokes' && !newer && done?.opened && play.having('init').length > 0)
    play.wrong.add(`${play.having('init')} can be paid, and its link was closed`)
  const end = givenUp && (await play.api('calm', `/api/orders/${ORDER_ID}/cancel`, { method: 'POST' })).status
  const location = await play.visit('customer', newest)
  judgeWatched()
  const isPaid = play.having('success').length + play.having('pending').length > 0
  if (newer !== 'dearer' && (before !== 'expired' || newer) && !shop && !givenUp && !isPaid && !isCheckout(location))
    play.wrong.add(`nobody has paid or cancelled, and the link leads to “${location}”`)
  if (paid !== undefined) {
    const amount = play.emulator.orders.get(paid)?.payments[0]?.amount
    // A payment of other terms keeps its own link.
    if (amount === amounts[1] && !location.includes(`/return/${paid}?`))
      play.wrong.add(`the link of ${paid}, which is paid, leads to ${location}`)
    const { status, totals, flags } = (await play.api('calm', `/api/orders/${paid}`)).body
    const others = (flags as string[]).filter((flag) => flag !== 'paid_after_failure')
    const shown = [status, (totals as { captured_minor: number }).captured_minor, ...others]
    const charges = play.emulator.orders.get(paid)?.payments.length ?? 0
    if (JSON.stringify(shown) !== JSON.stringify(['success', Math.round(Number(amount) * 100) * charges]))
      play.wrong.add(`${paid} is paid, and shown as ${shown}`)
  } else if (done && !newer && shop !== 'erases' && isCheckout(location)) {
    play.wrong.add(`a link that was closed leads to ${location}`)
  }
  // A 404 is of an order that neither the service nor the worker knows.
  if (end && end !== 404 && !paid && (isCheckout(location) || play.having('init').length > 0)) {
    play.wrong.add(`the shop's cancel said ${end}, and the link leads to ${location}`)
  }
  if (cancelled()) play.wrong.add(`${play.having('init')} can be paid in the end, and was cancelled`)
  await play.pass(1)
  judgeEvents(play)
  for (const key of play.erased) {
    const found = personIn(play.kv.dump().get(key))
    if (found) play.wrong.add(`${found} is in an event again`)
  }
  await judgeOrder(play, ORDER_ID)
}
