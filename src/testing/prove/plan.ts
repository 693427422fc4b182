import { createRandom, type Random } from './random.ts'
import { type Action, INTRUSIONS, type OrderKind, type Sending, type Story, type Way } from './story.ts'

/** What the shop under test lets us try. */
export interface Possible {
  kinds: readonly OrderKind[]
  /** It can be told what was asked. */
  create: boolean
  /** It can be killed. */
  restart: boolean
}

/** How many webhooks an action makes. */
const eventsOf = ({ do: what }: Action): number => (what === 'three_d_secure' || what === 'decline_then_pay' ? 2 : 1)

/** The story of order `n` of a seed: the kinds take turns, everything else is drawn. */
export function planStory(seed: number, n: number, possible: Possible): Story {
  const random = createRandom(seed ^ Math.imul(n + 1, 0x9e3779b1))
  const kind = possible.kinds[n % possible.kinds.length] as OrderKind
  const asked = 1000 + random.below(49_000)
  const story: Story = { asked, late: random.chance(0.2), actions: actionsOf(kind, asked, random), sendings: [] }
  const sendings = sendingsOf(story.actions, random, possible.restart)
  // A payment of another amount is one payment: what follows it would be of that amount.
  if (kind === 'paid' && possible.create && random.chance(0.5)) {
    return { ...story, mismatch: random.pick(['amount', 'currency']), sendings }
  }
  return { ...story, sendings: withIntrusions(sendings, random) }
}

function actionsOf(kind: OrderKind, asked: number, random: Random): Action[] {
  const part = 1 + random.below(asked - 1)
  const rest = asked - part
  switch (kind) {
    case 'paid':
      return [{ do: 'pay' }]
    case 'declined':
      return [{ do: 'decline' }]
    case 'retried':
      return [{ do: 'decline_then_pay' }]
    case 'three_d_secure':
      return [{ do: 'three_d_secure' }]
    case 'captured':
      return [
        { do: 'authorize' },
        { do: 'capture', minor: part },
        ...(random.chance(0.5) ? [{ do: 'capture', minor: rest } as const] : []),
        ...(random.chance(0.3) ? [{ do: 'refund', minor: part } as const] : []),
      ]
    case 'voided':
      return [{ do: 'authorize' }, { do: 'void' }]
    case 'refunded': {
      const whole: Action[] = [{ do: 'refund', minor: asked }]
      const parts: Action[] = [
        { do: 'refund', minor: part },
        { do: 'refund', minor: rest },
      ]
      const first: Action = { do: random.chance(0.3) ? 'three_d_secure' : 'pay' }
      return [first, ...random.pick([whole, parts, parts.slice(0, 1)])]
    }
    case 'recurring':
      return [{ do: 'subscribe' }, ...Array.from({ length: 1 + random.below(2) }, () => ({ do: 'charge' }) as const)]
    case 'cancelled':
      return [{ do: 'cancel' }]
  }
}

function sendingsOf(actions: readonly Action[], random: Random, restart: boolean): Sending[] {
  const genuine = actions.flatMap((action, index) =>
    Array.from({ length: eventsOf(action) }, (_, nth) => ({ action: index, nth })),
  )
  const ways: readonly Way[] = ['plain', 'together', 'lost_answer', 'hang_up', ...(restart ? ['killed' as const] : [])]
  const first = genuine.map((event) => ({ ...event, way: random.chance(0.5) ? 'plain' : random.pick(ways) }))
  const copies = genuine
    .filter(() => random.chance(0.4))
    .map((event) => ({ ...event, way: random.pick(['plain', 'plain', 'other_fields', 'together'] as const) }))
  const all = [...first, ...copies]
  return random.chance(0.3) ? all : random.shuffled(all)
}

function withIntrusions(sendings: readonly Sending[], random: Random): Sending[] {
  const all = [...sendings]
  while (random.chance(0.35)) {
    const claims = random.pick(['purchase', 'refund'] as const)
    all.splice(random.below(all.length + 1), 0, { intrusion: random.pick(INTRUSIONS), claims })
  }
  return all
}
