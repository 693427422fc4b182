import type { Shop } from '../shop/index.ts'
import { describeError, logError } from '../shop/lib/log.ts'
import { createTries } from '../shop/lib/tries.ts'
import { createAccess } from './access.ts'
import { notice, redirect, respond, showMore } from './layout.ts'
import { signIn, signOut } from './login.ts'
import type { ConsoleOptions } from './options.ts'
import { ACTS, askFor, confirm, explain, findOut } from './pages/act.ts'
import { finish, showAttention } from './pages/attention.ts'
import { day, dayFile } from './pages/day.ts'
import { cancelOpened, closeLink, link, linkPath, links, revokeLink } from './pages/links.ts'
import { makeLink, newLink } from './pages/new-link.ts'
import { addNote, showOrder } from './pages/order.ts'
import { orders } from './pages/orders.ts'
import { showReceipt } from './pages/receipt.ts'
import { showRecord } from './pages/record.ts'
import { today } from './pages/today.ts'
import { fieldsOf, isOwnForm } from './session.ts'
import { ICON, STYLE } from './style.ts'
import { at, type C, orderPath, type SignedVisit, type Visit } from './visit.ts'
import { wordsOf } from './words/language.ts'

/**
 * A page: `values` are the parts of the path that the route leaves open, decoded; `fields` is the form that was
 * posted.
 */
export type Show = (
  visit: SignedVisit,
  values: string[],
  fields: Record<string, string>,
) => Promise<Response> | Response

/** Where a form was sent: opened again, it is the page that it led to. */
const toLink: Show = (visit, [id = '']) => redirect(visit, linkPath(id))
const toOrder: Show = (visit, [id = '']) => redirect(visit, orderPath(id))

/** Every page: its method, and its path, where `:` stands for a part that is open. */
const PAGES: readonly [route: `${'GET' | 'POST'} /${string}`, show: Show][] = [
  ['GET /', today],
  ['GET /new-link', newLink],
  ['POST /new-link', makeLink],
  ['GET /links', links],
  ['GET /links/:', link],
  ['POST /links/:/revoke', revokeLink],
  ['GET /links/:/close', closeLink],
  ['POST /links/:/cancel', cancelOpened],
  ['GET /links/:/revoke', toLink],
  ['GET /links/:/cancel', toLink],
  ['GET /orders', orders],
  ['GET /search', orders],
  ['GET /more', showMore],
  ['GET /day', day],
  ['GET /day.csv', dayFile],
  ['POST /logout', signOut],
  ['GET /attention', showAttention],
  ['GET /record', showRecord],
  ['GET /orders/:', showOrder],
  ['POST /orders/:/notes', addNote],
  ['POST /orders/:/done', finish],
  ['POST /orders/:/find', findOut],
  ['GET /orders/:/find', toOrder],
  ['GET /orders/:/receipt/:', showReceipt],
  ...ACTS.flatMap((act): [`${'GET' | 'POST'} /${string}`, Show][] => [
    [`POST /orders/:/${act}`, askFor(act)],
    [`GET /orders/:/${act}`, explain(act)],
    [`POST /orders/:/${act}/confirm`, confirm(act)],
    // Reloaded, or opened again: the order says how it stands.
    [`GET /orders/:/${act}/confirm`, toOrder],
  ]),
]

/** Handles every request to the console. */
export function createPages(shop: Shop, options: ConsoleOptions): (c: C) => Promise<Response> {
  const { now = Date.now } = options
  const access = options.access && createAccess(options.access, now, options.fetch ?? ((...call) => fetch(...call)))
  const tries = createTries(now)
  return async (c) => {
    const { words, cookie } = wordsOf(c)
    const visit: Visit = { c, shop, options, now, words, ...placeOf(c), cookies: cookie ? [cookie] : [] }
    const asset = c.req.method === 'GET' ? assetOf(visit) : undefined
    if (asset) return asset
    try {
      const person = await signIn(visit, access, tries)
      return person instanceof Response ? person : await show({ ...visit, person })
    } catch (error) {
      logError('console_failed', describeError(error))
      // A posted act may have been done.
      const isBefore = c.req.method !== 'POST'
      return notice({ ...visit, person: undefined }, 503, isBefore ? words.failed : words.problems.outcome_unknown)
    }
  }
}

/** Where the console is mounted, and the path inside it. The mount's depth is that of the route, `/console/*`. */
function placeOf(c: C): { base: string; path: string } {
  const parts = new URL(c.req.url).pathname.split('/')
  const mount = c.req.routePath.split('/').length - 1
  return { base: parts.slice(0, mount).join('/'), path: `/${parts.slice(mount).join('/').replace(/\/$/, '')}` }
}

async function show(visit: SignedVisit): Promise<Response> {
  const { c, path, words, person } = visit
  const method = c.req.method === 'HEAD' ? 'GET' : c.req.method
  for (const [route, showPage] of PAGES) {
    const [verb, pattern = ''] = route.split(' ')
    const values = verb === method && valuesOf(pattern, path)
    if (!values) continue
    const fields = method === 'POST' ? await fieldsOf(c) : {}
    if (method === 'POST' && !(await isOwnForm(c, person.secret, fields.csrf))) return notice(visit, 403, words.oldForm)
    return showPage(visit, values, fields)
  }
  return notice(visit, 404, words.notFound)
}

function valuesOf(pattern: string, path: string): string[] | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length || wanted.some((part, i) => part !== ':' && part !== given[i])) return undefined
  try {
    return given.filter((_, i) => wanted[i] === ':').map(decodeURIComponent)
  } catch {
    return undefined
  }
}

/** The pages that need no login: nothing of the shop is in it. */
function assetOf(visit: Visit): Response | undefined {
  const headers = { 'cache-control': 'public, max-age=300' }
  switch (visit.path) {
    case '/style.css':
      return respond({ cookies: [] }, STYLE, {
        status: 200,
        headers: { ...headers, 'content-type': 'text/css; charset=utf-8' },
      })
    case '/icon.svg':
      return respond({ cookies: [] }, ICON, { status: 200, headers: { ...headers, 'content-type': 'image/svg+xml' } })
    case '/manifest.webmanifest': {
      const { SHOP_NAME } = visit.c.env
      const icons = [{ src: at(visit, '/icon.svg'), sizes: 'any', type: 'image/svg+xml' }]
      const name = SHOP_NAME || visit.words.console
      const body = JSON.stringify({
        id: at(visit, '/'),
        name,
        short_name: name,
        background_color: '#f6f7f9',
        theme_color: '#ffffff',
        start_url: at(visit, '/'),
        scope: at(visit, '/'),
        display: 'standalone',
        icons,
      })
      return respond({ cookies: [] }, body, {
        status: 200,
        headers: { ...headers, 'content-type': 'application/manifest+json' },
      })
    }
  }
  return undefined
}
