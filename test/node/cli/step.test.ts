import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { verb as link } from '../../../src/cli/commands/link.ts'
import { verb as order } from '../../../src/cli/commands/order.ts'
import { verb as step } from '../../../src/cli/commands/step.ts'
import { readStory } from '../../../src/testing/prove/story-file.ts'
import { readWebhook, type WebhookEvent } from '../../../src/webhooks/index.ts'
import { payment } from '../../worker/support/events.ts'
import { ADMIN_TOKEN, ORIGIN, World } from '../../worker/support/world.ts'
import { temporaryFolder } from '../support/fixtures.ts'
import { blocks } from '../support/snippets.ts'
import { type Around, runVerb } from '../support/verb.ts'

let folder: string
/** A file with the secret that {@link send} signs with. */
let secret: string
let world: World
let around: Around

beforeEach(async () => {
  folder = temporaryFolder()
  secret = join(folder, 'secret')
  await writeFile(secret, 'the-secret')
  world = new World({ kind: 'strict' })
  around = {
    environment: { EDGETILL_WORKER_URL: ORIGIN, EDGETILL_WORKER_TOKEN: ADMIN_TOKEN },
    fetch: (input, init) => world.fetch(new Request(input, init)),
  }
  const words = ['A-1', '--amount', '100.50', '--currency', 'UAH', '--email', 'olena@example.com']
  const made = await runVerb(link, words, around)
  await world.pay(await world.open(made.out.trim()))
  await world.advance(121_000)
})

async function take(...words: string[]) {
  const file = join(folder, 'order.json')
  const ran = await runVerb(order, ['A-1', '--export', file, ...words], around)
  return { ran, file }
}

/** Sends an order's events to a receiver, which gets them verified. */
async function send(file: string, receive: (event: WebhookEvent) => Response, ...words: string[]) {
  const fetch: Around['fetch'] = async (input, init) =>
    receive(await readWebhook(new Request(input, init), 'the-secret'))
  return await runVerb(step, [file, '--url', 'https://shop.example.com/w', '--secret-file', secret, ...words], {
    fetch,
  })
}

describe('edgetill order --export and edgetill step', () => {
  it('takes an order home without anything of a person unless asked for it, and a card token never', async () => {
    const person = { customer_email: 'canary@example.com', customer_phone: '+380501112233', cc_mask: 'canary-mask' }
    const fee = { amount: 1, currency: 'UAH', note: 'canary-fee' }
    const deep = { fee, recurring: { id: 'r', owner: 'canary-owner' } }
    const own = { payload: 'canary-payload', products: [{ name: 'canary-product' }], new_field: 'canary-new' }
    await world.deliver(payment('A-1', { ...person, ...deep, ...own, cc_token: 'canary-token' }))
    const note = { method: 'POST', body: JSON.stringify({ text: 'canary-note' }) }
    expect((await world.api('/api/orders/A-1/notes', note)).status).toBe(201)
    const read = async (...words: string[]) => {
      const { ran, file } = await take(...words)
      expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('order A-1, ')])
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      return `${ran.out}${ran.err}${await readFile(file, 'utf8')}`
    }
    const secret = new RegExp(`canary-token|${ADMIN_TOKEN}`)
    expect(await read()).not.toMatch(/canary|38050|olena|cc_|phone|payload/)
    const all = await read('--with-personal-data')
    for (const kept of ['olena@', 'canary@', '38050', 'canary-owner', 'canary-product', 'canary-note'])
      expect(all).toContain(kept)
    expect(all).not.toMatch(secret)
    await writeFile(join(folder, 'own.mjs'), 'export const onEvent = () => {}')
    const ran = await runVerb(step, [join(folder, 'order.json'), '--on-event', join(folder, 'own.mjs')])
    expect([ran.code, ran.out.trim().split('\n').length]).toEqual([0, 2])
  })

  it('sends each event signed to a receiver of any language, and shows a line for each part of a step', async () => {
    const { file } = await take()
    const received: unknown[] = []
    const sent = await send(file, ({ kind, order_id }) => {
      received.push([kind, order_id])
      return new Response('', { status: received.length === 1 ? 200 : 422 })
    })
    expect(received).toEqual([['purchase', 'A-1']])
    expect([sent.code, sent.out]).toEqual([0, expect.stringMatching(/purchase success -> 200\n$/)])
    const own = join(folder, 'boom.mjs')
    await writeFile(own, "export const onEvent = () => { throw new Error('boom') }")
    const thrown = await runVerb(step, [file, '--on-event', own])
    expect(thrown.out).toMatch(
      /^\S+ {2}purchase success {2}captured 100\.5, refunded 0\n {2}onEvent threw Error: boom\n$/,
    )
    expect((await runVerb(step, [file])).code).toBe(2)
    expect(readStory(JSON.parse(await readFile(file, 'utf8')))).toMatchObject({
      asked: 10_050,
      sendings: [{ action: 0, nth: 0, way: 'plain' }],
    })
  })

  it('brings each event twice, in an order that a seed decides', async () => {
    await world.deliver(payment('A-1', { status: 'failure', payment_id: crypto.randomUUID() }))
    const { file } = await take()
    const received = async (...words: string[]) => {
      const statuses: unknown[] = []
      const receive = ({ record }: WebhookEvent) => {
        statuses.push(record.status)
        return new Response()
      }
      await send(file, receive, ...words)
      return statuses.join(' ')
    }
    expect(await received('--copies')).toBe('success success failure failure')
    expect(await received('--copies', '--stop-after', '3')).toBe('success success failure')
    const orders = await Promise.all(
      ['1', '2', '3', '4', '5', '1'].map((seed) => received('--copies', '--shuffle', seed)),
    )
    expect(orders.map((one) => one.split(' ').sort().join(' '))).toEqual(
      orders.map(() => 'failure failure success success'),
    )
    expect(orders[0]).toBe(orders[5])
    expect(new Set(orders).size).toBeGreaterThan(1)
  })

  it('runs as guides/command-line.md shows', async () => {
    const own = join(folder, 'on-event.mjs')
    await writeFile(own, 'export const onEvent = () => {}')
    const values = { 'sofia-plates': 'A-1', 'http://127.0.0.1:8787': ORIGIN, 'order.json': join(folder, 'o.json') }
    const given: Record<string, string> = { ...values, 'worker/on-event.ts': own }
    const shown = blocks('guides/command-line.md', 'sh').find(({ code }) => code.includes('--export'))
    const ran: unknown[] = []
    for (const line of (shown?.code ?? '').split('\n').filter((one) => one.startsWith('npx edgetill '))) {
      const [, , verb, ...words] = line.split(' ')
      const actual = words.map((word) => given[word] ?? word)
      ran.push(`${verb} ${(await runVerb(verb === 'step' ? step : order, actual, around)).code}`)
    }
    expect(ran).toEqual(['order 0', 'step 0'])
  })

  it.each([['--worker-url', ORIGIN], ['--token-file', 'token'], ['--with-personal-data']])(
    '%s is for --export alone',
    async (...words) => {
      const ran = await runVerb(order, ['A-1', ...words], around)
      expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('are for --export FILE')])
    },
  )

  it.each([
    ['export const onEvent = () => {}', 0, 'captured 100.5'],
    [
      'export const onEvent = (_, { order_id }, env) => { throw env.DB.no(order_id + env.OF) }',
      1,
      'TypeError: no A-1 shop',
    ],
    ['export const onEvent = undefined', 2, 'exports no function onEvent'],
    ['export const onEvent = (', 2, 'could not be loaded'],
  ])('with %j exits %i', async (source, code, text) => {
    const { file } = await take()
    const own = join(folder, 'on-event.mjs')
    await writeFile(own, source)
    const [env, database] = [join(folder, '.dev.vars'), join(folder, 'database.mjs')]
    await writeFile(env, 'OF=" shop"')
    await writeFile(database, "export default { no: (text) => new TypeError('no ' + text) }")
    const bindings = ['--env-file', env, '--binding', `DB=${database}`]
    const ran = await runVerb(step, [file, '--on-event', own, ...bindings])
    expect(ran.out + ran.err).toContain(text)
    expect(ran.code).toBe(code)
  })

  it('rejects what is not such a file, and writes nothing for an unknown order', async () => {
    const file = join(folder, 'other.json')
    await writeFile(file, '{"edgetill_order":2}')
    expect(await runVerb(step, [file, '--on-event', 'x.mjs'])).toMatchObject({ code: 2 })
    const nowhere = await runVerb(order, ['A-1', '--export', file], { ...around, fetch: async () => Response.json([]) })
    expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('rejected it with 200')])
    const ran = await runVerb(order, ['B-1', '--export', join(folder, 'b.json')], around)
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('rejected it with 404. No such order.')])
  })
})
