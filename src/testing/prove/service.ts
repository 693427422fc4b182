import { createClient } from '../../client.ts'
import { createEmulator, type Emulator, type TestCardName } from '../../emulator/index.ts'
import type { Resolved } from './options.ts'
import { decimals, paidAt, type Story } from './story.ts'

/** A webhook's payload. */
export type Payload = Readonly<Record<string, unknown>>

/** The service: it makes orders and their webhooks, and sends none of them. */
export interface Service {
  /** The webhooks of each action of a story. @throws {Error} when the service does not allow an action. */
  play(story: Story, order_id: string): Promise<Payload[][]>
}

const DAY = 86_400_000

/** @param run Different for each run: it decides the ids of payments. */
export function createService({ apiSecret, posId }: Pick<Resolved, 'apiSecret' | 'posId'>, run: number): Service {
  const emulators = new Map<string, Emulator>()

  /** The clock is an hour or days ago and goes on with each look, so that no two things happen at the same moment. */
  function emulatorOf(late: boolean, secondCard: boolean): Emulator {
    const key = `${late}${secondCard}`
    const known = emulators.get(key)
    if (known !== undefined) return known
    let now = Date.now() - (late ? 5 * DAY : DAY / 24)
    const emulator = createEmulator({
      seed: (run + emulators.size * 0x1000_0000) % 2 ** 32,
      clock: { now: () => (now += 5) },
      credentials: { apiSecret, ...(posId !== undefined && { posId }) },
      perturbations: secondCard ? ['second_card'] : [],
    })
    emulators.set(key, emulator)
    return emulator
  }

  return {
    async play(story, order_id) {
      const [first] = story.actions
      const emulator = emulatorOf(story.late, first?.do === 'decline_then_pay')
      const { minor, currency } = paidAt(story)
      const client = createClient({ ...emulator.credentials, fetch: emulator.fetch })
      const { url } = await client.createPayment({
        mode: 'hosted',
        method: first?.do === 'authorize' ? 'auth' : 'purchase',
        amount: decimals(minor),
        currency,
        description: 'An order of edgetill prove',
        order_id,
        order_3ds_bypass: 'supported',
        customer_patronym: 'Ivanivna',
        customer_email: 'olena@example.com',
        customer_phone: '+380441234567',
        ...(first?.do === 'subscribe' && { init_recurring: { interval_unit: 'month', interval_count: 1 } }),
      } as Parameters<typeof client.createPayment>[0] & { mode: 'hosted'; method: 'purchase' })
      const seen = new Set<string>()
      const made: Payload[][] = []
      for (const action of story.actions) {
        await carryOut(emulator, order_id, url, action)
        const fresh = emulator.deliveries.filter((one) => one.order_id === order_id && !seen.has(one.id))
        for (const { id } of fresh) seen.add(id)
        made.push(fresh.map(({ event }) => event))
      }
      if (first?.do === 'subscribe') emulator.control.cancelRecurring(order_id)
      return made
    },
  }
}

const CARDS: Partial<Record<Story['actions'][number]['do'], TestCardName>> = {
  decline: 'declined',
  three_d_secure: 'three_d_secure',
}

async function carryOut(
  emulator: Emulator,
  order_id: string,
  url: string,
  action: Story['actions'][number],
): Promise<void> {
  const { control } = emulator
  if (action.do === 'cancel') control.cancelPayment(order_id)
  else if (action.do === 'void') control.voidPayment(order_id)
  else if (action.do === 'charge') control.chargeRecurring(order_id)
  else if (action.do === 'capture') control.capturePayment(order_id, decimals(action.minor))
  else if (action.do === 'refund') control.refundPayment(order_id, decimals(action.minor))
  else await emulator.pay(url, { card: CARDS[action.do] ?? 'success' })
}
