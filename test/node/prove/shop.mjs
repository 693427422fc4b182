// A shop on Node, right or wrong in one way: node shop.mjs FOLDER PORT MISTAKE. Its database is a file of FOLDER, one for each mistake.
// Mistakes that races, crashes and ids need are here; see shop.py and shop.php for those of their languages.
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const [folder, port, bug = 'right'] = process.argv.slice(2)
const SECRET = 'emulator-api-secret'
const is = (...names) => names.includes(bug)
const db = new DatabaseSync(is('keeps_in_memory') ? ':memory:' : join(folder, `node-${bug}.db`))
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
  CREATE TABLE IF NOT EXISTS asked (id TEXT PRIMARY KEY ${is('ids_without_case') ? 'COLLATE NOCASE' : ''}, amount INTEGER, currency TEXT);
  CREATE TABLE IF NOT EXISTS events (key TEXT PRIMARY KEY, id TEXT ${is('ids_without_case') ? 'COLLATE NOCASE' : ''}, event TEXT);
  CREATE TABLE IF NOT EXISTS sums (id TEXT PRIMARY KEY, paid INTEGER DEFAULT 0, refunded INTEGER DEFAULT 0);
  CREATE TABLE IF NOT EXISTS queue (event TEXT);
  CREATE TABLE IF NOT EXISTS shipped (key TEXT, id TEXT)`)
const sql = (text) => db.prepare(text)
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const minor = (value) => (is('cuts_cents') ? Math.floor(value * 100) : Math.round(value * 100))

const keyOf = (event) => {
  const { order_id, method, status, operation_id, payment_id, transaction_id, created_at } = event
  if (is('key_is_body')) return JSON.stringify(event)
  if (is('key_is_order')) return order_id
  if (is('key_is_payment')) return payment_id
  if (is('key_is_transaction')) return transaction_id ?? operation_id
  if (is('key_is_method')) return `${order_id} ${method} ${status}`
  return [order_id, method, operation_id ?? `${payment_id} ${transaction_id} ${created_at}`, status].join(' ')
}
const idOf = (id) => (is('ids_of_32') ? id.slice(0, 32) : id)
const amountOf = (event) =>
  is('whole_refunds') && event.method === 'refund'
    ? minor(Math.floor(event.amount))
    : minor(is('reads_amount_alone') ? event.amount : (event.processed_amount ?? event.amount))

/** The state by all stored events. */
function fold(id, asked) {
  const byOperation = new Map()
  let latest = 'success'
  const rows = sql(`SELECT event FROM events WHERE id ${is('ids_by_like') ? 'LIKE' : '='} ? ORDER BY rowid`).all(id)
  for (const event of rows.map(({ event }) => JSON.parse(event))) {
    if (event.method === 'purchase') latest = event.status
    const operation = event.operation_id ?? `${event.payment_id} ${event.transaction_id} ${event.created_at}`
    const known = byOperation.get(operation)
    const isFinal = known && (known.status === 'success' || known.status === 'failure')
    if (!isFinal || (is('pending_wins') && event.status === 'pending')) byOperation.set(operation, event)
  }
  let [paid, refunded, sold] = [0, 0, 0]
  if (is('last_one_wins') && latest !== 'success') return { paid, refunded, sold }
  const events = [...byOperation.values()]
  if (is('failure_sticks') && events[0]?.status === 'failure' && events[0].method === 'purchase')
    return { paid, refunded, sold }
  for (const event of events) {
    if (
      event.status !== 'success' &&
      !(
        is('any_status') ||
        (is('refunds_any_status') && event.method === 'refund') ||
        (is('ships_on_pending') && event.status === 'pending')
      )
    )
      continue
    const sells = [
      'purchase',
      'capture',
      ...(is('auth_is_paid') ? ['auth'] : []),
      ...(is('any_method_pays') ? ['credit', 'p2p', 'lookup'] : []),
    ]
    if (sells.includes(event.method)) {
      if (is('capture_is_whole') && event.method === 'capture' && asked) paid = asked.amount
      else if (event.method === 'purchase' && asked && !fits(event, asked)) continue
      else paid += is('any_amount') && event.method === 'purchase' && asked ? asked.amount : amountOf(event)
      if (asked) sold++
    }
    if (event.method === 'refund')
      refunded = is('refund_is_whole')
        ? (asked?.amount ?? paid)
        : (is('last_refund_alone') ? 0 : refunded) + amountOf(event)
    if (event.method === 'void' && is('void_is_refund')) refunded += amountOf(event)
  }
  return { paid, refunded, sold }
}

function fits(event, asked) {
  const currency = is('any_currency', 'reads_amount_alone')
    ? asked.currency
    : (event.processed_currency ?? event.currency)
  const sameCurrency = currency === asked.currency && (is('any_currency') || event.currency === asked.currency)
  const off = Math.abs(amountOf(event) - asked.amount)
  return sameCurrency && (is('any_amount') || off <= (is('a_cent_less') ? 1 : 0))
}

/** All of it or nothing, whenever the process ends. */
function together(work) {
  db.exec('BEGIN IMMEDIATE')
  try {
    work()
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

const inMemory = new Set()
let current
let before = Promise.resolve()

async function handle(event) {
  event.order_id = idOf(event.order_id)
  const key = keyOf(event)
  const id = event.order_id
  const insert = () =>
    sql('INSERT INTO events VALUES (?, ?, ?) ON CONFLICT DO NOTHING').run(key, id, JSON.stringify(event)).changes
  const ship = (isNew) => {
    const asked = sql('SELECT * FROM asked WHERE id = ?').get(id)
    if (
      event.status === 'success' &&
      ['purchase', 'capture'].includes(event.method) &&
      asked &&
      (event.method === 'capture' || fits(event, asked))
    ) {
      const once = !isNew || event.recurring ? '' : ' WHERE NOT EXISTS (SELECT 1 FROM shipped WHERE id = ?2)'
      sql(`INSERT INTO shipped SELECT ?1, ?2${once}`).run(key, id)
    }
  }
  if (is('looks_then_writes')) {
    const known = sql('SELECT 1 FROM events WHERE key = ?').get(key)
    await pause(10)
    return together(() => insert() + (known ? 0 : addUp(event, id)))
  }
  if (is('reads_changes_writes')) {
    const { paid, refunded } = sql('SELECT * FROM sums WHERE id = ?').get(id) ?? { paid: 0, refunded: 0 }
    await pause(10)
    const [more, less] = moved(event)
    const put = sql('INSERT OR REPLACE INTO sums VALUES (?, ?, ?)')
    return together(() => insert() && put.run(id, paid + more, refunded + less))
  }
  if (is('order_in_a_variable')) {
    current = event
    await pause(2)
    const { order_id } = current
    const put = sql('INSERT INTO events VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
    return together(() => put.run(key, order_id, JSON.stringify(event)).changes && ship(true))
  }
  if (is('adds_up_copies')) return addUp(event, id)
  if (is('remembers_in_memory')) {
    if (inMemory.has(key)) return
    inMemory.add(key)
    return addUp(event, id)
  }
  if (is('ships_then_stores')) {
    if (sql('SELECT 1 FROM events WHERE key = ?').get(key)) return
    const isShipped = sql("SELECT 1 FROM events WHERE id = ? AND key LIKE '% success' AND key NOT LIKE '% auth%'").get(
      id,
    )
    if (!isShipped || event.recurring) ship(false)
    await pause(60)
    insert()
    return
  }
  if (is('marks_then_acts')) {
    if (!insert()) return
    await pause(60)
    return addUp(event, id)
  }
  if (is('key_is_body')) return together(() => insert() && addUp(event, id))
  together(() => {
    const isNew = insert()
    const isRefunded =
      is('ships_after_refund') && sql("SELECT 1 FROM events WHERE id = ? AND key LIKE '% refund %'").get(id)
    if (isNew || is('ships_copies') || isRefunded) ship(isNew)
  })
}

const moved = (event) => {
  const asked = sql('SELECT * FROM asked WHERE id = ?').get(event.order_id)
  const counts = event.status === 'success' && (event.method !== 'purchase' || !asked || fits(event, asked))
  const amount = counts ? amountOf(event) : 0
  return [/^(purchase|capture)$/.test(event.method) ? amount : 0, event.method === 'refund' ? amount : 0]
}
function addUp(event, id) {
  const [more, less] = moved(event)
  sql(
    'INSERT INTO sums VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET paid = paid + excluded.paid, refunded = refunded + excluded.refunded',
  ).run(id, more, less)
}
const SUMS =
  'looks_then_writes reads_changes_writes adds_up_copies remembers_in_memory marks_then_acts key_is_body'.split(' ')

function stateOf(id) {
  const asked = sql('SELECT * FROM asked WHERE id = ?').get(id)
  const known =
    asked ??
    sql(`SELECT 1 FROM events WHERE id ${is('ids_by_like') ? 'LIKE' : '='} ?`).get(id) ??
    sql('SELECT 1 FROM sums WHERE id = ?').get(id)
  if (!known) return undefined
  const { paid, refunded, sold } = SUMS.includes(bug)
    ? (sql('SELECT * FROM sums WHERE id = ?').get(id) ?? { paid: 0, refunded: 0 })
    : fold(id, asked)
  const { n } = sql('SELECT count(*) AS n FROM shipped WHERE id = ?').get(id)
  const shipped = SUMS.includes(bug)
    ? undefined
    : is('ships_on_pending', 'any_status')
      ? Math.min(1, sold)
      : is('captures_never_ship')
        ? sql(`SELECT count(*) AS n FROM shipped WHERE id = ? AND key NOT LIKE '% capture %'`).get(id).n
        : n
  return { paid: paid / 100, refunded: refunded / 100, shipped }
}

function genuine(data, signature = '') {
  if (is('signature_optional') && !signature) return true
  const right = createHash('sha1')
    .update(SECRET + data + SECRET)
    .digest('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '_')
  if (is('signature_prefix')) return right.startsWith(signature) && signature !== ''
  if (is('signature_case')) return right.toLowerCase() === signature.toLowerCase()
  return right.length === signature.length && timingSafeEqual(Buffer.from(right), Buffer.from(signature))
}

/** Each style of a right shop, and what it does before or after the rest. */
const times = []
async function receive(request, response, body) {
  const end = (status, headers = {}) => response.writeHead(status, headers).end()
  if (is('right_rate_limited')) {
    while (times.length && times[0] < Date.now() - 1000) times.shift()
    if (times.length >= 40) return end(429, { 'retry-after': '1' })
    times.push(Date.now())
  }
  if (
    is('right_strict_header') &&
    !/^application\/x-www-form-urlencoded(;|$)/.test(request.headers['content-type'] ?? '')
  )
    return end(415)
  if (is('right_slow')) await pause(80)
  const form = new URLSearchParams(body)
  const data = is('verifies_first_reads_last') ? form.getAll('data').at(-1) : form.get('data')
  if (!genuine(form.get('data') ?? '', form.get('signature') ?? undefined)) return end(401)
  let event
  try {
    event = JSON.parse(Buffer.from(data, 'base64url').toString('utf8'))
  } catch {
    return end(400)
  }
  if (is('right_flaky') && Math.random() < 0.1) return end(503)
  if (is('right_one_at_a_time', 'ships_then_stores')) {
    const turn = before.then(() => handle(event))
    before = turn.catch(() => {})
    await turn
    return end(200)
  }
  if (is('right_queue')) {
    // Stored before the 202, handled after it.
    sql('INSERT INTO queue VALUES (?)').run(JSON.stringify(event))
    setTimeout(work, 60)
    return end(202)
  }
  if (is('stores_after_answer')) {
    end(200)
    await pause(60)
    return handle(event)
  }
  if (is('ships_late_on_pending'))
    setTimeout(
      () => event.status === 'pending' && sql('INSERT INTO shipped VALUES (?, ?)').run('x', event.order_id),
      150,
    )
  await handle(event)
  end(is('right_no_content') ? 204 : 200)
}

async function work() {
  for (const { rowid, event } of sql('SELECT rowid, event FROM queue').all()) {
    await handle(JSON.parse(event))
    sql('DELETE FROM queue WHERE rowid = ?').run(rowid)
  }
}
await work()

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  const url = new URL(request.url, 'http://localhost')
  const path = is('right_behind_prefix') ? url.pathname.replace(/^\/shop\/pay/, '') : url.pathname
  try {
    if (path === '/webhooks') return await receive(request, response, body)
    if (request.method === 'POST') {
      const { order_id, amount, currency } = JSON.parse(body)
      const own = is('right_own_ids') ? String(sql('SELECT count(*) + 1000 AS n FROM asked').get().n) : idOf(order_id)
      const price = is('right_own_ids') ? 24_990 : Math.round(amount * 100)
      sql('INSERT OR REPLACE INTO asked VALUES (?, ?, ?)').run(own, price, currency)
      response.writeHead(201, { 'content-type': 'application/json' })
      return response.end(
        is('right_own_ids') ? JSON.stringify({ order_id: Number(own), amount: price / 100, currency: 'UAH' }) : '',
      )
    }
    const state = stateOf(idOf(decodeURIComponent(path.replace('/orders/', ''))))
    response.writeHead(state ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(state ?? {}))
  } catch (error) {
    console.error(String(error))
    if (!response.headersSent) response.writeHead(500)
    response.end()
  }
}).listen(Number(port), '127.0.0.1', () => console.log('Listening'))
