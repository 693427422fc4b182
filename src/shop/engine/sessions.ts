import type { Scope } from '../scope.ts'
import { queryAll } from '../tables.ts'

/**
 * Whether a session of the console was ended before its time.
 * @param until Ends the session, and keeps its mark until then.
 */
export async function endedSession(scope: Pick<Scope, 'till' | 'now'>, id: string, until?: number): Promise<boolean> {
  const now = scope.now()
  const end = `INSERT INTO edgetill_session (id, until) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET until = excluded.until`
  const rows = await queryAll(scope, [
    ...(until === undefined
      ? []
      : ([
          ['DELETE FROM edgetill_session WHERE until <= ?', [now]],
          [end, [id, until]],
        ] as const)),
    ['SELECT id FROM edgetill_session WHERE id = ? AND until > ?', [id, now]],
  ])
  return (rows.at(-1) ?? []).length > 0
}
