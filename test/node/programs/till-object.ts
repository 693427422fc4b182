// A till inside a Durable Object, over its SQLite: a Worker that plays a sale and two refunds, and says what came of them.
import type { DurableObjectState } from '@cloudflare/workers-types'
import { createEmulator } from '../../../src/emulator/index.ts'
import { createClient } from '../../../src/index.ts'
import { createTill, durable } from '../../../src/till/index.ts'
import { readWebhook, type WebhookEvent } from '../../../src/webhooks/index.ts'
import { PAYMENT, REFUND, wordOf } from '../../till/support/open-till.ts'

export class TillObject {
  private readonly storage: DurableObjectState['storage']

  constructor({ storage }: DurableObjectState) {
    this.storage = storage
  }

  async fetch(): Promise<Response> {
    const events: WebhookEvent[] = []
    const emulator = createEmulator({
      seed: 7,
      fetch: async (input, init) => {
        events.push(await readWebhook(new Request(input as string, init), emulator.credentials.apiSecret))
        return new Response()
      },
    })
    const client = createClient({ ...emulator.credentials, fetch: emulator.fetch as typeof fetch, maxRetries: 0 })
    const heard: string[] = []
    const onEvent = ({ event }: { event: WebhookEvent }) => void heard.push(event.kind)
    const till = createTill({ client, database: durable(this.storage, { now: emulator.clock.now }), onEvent })
    const deliver = async () => {
      await emulator.deliveries.idle()
      for (const event of events.splice(0)) await till.receive(event)
      await till.settle()
    }
    await Promise.all([till.migrate(), till.migrate()])
    const opened = await till.createPayment(PAYMENT)
    await emulator.pay((opened as { url: string }).url)
    await deliver()
    const refund = (refund_amount: number, key: string) =>
      till.refund({ ...REFUND, refund_amount }, { key }).then(wordOf)
    const presses = await Promise.all(Array.from({ length: 10 }, () => refund(30, 'press')))
    const words = [...new Set(presses), await refund(30, 'press')]
    emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'refund-payment' })
    words.push(await refund(10, 'lost'))
    for (const minutes of [1.5, 1]) {
      emulator.clock.advance({ seconds: minutes * 60 })
      words.push(await refund(10, 'lost'))
    }
    await deliver()
    const made = (await client.listOrderOperations({ order_id: 'A-1' })).filter(({ kind }) => kind === 'refund').length
    const flags = (await till.order('A-1'))?.flags
    return Response.json({ words, made, heard, flags, attention: await till.attention() })
  }
}

export default {
  fetch: (
    request: Request,
    env: { TILL: { getByName(name: string): { fetch(request: Request): Promise<Response> } } },
  ) => env.TILL.getByName('shop').fetch(request),
}
