// Carrying a shop to another database: it is closed, its rows are read out, and loaded elsewhere.

import type { Fetch } from '../../config.ts'
import { isConfigError } from '../../errors.ts'
import { readBytes } from '../../lib/read-bytes.ts'
import { attemptId } from '../../orders/attempt-id.ts'
import { option } from '../../schemas/fields.ts'
import { oneOf, url } from '../../schemas/input.ts'
import { text } from '../../schemas/values.ts'
import { CLOSING_MS, type LogRow, type TableKeys, tillLog } from '../../till/log.ts'
import { readOrder } from '../../till/store.ts'
import { readEvents } from '../engine/read-event.ts'
import { act } from '../engine/record.ts'
import { recoverShop } from '../engine/recover.ts'
import { basePath, retentionMs, type ShopEnv } from '../env.ts'
import { putEvent } from '../kv/events.ts'
import { STRAY_PREFIX } from '../kv/strays.ts'
import { ProblemError } from '../lib/problem.ts'
import { openCursor, sealCursor } from '../lib/query.ts'
import { scopeOf } from '../open-scope.ts'
import type { CarryOver } from '../options.ts'
import type { Carrying, Scope } from '../scope.ts'
import { query } from '../tables.ts'
import type { CarryCall } from './calls.ts'
import { withoutToken } from './orders.ts'
import { type Routes, route, time } from './route.ts'

/** The tables of a shop beside those of its till. The counts of wrong tokens are left out. */
const SHOP_TABLES: TableKeys = {
  edgetill_link: ['short'],
  edgetill_reuse: ['nonce', 'number'],
  edgetill_revoked: ['nonce'],
  edgetill_act: ['id'],
  edgetill_alert: ['id'],
  edgetill_done: ['order_id', 'item'],
  edgetill_matter: ['id'],
  edgetill_copy: ['order_id'],
  edgetill_erasure: ['order_id'],
  edgetill_session: ['id'],
}

/** The most rows of a response: 200 rows take one call of the object, and an invocation may make 1,000 calls. */
const MOST_ROWS = 100_000
/** The largest body of rows, and of a webhook that is passed on. */
const MAX_BYTES = 8 * 2 ** 20

/** Whether a shop was closed at the last look-up. */
const SEEN = new WeakMap<ShopEnv, { at: number; to: string | undefined }>()

/** Where the shop has moved to; undefined while it is open. Looked up twice before its log can be read. */
async function movedTo(scope: Scope): Promise<string | undefined> {
  const at = scope.now()
  const seen = SEEN.get(scope.env)
  if (seen && at - seen.at < CLOSING_MS / 2) return seen.to
  const to = (await logOf(scope).closed())?.to
  SEEN.set(scope.env, { at, to })
  return to
}

const carrying: Carrying = {
  isClosed: async (scope) => (await movedTo(scope).catch(() => undefined)) !== undefined,
  async whileOpen(deps, c, handle) {
    const { pathname, search, origin } = new URL(c.req.url)
    const path = pathname.slice(basePath(c.env).length)
    const isApi = path.startsWith('/api/')
    const isPassedOn = /^\/(webhooks|checkout|return|health)(\/|$)/.test(path)
    const isWrite = isApi && c.req.method !== 'GET' && !path.startsWith('/api/log')
    const to = isPassedOn || isWrite ? await movedTo(scopeOf(deps, c)).catch(() => undefined) : undefined
    if (to === undefined) return handle(c)
    if (path.startsWith('/health')) return Response.json({ status: 'closed', to }, { status: 503 })
    if (isApi) throw new ProblemError(503, 'closed', 'The shop is closed: it has moved.', to || undefined)
    const address = to.replace(/\/$/, '')
    if (address === '' || address === origin + basePath(c.env))
      return new Response('The shop is moving.', { status: 503, headers: { 'retry-after': '60' } })
    const location = address + path + search
    return path.startsWith('/webhooks')
      ? passOn(c.req.raw, location, deps.fetch)
      : new Response(null, { status: 307, headers: { location } })
  },
  routes: (): Routes<CarryCall> => ({
    // Every row as NDJSON, once the shop has been closed for a minute; cc_token only for ADMIN_TOKEN.
    'GET /api/log': route({
      id: 'readLog',
      errors: ['not_closed', 'closing'],
      may: 'all',
      needs: 'orders',
      query: { cursor: option(text), cc_token: option(oneOf(['true'])) },
      async run(_, scope, { query: { cursor, cc_token } }) {
        if (cc_token && scope.by !== 'api') throw new ProblemError(403, 'forbidden', 'Only ADMIN_TOKEN reads cc_token.')
        const log = logOf(scope)
        const closed = await log.closed()
        if (!closed) throw new ProblemError(409, 'not_closed', 'Close the shop first: POST /api/log/close.')
        const retry_after = Math.ceil(closed.wait_ms / 1000)
        if (retry_after > 0)
          throw new ProblemError(503, 'closing', 'Calls under way are ending.', undefined, { retry_after })
        const after = openCursor<LogRow>(cursor ?? undefined, 'log')
        await act(scope, '', { action: 'read_log' }, async () => {})
        return ndjson(linesOf(scope, after, cc_token === 'true'))
      },
    }),
    // Loads rows of GET /api/log into a shop that is empty or closed. The last one opens it.
    'POST /api/log': route({
      id: 'loadLog',
      errors: ['invalid_json', 'not_loaded'],
      may: 'all',
      needs: 'orders',
      async run({ req }, scope) {
        const rows = await rowsIn(req.raw)
        const rest = rows.filter(([table]) => table !== 'stray' && table !== 'cursor')
        const log = logOf(scope)
        for (const [table, row] of rows) if (table === 'stray') await putStray(scope, row)
        const isLast = rest.at(-1)?.[0] === 'end'
        const most = isLast ? rest.slice(0, -1) : rest
        try {
          await log.load(most)
          await copyEvents(scope, most)
          if (isLast) await act(scope, '', { action: 'load_log' }, () => log.load(rest.slice(-1)))
        } catch (error) {
          if (!isConfigError(error)) throw error
          throw new ProblemError(409, 'not_loaded', 'Nothing was loaded.', error.message)
        }
        // An open shop writes the copies of its orders.
        if (isLast && scope.copies)
          await query(scope, 'UPDATE edgetill_copy SET due_at = ?, written_at = 0', scope.now())
        SEEN.delete(scope.env)
        return { loaded: rows.length, open: isLast }
      },
    }),
    // After a restored backup: keys that it lost are never sent again, and events of KV are stored again.
    'POST /api/recover': route({
      id: 'recoverShop',
      may: 'all',
      needs: 'orders',
      body: { since: time, cursor: option(text) },
      async run(_, scope, { body: { since, cursor } }) {
        const after = openCursor<string>(cursor, 'recover')
        if (since > scope.now()) throw new ProblemError(400, 'invalid_input', 'since must be a time that is over.')
        const recover = () => recoverShop(scope, since, after)
        const { place, ...recovered } = await act(scope, '', { action: 'recover' }, recover)
        return { ...recovered, cursor: sealCursor(place, 'recover') }
      },
    }),
    // The shop takes no more money calls, webhooks and links; `to`: the origin of the shop that does.
    'POST /api/log/close': route({
      id: 'closeShop',
      may: 'all',
      needs: 'orders',
      body: { to: option(url) },
      async run(_, scope, { body: { to = '' } }) {
        const log = logOf(scope)
        await act(scope, '', { action: 'close_shop', ...(to && { text: to }) }, () => log.close(to))
        SEEN.delete(scope.env)
        return { closed_at: new Date((await log.closed())?.at ?? 0).toISOString(), to }
      },
    }),
  }),
}

/**
 * The routes under `/api/log`, by which a shop moves to another database: an object, Postgres, or a server's. A closed
 * shop keeps showing its orders, and sends customers and webhooks to the new one.
 * @example
 * import { carryOver, createShop } from 'edgetill/worker'
 * export const shop = createShop({ carryOver })
 */
export const carryOver: CarryOver = carrying

/** Sends a webhook to the new shop: its sender follows no redirect. */
async function passOn(request: Request, to: string, send: Fetch = fetch): Promise<Response> {
  const { method, headers } = request
  const body = await readBytes(request, MAX_BYTES)
  if (!body) return new Response('Too large.', { status: 413 })
  const type = { 'content-type': headers.get('content-type') ?? '' }
  const { status } = await send(to, { method, headers: type, body: body as never })
  return new Response(null, { status })
}

const logOf = ({ till: { database } }: Scope) => tillLog(database, SHOP_TABLES)

/** The rows as lines: first the strays, which KV has on Cloudflare. */
async function* linesOf(scope: Scope, after: LogRow | undefined, keepsToken: boolean): AsyncGenerator<unknown> {
  const { kv } = scope
  if (!after)
    for (const { key, metadata } of await kv.list(STRAY_PREFIX))
      yield ['stray', { key, metadata, value: await kv.get(key) }]
  let count = 0
  for await (const [table, row] of logOf(scope).rows(after)) {
    const { body } = row
    const hasToken = !keepsToken && typeof body === 'string' && body.includes('"cc_token"')
    yield [table, hasToken ? { ...row, body: JSON.stringify(withoutToken(JSON.parse(body))) } : row]
    if (++count === MOST_ROWS) return yield ['cursor', { cursor: sealCursor([table, row], 'log') }]
  }
}

function ndjson(lines: AsyncGenerator<unknown>): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await lines.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } })
}

/** @throws {ProblemError} for a body that is not NDJSON of rows. */
async function rowsIn(request: Request): Promise<LogRow[]> {
  const bytes = await readBytes(request, MAX_BYTES)
  try {
    const lines = new TextDecoder().decode(bytes).trim().split('\n')
    const rows = lines.map((line) => JSON.parse(line) as LogRow)
    if (bytes && rows.every(([table, row]) => typeof table === 'string' && typeof row === 'object')) return rows
  } catch {}
  throw new ProblemError(400, 'invalid_json', `The body must be lines of GET /api/log, at most ${MAX_BYTES} bytes.`)
}

async function putStray({ kv, env }: Scope, row: LogRow[1]): Promise<void> {
  const { key, value, metadata } = row as { key: string; value: unknown; metadata: never }
  const retention = retentionMs(env)
  if (String(key).startsWith(STRAY_PREFIX)) await kv.put(key, value, metadata, retention && retention / 1000)
}

/** Writes the events among these rows to KV, for other programs. */
async function copyEvents(scope: Scope, rows: readonly LogRow[]): Promise<void> {
  const { copies } = scope
  const events = rows.filter(([table, { kind }]) => copies && table === 'edgetill_log' && kind === 'event')
  for (const [, { order_id, attempt, id, summary }] of events) {
    const named = attemptId(String(order_id), Number(attempt))
    const [event] = await readEvents(scope, await readOrder(scope.till, named), String(id))
    const logged = { ...JSON.parse(String(summary)), id, received_at: event?.received_at }
    if (copies && event) await putEvent(copies, named, logged, event)
  }
}
