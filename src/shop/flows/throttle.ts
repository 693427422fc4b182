import { callGate, shopObject } from '../call-gate.ts'
import type { OrderScope, Scope } from '../scope.ts'

/** Tries that cost nothing. */
const FREE = 5
/** The wait after the fifth wrong try; it doubles with each further one. */
const FIRST_MS = 5_000
const LONGEST_MS = 15 * 60_000

interface Wrong {
  count: number
  at: number
}

/** Counts a wrong login, forgets all of them, or does neither. @returns Milliseconds until the next try. */
export async function throttleLogin({ shop, now }: OrderScope, _: string, what: string): Promise<number> {
  const name = 'login'
  const [row] = shop.all<{ value: string }>('SELECT value FROM progress WHERE name = ?', name)
  let { count, at }: Wrong = row ? JSON.parse(row.value) : { count: 0, at: 0 }
  if (what === 'right') {
    shop.all('DELETE FROM progress WHERE name = ?', name)
    return 0
  }
  if (what === 'wrong') {
    count += 1
    at = now()
    shop.all('INSERT OR REPLACE INTO progress VALUES (?, ?)', name, JSON.stringify({ count, at }))
  }
  const wait = count < FREE ? 0 : Math.min(FIRST_MS * 2 ** (count - FREE), LONGEST_MS)
  return Math.max(at + wait - now(), 0)
}

const ask = async ({ env }: Scope, argument: string): Promise<number> =>
  (await callGate(env, shopObject(), { name: 'throttleLogin', order_id: '', argument })) as number

/** Counts a wrong login in the whole shop: from the fifth on one has to wait, 5 seconds, 10, 20, at most 15 minutes. @returns The wait. */
export const countWrongLogin = (scope: Scope): Promise<number> => ask(scope, 'wrong')

/** Milliseconds to wait until a login may be tried; 0: none. */
export const loginWait = (scope: Scope): Promise<number> => ask(scope, 'wait')

/** After a right login. */
export const forgetWrongLogins = (scope: Scope): Promise<number> => ask(scope, 'right')
