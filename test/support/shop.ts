import * as emulators from '../../src/emulator/index.ts'
import { type ClientConfig, createClient } from '../../src/index.ts'
import { readWebhook, type WebhookEvent } from '../../src/webhooks/index.ts'

export type Shop = ReturnType<typeof openShop>

/**
 * A shop: a client of an emulator, and every webhook that it has received, verified. 2026-01-31T10:00:00Z, or later, as the
 * emulator's clock has it. Cards of the tests are good until 2099.
 */
export function openShop(config: Partial<ClientConfig> = {}, options: emulators.EmulatorOptions = {}) {
  const events: WebhookEvent[] = []
  const emulator = emulators.createEmulator({
    seed: 7,
    clock: { now: () => Date.UTC(2026, 0, 31, 10) },
    webhookUrl: 'https://shop.example.com/webhooks',
    // Strict on both sides: what the document's table says is the only thing that works.
    authentication: config.authentication ?? 'per-endpoint',
    fetch: async (input, init) => {
      events.push(await readWebhook(new Request(input, init), emulator.credentials.apiSecret))
      return new Response(null, { status: 200 })
    },
    ...options,
  })
  const fetch = emulator.fetch as typeof globalThis.fetch
  const client = createClient({ ...emulator.credentials, fetch, random: () => 0, ...config })
  const post = async (url: string, fields: Record<string, string>) => {
    const body = new URLSearchParams(fields)
    const response = await emulator.fetch(url, { method: 'POST', body, redirect: 'manual' })
    return response.headers.get('location') ?? `${response.status} ${await response.text()}`
  }
  return {
    emulator,
    client,
    events,
    /** Pays on the checkout page, 3-D Secure included, as a browser would. Answers where the customer ends up. */
    async pay(form: string, card: emulators.TestCardName = 'success', threeDSecure: 'pass' | 'fail' = 'pass') {
      const cc_number = emulators.testCard(card)
      const next = await post(form, { cc_number, exp_month: '9', exp_year: '99', card_cvv: '123' })
      const last = next.endsWith('/3ds') ? await post(next, { outcome: threeDSecure }) : next
      await emulator.deliveries.idle()
      return last
    },
  }
}
