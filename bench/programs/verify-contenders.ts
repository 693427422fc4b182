import { Paddle } from '@paddle/paddle-node-sdk'
import { webhooks as polar } from '@polar-sh/sdk/2026-10'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { parseForm } from '../../src/webhooks/form.ts'
import { signWebhook } from '../../src/webhooks/sign.ts'
import { verifyWebhook } from '../../src/webhooks/verify.ts'
import { type EventKind, eventOf } from './events.ts'
import { partsOf } from './verify-parts.ts'

/** One way to turn a webhook's body into a verified event. */
export interface Contender {
  name: string
  role: 'ours' | 'peer' | 'floor' | 'part'
  /** Verifies the webhook with this index in the pool and returns its event; a part returns its own result. */
  verify: (index: number) => unknown
}

const SECRET = 'c2VjcmV0LW9mLXRoZS1iZW5jaC13ZWJob29rcw=='
/** Enough different webhooks that no engine caches a string. */
export const POOL = 64

interface NodeCrypto {
  hash(algorithm: string, data: string, encoding: string): string
  createHmac(algorithm: string, key: string): { update(data: string): { digest(encoding: 'hex'): string } }
}

/** Every contender that runs on this runtime. Each gets the body and the headers that it expects. */
export async function contendersFor(kind: EventKind): Promise<Contender[]> {
  const events = Array.from({ length: POOL }, (_, index) => eventOf(kind, index))
  const texts = events.map((event) => fresh(JSON.stringify(event)))
  const forms = events.map((event) => fresh(signWebhook(event, SECRET).body))
  const native = (
    globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } }
  ).process?.getBuiltinModule?.('crypto') as NodeCrypto | undefined
  return [
    { name: 'edgetill', role: 'ours', verify: (index) => verifyWebhook(parseForm(forms[index] ?? ''), SECRET) },
    ...(await stripeContenders(texts, native)),
    ...(await standardContenders(texts)),
    await paddleContender(texts),
    await polarContender(events),
    ...(native ? [floor(forms, native)] : []),
    ...partsOf(forms, SECRET),
  ]
}

// A received body is a new string, never a slice of another string.
const fresh = (text: string): string => new TextDecoder().decode(new TextEncoder().encode(text))

// Signed slightly in the future, within every peer's tolerance, so that no signature expires during a run.
const signingTime = (): number => Math.floor(Date.now() / 1000) + 280

async function stripeContenders(texts: string[], native: NodeCrypto | undefined): Promise<Contender[]> {
  const { webhooks } = Stripe
  const timestamp = signingTime()
  const headers = await Promise.all(
    texts.map(async (text) => `t=${timestamp},v1=${await hmacSha256Hex(SECRET, `${timestamp}.${text}`)}`),
  )
  const given = (index: number) => [texts[index] ?? '', headers[index] ?? '', SECRET] as const
  const contenders: Contender[] = [
    {
      name: 'stripe constructEventAsync',
      role: 'peer',
      verify: (index) => webhooks.constructEventAsync(...given(index)),
    },
  ]
  try {
    webhooks.constructEvent(...given(0))
    contenders.push({
      name: 'stripe constructEvent',
      role: 'peer',
      verify: (index) => webhooks.constructEvent(...given(index)),
    })
  } catch {
    // The build that this runtime resolves is only asynchronous, unless it gets a crypto provider.
    if (!native) return contenders
    const provider = {
      computeHMACSignature: (payload: string, secret: string) =>
        native.createHmac('sha256', secret).update(payload).digest('hex'),
    } as unknown as NonNullable<Parameters<typeof webhooks.constructEvent>[4]>
    contenders.push({
      name: 'stripe constructEvent with node:crypto',
      role: 'peer',
      verify: (index) => webhooks.constructEvent(...given(index), undefined, provider),
    })
  }
  return contenders
}

async function standardContenders(texts: string[]): Promise<Contender[]> {
  const standard = new StandardWebhook(`whsec_${SECRET}`)
  const svix = new SvixWebhook(`whsec_${SECRET}`)
  const timestamp = signingTime()
  const signatures = texts.map((text, index) => standard.sign(`msg_${index}`, new Date(timestamp * 1000), text))
  const headersOf = (prefix: string) =>
    signatures.map((signature, index) => ({
      [`${prefix}-id`]: `msg_${index}`,
      [`${prefix}-timestamp`]: String(timestamp),
      [`${prefix}-signature`]: signature,
    }))
  const standardHeaders = headersOf('webhook')
  const svixHeaders = headersOf('svix')
  return [
    {
      name: 'standardwebhooks',
      role: 'peer',
      verify: (index) => standard.verify(texts[index] ?? '', standardHeaders[index] ?? {}),
    },
    {
      name: 'svix',
      role: 'peer',
      // It only verifies: the caller parses.
      verify: (index) => {
        svix.verify(texts[index] ?? '', svixHeaders[index] ?? {})
        return JSON.parse(texts[index] ?? '')
      },
    },
  ]
}

async function paddleContender(texts: string[]): Promise<Contender> {
  const { webhooks } = new Paddle('api key')
  const timestamp = signingTime()
  const headers = await Promise.all(
    texts.map(async (text) => `ts=${timestamp};h1=${await hmacSha256Hex(SECRET, `${timestamp}:${text}`)}`),
  )
  return {
    name: 'paddle isSignatureValid',
    role: 'peer',
    // Its own unmarshal copies the fields of its own events into objects, which is slower than parsing.
    verify: async (index) => {
      const text = texts[index] ?? ''
      if (!(await webhooks.isSignatureValid(text, SECRET, headers[index] ?? ''))) throw new Error('not genuine')
      return JSON.parse(text)
    },
  }
}

async function polarContender(events: object[]): Promise<Contender> {
  // It rejects event types that it does not know.
  const texts = events.map((event) => fresh(JSON.stringify({ type: 'order.paid', ...event })))
  // In the format of its service: a secret that could be Base64 would be tried as two keys.
  const secret = `polar_whs_${SECRET.slice(0, 32)}`
  const timestamp = signingTime()
  const headers = await Promise.all(
    texts.map(async (text, index) => ({
      'webhook-id': `msg_${index}`,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${btoa(String.fromCharCode(...(await hmacSha256(secret, `msg_${index}.${timestamp}.${text}`))))}`,
    })),
  )
  return {
    name: 'polar validateEvent',
    role: 'peer',
    verify: (index) => polar.validateEvent(texts[index] ?? '', headers[index] ?? {}, secret),
  }
}

/** The lower bound for this body: native hash, decoding and parsing, and no check. */
function floor(forms: string[], { hash }: NodeCrypto): Contender {
  const { Buffer } = globalThis as unknown as {
    Buffer: { from(text: string, encoding: string): { toString(encoding: string): string } }
  }
  return {
    name: 'lower bound: native SHA-1, decoding, JSON.parse',
    role: 'floor',
    verify: (index) => {
      const form = forms[index] ?? ''
      const end = form.indexOf('&')
      const data = form.slice(5, end).replaceAll('%3D', '=')
      const signature = form.slice(end + 11).replaceAll('%3D', '=')
      if (`${hash('sha1', SECRET + data + SECRET, 'base64url')}=` !== signature) throw new Error('not genuine')
      return JSON.parse(Buffer.from(data, 'base64url').toString('utf8'))
    },
  }
}

async function hmacSha256(secret: string, text: string): Promise<Uint8Array> {
  const utf8 = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', utf8.encode(secret), algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8.encode(text)))
}

async function hmacSha256Hex(secret: string, text: string): Promise<string> {
  return Array.from(await hmacSha256(secret, text), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
