// Links and the record say what is true: no page contradicts another one, the API, what was done, or what a customer meets.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { timeOf } from '../../src/shop/console/lib/time.ts'
import { wordsIn } from '../../src/shop/console/words/words.ts'
import type { Returns } from '../../src/shop/index.ts'
import { money } from '../../src/shop/pages/money.ts'
import type { Link } from '../../src/shop/routes/calls.ts'
import { check, SEED } from '../support/property.ts'
import { World } from '../worker/support/world.ts'
import { Browser, formsOf, formTo, mount } from './support/browser.ts'

const en = wordsIn('en')

const KYIV = 'Europe/Kyiv'
const DAY_MS = 86_400_000
const uah = (minor: number): string => money(en, minor / 100, 'UAH').replaceAll('\u00a0', ' ')
const plain = (text: string): string => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
const rowsOf = (text: string): string[] =>
  text.split('<ul class="rows')[1]?.split('</ul>')[0]?.split('<li').slice(1) ?? []
/** Another try at paying has a name of its own. */
const baseOf = (order_id: string): string => order_id.replace(/~\d+$/, '')
const pathOf = ({ url }: Pick<Link, 'url'>): string => new URL(url ?? '').pathname

const link = fc.record({ use: fc.constantFrom('once', 'many'), method: fc.constantFrom('purchase', 'auth') })
const act = fc.record({
  what: fc.constantFrom('open', 'pay', 'pay', 'decline', 'close', 'refund', 'note', 'wait', 'expire'),
  which: fc.nat(2),
})

it(`seed ${SEED}: links and the record agree with each other, the API and the customer, after any day`, async () => {
  await check(
    fc.asyncProperty(
      fc.array(link, { minLength: 1, maxLength: 3 }),
      fc.array(act, { maxLength: 9 }),
      async (made, acts) => {
        const world = new World({ failures: 0, env: { SHOP_TZ: KYIV } })
        const send = mount(world)
        const shop = await new Browser(send).signIn()
        const json = async <T>(path: string) => (await (await world.api(path)).json()) as T
        const listed = async (more = '') => (await json<{ links: Link[] }>(`/api/links?limit=100${more}`)).links
        /** Everything that was done, as the record has to have it. */
        const done: [action: string, order_id: string, sum: string][] = []
        for (const [i, { use, method }] of made.entries()) {
          const typed = {
            amount: `${(i + 1) * 20}`,
            currency: 'UAH',
            description: `Thing ${i}`,
            use,
            method,
          }
          const limits = use === 'many' && { count: '2', until: '2026-03-05' }
          const shown = await shop.submit(formTo(await shop.open('/console/new-link'), '/console/new-link'), {
            ...typed,
            ...limits,
          })
          expect(shown.text).toContain(uah((i + 1) * 2_000))
          await world.advance(1_000)
        }
        const links = (await listed()).reverse()
        for (const [i, { order_id, expires_at }] of links.entries()) {
          done.push(['link', order_id, ''])
          expect(expires_at).toBe(`2026-03-0${made[i]?.use === 'many' ? 5 : 8}T22:00:00.000Z`)
        }
        /** A customer goes to the payment: undefined where the link leads to none. */
        const press = async (one: Link): Promise<string | undefined> => {
          const customer = new Browser(send)
          const first = await customer.raw(pathOf(one))
          const form = formsOf({ text: await first.text() }).find(({ action }) => action === pathOf(one))
          const body = new URLSearchParams(form?.fields)
          const second = form ? await customer.raw(pathOf(one), { method: 'POST', body }) : first
          const to = second.headers.get('location') ?? ''
          return to === '' || to.includes('/return/') ? undefined : to
        }
        for (const { what, which } of acts) {
          const one = links[which % links.length] as Link
          if (what === 'open' || what === 'pay' || what === 'decline') {
            const checkout = await press(one)
            if (checkout && what !== 'open') await world.pay(checkout, what === 'pay' ? 'success' : 'declined')
          } else if (what === 'close') {
            const form = formsOf(await shop.open(`/console/links/${one.order_id}`)).find(({ action }) =>
              action.endsWith('/revoke'),
            )
            if (form) {
              const next = await shop.submit(form)
              // One that is closed already, or over, is gone on with in one step.
              if (!form.fields.sure) await shop.submit(formTo(next, /\/revoke$/))
              done.push(['revoke_link', one.order_id, ''])
            }
          } else if (what === 'wait' || what === 'expire') {
            await world.advance(what === 'wait' ? 3_600_000 : 8 * DAY_MS)
            await shop.signIn().catch(() => null)
          } else {
            const { orders } = await json<Returns['GET /api/orders']>('/api/orders')
            const order = orders[which % Math.max(orders.length, 1)]
            const page = order && (await shop.open(`/console/orders/${order.order_id}`))
            const form =
              page && formsOf(page).find(({ action }) => action.endsWith(what === 'note' ? '/notes' : '/refund'))
            if (!form || !order) continue
            const next = await shop.submit(form, what === 'note' ? { text: 'Called' } : { amount: '5' })
            if (what === 'refund') await shop.submit(formTo(next, /\/confirm$/))
            done.push([what, baseOf(order.order_id), what === 'refund' ? uah(500) : ''])
          }
          await world.advance(2_000)
        }
        await world.advance(61_000)
        await world.advance(61_000)

        const now = await listed()
        const { orders } = await json<Returns['GET /api/orders']>('/api/orders?limit=100')
        const list = await shop.open('/console/links')
        const orderList = rowsOf((await shop.open('/console/orders')).text)
        expect(rowsOf(list.text)).toHaveLength(now.length)
        for (const state of Object.keys(en.link.states)) {
          const narrowed = rowsOf((await shop.open(`/console/links?state=${state}`)).text)
          expect([state, narrowed.length]).toEqual([state, now.filter((one) => one.state === state).length])
        }
        for (const [i, one] of now.entries()) {
          const { order_id, state, amount_minor, reusable } = one
          const isOpen = state === 'sent' || state === 'opened'
          const isFull = reusable !== null && reusable.taken >= 2
          const word = reusable && isOpen ? en.link[isFull ? 'full' : 'anybody'] : en.link.states[state]
          const row = plain(rowsOf(list.text)[i] ?? '')
          for (const part of [word, uah(amount_minor), 'Thing', 'admin']) expect(row, state).toContain(part)
          if (reusable) expect((await shop.open(`/console/links/${order_id}`)).text).toContain(`${word}</span>`)
          const page = await shop.open(`/console/links/${order_id}`)
          const text = plain(page.text)
          expect(text).toContain(uah(amount_minor))
          expect(page.text.includes('class="qr"'), `${state} has a code`).toBe(isOpen)
          expect(page.text.includes('/revoke"'), `${state} can be closed`).toBe(isOpen || reusable?.closing === true)
          expect(text.includes(en.link.until) || text.includes(en.link.untilTime), 'its end').toBe(isOpen)
          const own = orders.filter((order) => baseOf(order.order_id).replace(/-[A-Z2-9]{10}$/, '') === order_id)
          if (reusable) {
            const { orders: listed } = await json<Returns['GET /api/links/:id']>(`/api/links/${one.id}?limit=100`)
            expect(listed.map((order) => order.order_id).sort()).toEqual(own.map((order) => order.order_id).sort())
            expect(text).toContain(`${en.link.sold} ${en.link.of(reusable.sold, 2)}`)
            // The rows are those of the page of orders: state and sum.
            const rows = rowsOf(page.text)
            expect(rows).toHaveLength(own.length)
            // The list has the day of a row above it.
            const undated = (row: string) => plain(row).replace(/\d{1,2} \w{3}( \d{4})?, /, '')
            for (const each of rows) expect(orderList.map(undated)).toContain(undated(each))
          } else {
            expect(state === 'paid', 'paid').toBe(own.some(({ status }) => status === 'success'))
            expect(page.text.includes(`/orders/${order_id}"`), 'leads to its order').toBe(own.length > 0)
            expect(/aria-current="step"><span[^>]*><span[^>]*>.<\/span> ([^<]*)/.exec(page.text)?.[1]).toBe(
              state === 'paid' && own.some(({ method }) => method === 'purchase')
                ? en.states.paid
                : en.link.states[state],
            )
          }
          // A customer meets the same; nobody pays where the page says so.
          const says = [en.link.closed, en.link.ended.cancelled].some((sentence) => text.includes(sentence))
          if (says && !text.includes(en.link.closing)) expect([state, world.payable(order_id)]).toEqual([state, []])
          expect([state, isOpen && !isFull]).toEqual([state, (await press(one)) !== undefined])
        }
        const { entries } = await json<Returns['GET /api/audit']>('/api/audit?limit=100')
        const record = rowsOf((await shop.open('/console/record')).text).map(plain)
        // Closing a link cancels the payments that were opened with it.
        const did = entries.map(({ action, order_id }) => [action, order_id.replace(/-[A-Z2-9]{10}$/, '')])
        const closed = done.flatMap(([action, order_id]) => (action === 'revoke_link' ? order_id : []))
        for (const [name, of] of did) if (name === 'cancel') expect(closed).toContain(of)
        expect(
          entries.flatMap(({ action, order_id }) => (action === 'cancel' ? [] : `${action} ${order_id}`)).sort(),
        ).toEqual(done.map(([action, order_id]) => `${action} ${order_id}`).sort())
        for (const [action, order_id, sum] of done) {
          const says = `admin : ${en.record.actions[action]} ${order_id} ${sum}`.trim()
          expect(
            record.some((row) => row.replaceAll(/ +/g, ' ').includes(says)),
            `${says}\n${record.join('\n')}`,
          ).toBe(true)
        }
        for (const [i, { at, result = '' }] of entries.entries()) {
          expect(record[i]).toContain(`${timeOf(en, at, KYIV)} · ${en.record.results[result] ?? ''}`)
        }
      },
    ),
    12,
  )
}, 120_000)
