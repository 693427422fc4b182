import { createEmulator, type Emulator, type EmulatorOptions, testCard } from '../../src/emulator/index.ts'
import { CARD, HOSTED } from '../support/inputs.ts'

/** Plain HTTP against an emulator: no SDK, so that the two cannot be wrong together. */

export type Json = Record<string, unknown>

/** 2026-01-31T10:00:00.000Z: a month's end, so that calendar arithmetic shows. */
export const START = Date.UTC(2026, 0, 31, 10)

/** A webhook as it arrives. */
async function readWebhook(request: Request) {
  const { url, method, headers } = request
  const text = await request.text()
  const form = new URLSearchParams(text)
  return { url, method, contentType: headers.get('content-type'), text, form, event: decode(form.get('data') ?? '') }
}

export type Bench = ReturnType<typeof createBench>

export function createBench(options: EmulatorOptions = {}, create: typeof createEmulator = createEmulator) {
  /** Every webhook that arrived, in order of arrival. */
  const received: Awaited<ReturnType<typeof readWebhook>>[] = []
  /** The receiver's next responses to webhooks; 200 when empty. */
  const answers: number[] = []
  /** The addresses that a preflight request came to. */
  const preflights: string[] = []
  const deliver: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    if (request.method === 'GET') {
      preflights.push(request.url)
      return new Response(null, { status: 204 })
    }
    received.push(await readWebhook(request))
    return new Response(null, { status: answers.shift() ?? 200 })
  }
  const emulator = create({
    seed: 7,
    clock: { now: () => START },
    webhookUrl: 'https://shop.example/default-hook',
    fetch: deliver,
    ...options,
  })
  return { emulator, received, answers, preflights }
}

export function decode(data: string): Json {
  const binary = atob(data.replaceAll('-', '+').replaceAll('_', '/'))
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)))) as Json
}

export function plain(emulator: Emulator): Record<string, string> {
  const { scheme, apiKey, apiSecret, endpointsKey } = emulator.credentials
  return { 'X-API-AUTH': `${scheme} ${apiKey}:${apiSecret}`, 'X-API-KEY': endpointsKey }
}

/** Signed with lower-case hex of HMAC-SHA1 by the platform, not by the emulator's own library. */
export async function signed(emulator: Emulator, body: string): Promise<Record<string, string>> {
  const { scheme, apiKey, apiSecret, endpointsKey } = emulator.credentials
  const utf8 = new TextEncoder()
  const hmac = { name: 'HMAC', hash: 'SHA-1' }
  const key = await crypto.subtle.importKey('raw', utf8.encode(apiSecret), hmac, false, ['sign'])
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8.encode(body)))
  const signature = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return { 'X-API-AUTH': `${scheme}-HMAC-SHA1 ${apiKey}:${signature}`, 'X-API-KEY': endpointsKey }
}

/** Posts JSON, or a text or bytes as they are. */
export async function post(
  emulator: Emulator,
  path: string,
  body: unknown,
  headers: Record<string, string> = plain(emulator),
  init: RequestInit = {},
) {
  return emulator.fetch(emulator.credentials.baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
    ...init,
  })
}

export async function get(emulator: Emulator, url: string, headers?: Record<string, string>) {
  return emulator.fetch(url, { headers: headers ?? plain(emulator) })
}

export const FINGERPRINT: Json = { ...CARD.browser_fingerprint }

export function hosted(emulator: Emulator, more: Json = {}): Json {
  return {
    pos_id: emulator.credentials.posId,
    ...HOSTED,
    description: 'Two books',
    customer_phone: '380501234567',
    server_url: 'https://shop.example/hook',
    result_url: 'https://shop.example/return/A-1',
    ...more,
  }
}

export function direct(emulator: Emulator, more: Json = {}): Json {
  return { ...CARD, ...hosted(emulator), mode: 'direct', cc_number: testCard('success'), ...more }
}

export const SPLIT: Json[] = [
  { amount: 60, sub_merchant_id: 'a1111111-1111-4111-8111-111111111111' },
  { amount: 40.5, sub_merchant_id: '22222222-2222-4222-8222-222222222222' },
]

export function cardForm(card: Parameters<typeof testCard>[0], more: Record<string, string> = {}): URLSearchParams {
  return new URLSearchParams({ cc_number: testCard(card), exp_month: '12', exp_year: '30', card_cvv: '123', ...more })
}

/** Submits a form as a browser does. */
export async function submit(emulator: Emulator, url: string, form: URLSearchParams) {
  return emulator.fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    redirect: 'manual',
  })
}

/** Creates a hosted payment and answers its checkout address. */
export async function openCheckout(emulator: Emulator, more: Json = {}): Promise<string> {
  const response = await post(emulator, '/api/v1/payment', hosted(emulator, more))
  const location = response.headers.get('location')
  if (response.status !== 303 || location === null)
    throw new Error(`No checkout: ${response.status} ${await response.text()}`)
  return location
}
