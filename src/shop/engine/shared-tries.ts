import { HOUR_MS } from '../lib/day.ts'
import type { Tries } from '../lib/tries.ts'
import type { Scope } from '../scope.ts'
import { query, queryAll } from '../tables.ts'

/** How many wrong tokens an address may send within which time; how many are remembered for all addresses. */
const [MOST, WINDOW_MS, KNOWN] = [10, 60_000, 10_000]

/** Rate-limits token guessing for every process of a database. A request without an address is not counted. */
export const sharedTries =
  (open: () => Scope): Tries =>
  async (address = '', isWrong = false) => {
    if (address === '') return false
    const scope = open()
    const now = scope.now()
    if (isWrong) {
      const last = `SELECT at FROM edgetill_guess ORDER BY at DESC LIMIT 1 OFFSET ${KNOWN - 1}`
      await queryAll(scope, [
        [`DELETE FROM edgetill_guess WHERE at <= ? OR at < (${last})`, [now - HOUR_MS]],
        ['INSERT INTO edgetill_guess (address, at) VALUES (?, ?)', [address, now]],
      ])
    }
    const count = 'SELECT count(*) AS count FROM edgetill_guess WHERE address = ? AND at > ?'
    const [row] = await query(scope, count, address, now - WINDOW_MS)
    return Number(row?.count) >= MOST
  }
