import type { KVNamespace } from '@cloudflare/workers-types'
import { isForChange } from '../../support/environment.ts'

/**
 * How a call ends a worker: it throws before or after it had its effect (the worker may catch that), or the isolate is
 * gone before or after it, and nothing of the worker runs any more.
 */
export type How = 'throws before' | 'throws after' | 'dies before' | 'dies after'
const HOWS: readonly How[] = ['throws before', 'throws after', 'dies before', 'dies after']

/** The ways that are tried. Two are enough over a KV that fails anyway, and to judge a change: the daily run tries all. */
export const howsOf = (kind: 'strict' | 'hostile'): readonly How[] =>
  kind === 'strict' && !isForChange ? HOWS : ['throws after', 'dies before']

/** Stops a worker at its n-th call: of storage, of the service, of the merchant's code. */
export interface Kill {
  /** How many calls came this way. */
  readonly calls: number
  /** Whether it has struck. */
  readonly struck: boolean
  /** Whether the worker has died of it. */
  readonly isDead: boolean
  /** Each call goes through here. */
  call<T>(work: () => Promise<T>): Promise<T>
  /** The answer of the worker; rejected when it dies. */
  answer<T>(answered: Promise<T>): Promise<T>
  /** None of its calls returns any more. */
  end(): void
}

export function createKill(killAt: number, how: How): Kill {
  const never = new Promise<never>(() => {})
  let calls = 0
  let isDead = false
  let struck = false
  let die: (reason: Error) => void = () => {}
  const death = new Promise<never>((_, reject) => {
    die = reject
  })
  // Nobody need be listening at that moment.
  death.catch(() => {})
  return {
    get calls() {
      return calls
    },
    get struck() {
      return struck
    },
    get isDead() {
      return isDead
    },
    async call(work) {
      if (isDead) return never
      if (++calls !== killAt) return work()
      struck = true
      if (how.endsWith('after')) await work()
      if (how.startsWith('throws')) throw new Error('KV failed: 500, or the connection did')
      isDead = true
      die(new Error('The worker died.'))
      return never
    },
    answer: (answered) => Promise.race([answered, death]),
    end() {
      isDead = true
      die(new Error('The worker has ended.'))
    },
  }
}

/** A namespace whose every call goes through `call`. */
export function throughCall(kv: KVNamespace, call: Kill['call']): KVNamespace {
  type Calls = Record<PropertyKey, (...parts: unknown[]) => Promise<unknown>>
  return new Proxy(kv, {
    get:
      (target, name) =>
      (...parts: unknown[]) =>
        call(async () => (target as unknown as Calls)[name]?.(...parts)),
  })
}

/**
 * Plays once undisturbed and then stopped at each call in turn. `play` answers how many calls there were: over a KV that
 * fails at random that may be too few to go by, so it is stopped at least at `least` places.
 */
export async function killAtEach(
  kind: string,
  least: number,
  play: (killAt: number) => Promise<number>,
): Promise<void> {
  const total = await play(Number.POSITIVE_INFINITY)
  if (total < least && !kind.endsWith('hostile'))
    throw new Error(`Only ${total} calls were seen, of at least ${least}.`)
  for (let killAt = 1; killAt <= Math.max(total, least); killAt++) await play(killAt)
}
