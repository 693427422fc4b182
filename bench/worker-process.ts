import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { signWebhook } from '../src/webhooks/sign.ts'
import { bundleForWorkerd, root, TEMPLATE_DATE } from './runtimes.ts'

const API_SECRET = 'the-api-secret-of-the-bench'
export const ADMIN_TOKEN = 'the-admin-token-of-the-bench-32-characters'

/** The bindings of wrangler.toml and of a deployer. */
export const BINDINGS = {
  BASE_URL: 'http://127.0.0.1:9',
  API_URL: 'http://127.0.0.1:9',
  POS_ID: '0d4f6b7e-5f5e-4c0f-9a51-6f4f3f1c2b11',
  SCHEME: 'SVC',
  AUTHENTICATION: 'per-endpoint',
  SENDER_CHECK: 'off',
  SENDER_IP: '35.187.74.148',
  API_KEY: 'the-api-key',
  API_SECRET,
  ENDPOINTS_KEY: 'the-endpoints-key',
  LINK_SECRET: 'the link secret of the bench, 32 characters',
  ADMIN_TOKEN,
}

export interface RunningWorker {
  origin: URL
  stop(): Promise<void>
}

/** Starts a Worker in workerd, over HTTP on loopback, with a KV namespace and the object. */
export async function startWorker(entry: string): Promise<RunningWorker> {
  const contents = await bundleForWorkerd({ entry: join(root, entry) })
  const parent = join(root, 'test-output/bench')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'kv-'))
  const miniflare = new Miniflare({
    ...convertV4MiniflareOptions({
      modules: [{ type: 'ESModule', path: 'worker.js', contents }],
      compatibilityDate: TEMPLATE_DATE,
      cf: false,
      bindings: BINDINGS,
      kvNamespaces: { STATE: 'state' },
      durableObjects: { TILL: { className: 'ShopObject', useSQLite: true } },
    }),
    resourcePersistencePath: folder,
  })
  return {
    origin: await miniflare.ready,
    async stop() {
      await miniflare.dispose()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A response, and the milliseconds until its last byte. */
export interface Answered {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  ms: number
}

export interface Sent {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
}

/** The template's key of an order, faster than the template's own way. */
export const keyOf = (order_id: unknown): string => createHash('sha256').update(String(order_id)).digest('base64url')

/** A signed webhook. The query has the rows that the bare route writes. */
export function sentWebhook(event: Record<string, unknown>): Sent {
  const { body } = signWebhook(event, API_SECRET)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { method: 'POST', path: `/webhooks?key=${keyOf(event.order_id)}&id=${keyOf(body)}`, headers, body }
}

/** A client that keeps its connections, so that they are not measured. */
export function clientOf({ origin }: RunningWorker, inFlight = 1): (sent: Sent) => Promise<Answered> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
  return ({ method, path, headers = {}, body }) =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now()
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const outgoing = request(
        new URL(path, origin),
        { method, agent, headers: { ...headers, ...length } },
        (incoming) => {
          let text = ''
          incoming.setEncoding('utf8').on('data', (chunk) => {
            text += chunk
          })
          incoming.on('end', () =>
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              text,
              ms: performance.now() - startedAt,
            }),
          )
          incoming.on('error', reject)
        },
      )
      outgoing.on('error', reject)
      outgoing.end(body)
    })
}
