import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { root } from '../tarball/support/pack.ts'
import { Project } from './project.ts'

// Next up to 14 answers requests from a cache of its own, POST requests too, unless they forbid it. So what counts is not
// what a route returns, but what the service saw.

const CLIENT = `import { createClient } from 'edgetill'
export const client = createClient({
  baseUrl: process.env.SERVICE, posId: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11', apiKey: 'key', apiSecret: 'secret',
  endpointsKey: 'endpoints-key', scheme: 'SVC',
})\n`
const LAYOUT = 'export default ({ children }) => <html><body>{children}</body></html>\n'

/** A cron job of Vercel is a GET. */
const REFUND = `import { client } from '../../client.js'
export async function GET() {
  const { operation_id } = await client.refundPayment({ order_id: 'A-1', order_currency: 'UAH', refund_amount: 10 })
  return new Response(operation_id)
}\n`
const SETTLE = `import { resolveOutcome } from 'edgetill'
import { client } from '../../client.js'
const call = { operation: 'refundPayment', order_id: 'A-1', amount: 10, currency: 'UAH', sent_at: 0 }
export async function GET() {
  return new Response((await resolveOutcome(client, call, { known: ['p-1'] })).outcome)
}\n`
const STATE = `import { cookies } from 'next/headers'
import { client } from '../../client.js'
export default async function Page() {
  const { status } = await client.resendWebhook({ order_id: 'A-1', operation: 'purchase' })
  await cookies()
  return <p>{'state:' + status}</p>
}\n`

const ROUTES = { 'app/refund/route.js': REFUND, 'app/settle/route.js': SETTLE, 'app/state/page.jsx': STATE }
export type Route = keyof typeof ROUTES

const PAYMENT = {
  ...{ payment_id: 'p-1', order_id: 'A-1', amount: 100, currency: 'UAH', status: 'success', method: 'purchase' },
  created_at: '2026-01-01T10:00:00.000',
}

/** Builds an app with some routes on a version of Next and starts it; each route is then asked again and again. */
export async function expectFreshAnswers(version: '14' | '15' | '16', routes: readonly Route[]): Promise<void> {
  const refunds: object[] = []
  let seen: string[] = []
  const service = createServer(async (request, response) => {
    await text(request)
    seen.push(request.method as string)
    const refund = { ...PAYMENT, method: 'refund', amount: 10, operation_id: `r-${refunds.length + 1}` }
    if (request.method === 'POST') refunds.push(refund)
    const isList = request.url?.endsWith('/orders/A-1')
    response.end(JSON.stringify(request.method === 'POST' ? refund : isList ? [PAYMENT, ...refunds] : PAYMENT))
  })
  await new Promise<void>((done) => service.listen(0, '127.0.0.1', done))
  const files = Object.fromEntries(routes.map((route) => [route, ROUTES[route]]))
  const place = join(root, 'test/frameworks', version === '16' ? '' : `next-${version}`)
  const env = { SERVICE: `http://127.0.0.1:${(service.address() as AddressInfo).port}` }
  const project = new Project('fresh', { 'client.js': CLIENT, 'app/layout.jsx': LAYOUT, ...files }, place, env)
  const seenBy = async (work: () => Promise<unknown>) => {
    seen = []
    return [await work(), ...seen]
  }
  try {
    await project.run('next/dist/bin/next', 'build')
    // Next tries each GET route while it builds.
    expect(seen).toEqual([])
    const origin = await project.start('node_modules:next/dist/bin/next', 'start')
    const body = async (path: string) => (await fetch(`${origin}/${path}`)).text()
    if (routes.includes('app/settle/route.js'))
      for (const _ of [1, 2]) expect(await seenBy(() => body('settle'))).toEqual(['not_executed', 'GET'])
    if (routes.includes('app/refund/route.js'))
      for (const id of ['r-1', 'r-2', 'r-3']) expect(await seenBy(() => body('refund'))).toEqual([id, 'POST'])
    if (routes.includes('app/settle/route.js')) expect(await seenBy(() => body('settle'))).toEqual(['unknown', 'GET'])
    if (routes.includes('app/state/page.jsx'))
      for (const status of ['pending', 'success']) {
        PAYMENT.status = status
        expect(await seenBy(() => body('state'))).toEqual([expect.stringContaining(`state:${status}`), 'GET'])
      }
  } finally {
    await project.close()
    service.close()
  }
}
