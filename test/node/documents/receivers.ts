import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { type TestEvent, testEvent } from '../../../src/testing/index.ts'
import { Document } from '../support/document.ts'
import { folderInCheckout, whenOver } from '../support/fixtures.ts'
import { load, writeProgram } from '../support/program.ts'

export default function tests(): void {
  const AT = { created_at: '2026-03-01T10:00:00.000', processed_at: '2026-03-01T10:00:01.000' }
  const PAID = { ...AT, order_id: 'A-1', payment_id: 'p-1', transaction_id: 't-1', amount: 100.5 }

  describe('guides/receivers.md', () => {
    const receivers = Document.of('guides/receivers.md')
    const store = receivers.program('Store each event once').replace('events.sqlite', ':memory:')
    const SERVERS: [title: string, from: string | RegExp, to: string][] = [
      ['Express', 'app.listen(3000)', "export const server = app.listen(0, '127.0.0.1')"],
      ['Fastify', 'await app.listen({ port: 3000 })', 'export const { server } = app\nawait app.listen({ port: 0 })'],
      ['node:http', /createServer(\(\(req[\s\S]*)\.listen\(3000\)/, 'export const server = createServer$1.listen(0)'],
      ...['Hono', 'Bun and Deno'].map((title): [string, string, string] => [title, '', '']),
    ]
    const programs = SERVERS.map(([title, from, to]) => [title, receivers.program(title).replace(from, to)] as const)
    // test/frameworks runs these in what each framework builds.
    for (const title of ['Next, App Router', 'Next, Pages Router', 'SvelteKit', 'AWS Lambda']) receivers.program(title)
    const check = receivers.program('The check that both recipes keep')

    it.each(programs)('%s: stores a genuine webhook once, and nothing else', async (_, program) => {
      const outfile = join(folderInCheckout(), 'receiver.mjs')
      await writeProgram(program.replace(/^import \{ onEvent \}.*$/m, store), outfile)
      const running = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as {
        default?: { fetch(request: Request): Promise<Response> }
        server?: Server
        orderOf(order_id: string): { status: string; flags: string[]; events: unknown[] }
      }
      const { server, orderOf } = running
      whenOver(() => server?.close().closeAllConnections())
      if (server && !server.listening) await once(server, 'listening')
      const origin = `http://127.0.0.1:${(server?.address() as AddressInfo | undefined)?.port ?? 80}`
      const eventOf = (fields: object, secret = 'your-api-secret') =>
        testEvent('purchase', { ...PAID, ...fields }, { secret })
      const post = async (event: TestEvent<'purchase'>) => {
        const request = event.request(`${origin}/webhooks`)
        return (await (running.default?.fetch(request) ?? fetch(request))).status
      }
      const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
      const paid = eventOf({})
      expect(await Promise.all([paid, paid, eventOf({ status: 'pending' })].map(post))).toEqual([200, 200, 200])
      expect(await post(eventOf({ amount: 1 }, 'forged'))).toBe(401)
      expect(warned).toHaveBeenCalledTimes(1)
      expect(orderOf('A-1')).toMatchObject({ status: 'success', flags: [] })
      expect(orderOf('A-1').events).toHaveLength(2)
    })

    it('keeps the check for forms of other sites', async () => {
      const { isForeignForm } = (await load(check)) as { isForeignForm: (request: Request, url: URL) => boolean }
      const url = new URL('https://shop.example.com/cart')
      const form = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
      const foreign = (method: string, headers: Record<string, string>) =>
        isForeignForm({ method, headers: new Headers(headers) } as Request, url)
      expect([foreign('POST', form), foreign('POST', { ...form, origin: 'https://evil.example' })]).toEqual([
        true,
        true,
      ])
      const own = [foreign('POST', { ...form, origin: url.origin }), foreign('GET', {})]
      expect([...own, foreign('POST', { 'content-type': 'application/json' })]).toEqual([false, false, false])
    })
  })
}
