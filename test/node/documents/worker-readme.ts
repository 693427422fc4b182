import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it, vi } from 'vitest'
import { openCheckoutLink } from '../../../src/checkout-link/index.ts'
import type { OnEvent, Shop } from '../../../src/shop/index.ts'
import { at, payment } from '../../worker/support/events.ts'
import { World } from '../../worker/support/world.ts'
import { Document, quoted } from '../support/document.ts'
import { complaintsOf, load, programOf } from '../support/program.ts'
import { root } from '../support/runtimes.ts'
import { blocks, examples } from '../support/snippets.ts'

export default function tests(): void {
  const readme = Document.of('worker/README.md')
  const reference = Document.of('guides/shop-reference.md')
  const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

  /** A file of the worker up to its function. */
  const beginningOf = (file: string) => textOf(file).split(/^\/\*\*|^export const on/m)[0]

  /** The compiler's messages on files of the worker, which need not be there as they are given. */
  function compile(files: ReadonlyMap<string, string>): string[] {
    const { options } = ts.parseJsonConfigFileContent(
      ts.readConfigFile(join(root, 'worker/tsconfig.json'), ts.sys.readFile).config,
      ts.sys,
      join(root, 'worker'),
    )
    // A shop has the package installed.
    const paths = { ...options.paths, edgetill: [join(root, 'src/index.ts')] }
    const program = programOf(files, { ...options, paths })
    return [...files.keys()].flatMap((name) => complaintsOf(program, name))
  }

  describe('the programs of worker/README.md and guides/shop-reference.md', () => {
    const LINK = readme.program('Sell something')
    const ON_EVENT = readme.program('Your code')
    const PAGES = readme.program('What customers see')

    it('make a link that opens', async () => {
      const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
      await load(LINK)
      const [[link]] = logged.mock.calls as [[string]]
      const token = link.replace('https://pay.shop.example.com/checkout/', '')
      const opened = await openCheckoutLink(token, ['the LINK_SECRET of the worker, 32 characters or more'])
      expect(opened?.order).toMatchObject({ order_id: 'mugs-1001', amount: 100.5 })
    })

    it('change what customers see', async () => {
      const { shop } = (await load(PAGES)) as { shop: Shop }
      const request = new Request('https://pay.shop.example.com/checkout/x', { headers: { 'accept-language': 'pl' } })
      const context = { waitUntil() {}, passThroughOnException() {}, props: {} }
      const page = await (await shop.fetch(request, new World().env(), context)).text()
      for (const text of ['lang="pl"', '/logo.svg', '#7a3e9d', '+380 44 123 45 67', 'Georgia'])
        expect(page).toContain(text)
    })

    it('have the onEvent of worker/on-event.ts', () => {
      const [{ code } = { code: '' }] = examples('worker/on-event.ts')
      const from = (text: string) => text.slice(text.indexOf('export const')).trim()
      expect(from(ON_EVENT)).toBe(from(code))
    })

    it('compile in worker/on-event.ts in place of its function', () => {
      const file = 'worker/on-event.ts'
      const imports = beginningOf(file)?.replace(/^import .* from 'edgetill\/orders'$/m, '')
      const code = [imports, examples(file)[0]?.code ?? textOf(file)].join('\n')
      expect(compile(new Map([[join(root, file), code]]))).toEqual([])
    }, 60_000)

    it('have a queue when it is added as "Much work per event" says', () => {
      const text = /\*\*Much work per event\*\*([\s\S]*?)\n- /.exec(readme.text)?.[1] ?? ''
      const has = (part: string) => quoted(text).find((code) => code.includes(part)) ?? ''
      const env = textOf('worker/env.ts').replace(/(interface Env extends ShopEnv \{)/, `$1\n  ${has('QUEUE: ')}`)
      const onEvent = `export const onEvent: OnEvent<Env> = async ({ id }, order, env) => {\n  ${has('.send(')}\n}\n`
      const files = new Map([
        [join(root, 'worker/env.ts'), `${has('@cloudflare/')}\n${env}`],
        [join(root, 'worker/on-event.ts'), [beginningOf('worker/on-event.ts'), onEvent].join('\n')],
      ])
      expect(compile(files)).toEqual([])
    }, 60_000)

    /** Runs `act` over a worker with the example, and returns what the shop's server received. */
    async function received(act: (world: World) => Promise<void>): Promise<RequestInit[]> {
      const { onEvent } = (await load(ON_EVENT)) as { onEvent: OnEvent }
      const world = new World({ onEvent, env: { SHOP_TOKEN: 'token-of-the-shop' } as object })
      const requests: RequestInit[] = []
      vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
        requests.push(init)
        return new Response()
      })
      await act(world)
      return requests
    }

    it('notify the shop once of an order that is paid, whatever comes late or again, and authenticate themselves', async () => {
      const [request, ...more] = await received(async (world) => {
        await world.open(await world.link({ order_id: 'A-1' }))
        const paid = payment('A-1')
        // A second try at paying is flagged `paid_after_failure`, which keeps no order back.
        const first = { payment_id: crypto.randomUUID(), status: 'failure', created_at: at(-9), processed_at: at(-8) }
        await world.deliver({ ...paid, ...first })
        await world.deliver(paid)
        await world.deliver({ ...paid, status: 'pending', status_code: '2122', processed_at: paid.created_at })
        await world.deliver(paid)
        await world.deliver(payment('A-2', { status: 'failure' }))
        await world.advance(2_000)
      })
      expect(more).toEqual([])
      expect(request?.body).toBe('{"order_id":"A-1","amount":100.5,"currency":"UAH"}')
      const headers = new Headers(request?.headers)
      expect(headers.get('authorization')).toBe('Bearer token-of-the-shop')
      expect(headers.get('idempotency-key')).toMatch(/^[\w-]{43}$/)
    })

    it('name the shop’s own order when the customer paid with a further attempt', async () => {
      const [request, ...more] = await received(async (world) => {
        const link = await world.link({ order_id: 'A-1' })
        await world.pay(await world.open(link), 'declined')
        await world.pay(await world.open(link))
        await world.untilHandled()
      })
      expect([request?.body, more]).toEqual(['{"order_id":"A-1","amount":100.5,"currency":"UAH"}', []])
    })

    it('start with what edgetill init prints, and deploy in three commands', () => {
      const commands = (section: string) =>
        /```sh\n([\s\S]*?)```/.exec(readme.section(section))?.[1]?.trim().split('\n') ?? []
      expect(commands('Start')).toEqual(['npx edgetill init my-shop', 'cd my-shop', 'npm install', 'npm run dev'])
      expect(commands('Deploy')).toHaveLength(3)
      expect(commands('Deploy').at(-1)).toBe('npm run deploy')
    })

    it('show an order as it is', async () => {
      const world = new World()
      await world.open(await world.link({ order_id: 'A-1' }, undefined, { reference: 'cart-77' }))
      await world.deliver(payment('A-1'))
      const shown = JSON.parse(blocks(reference.file, 'json')[0]?.code ?? '')
      const order = await world.order('A-1')
      expect(Object.keys(shown)).toEqual(Object.keys(order ?? {}))
      expect(Object.keys(shown.operations[0])).toEqual(Object.keys(order?.operations[0] ?? {}))
      expect(Object.keys(shown.totals)).toEqual(Object.keys(order?.totals ?? {}))
    })
  })
}
