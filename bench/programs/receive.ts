// Node: receivers on loopback, edgetill's beside one written by hand for the same framework. Prints µs a webhook for each round.

import { createHash, timingSafeEqual } from 'node:crypto'
import { Agent, createServer, type RequestListener, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import formbody from '@fastify/formbody'
import express from 'express'
import { fastify } from 'fastify'
import { webhookHandler as expressHandler } from '../../src/adapters/express.ts'
import { webhookHandler as fastifyPlugin } from '../../src/adapters/fastify.ts'
import { webhookHandler as nodeHandler } from '../../src/adapters/node.ts'
import { signWebhook } from '../../src/webhooks/sign.ts'
import { takeTurns } from '../sample.ts'
import { eventOf } from './events.ts'

interface Argument {
  rounds: number
  /** Webhooks of a turn, one after the other. */
  webhooks: number
}

/** µs of a webhook, from the first byte of the request to the last byte of the response, for each round. */
export interface ReceiveResult {
  framework: string
  ours: boolean
  micros: number[]
}

const SECRET = 'bench-secret'
const POOL = 64
const bodies = Array.from({ length: POOL }, (_, index) => signWebhook(eventOf('1.1 kB', index), SECRET).body)

/** The last order that a receiver has stored: it proves that each receiver reads the event. */
let stored: unknown
const onEvent = (event: { order_id?: unknown }): void => {
  stored = event.order_id
}

/** As most would write it: the signature and JSON.parse, no check of a field. */
function verifyByHand(data: string, signature: string): void {
  const expected = createHash('sha1').update(`${SECRET}${data}${SECRET}`).digest()
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Error('forged')
  onEvent(JSON.parse(Buffer.from(data, 'base64url').toString()) as { order_id: string })
}

type Contender = Omit<ReceiveResult, 'micros'> & { server: Server }

const options = { secrets: SECRET, onEvent }
const contenders: Contender[] = [
  { framework: 'node:http', ours: true, server: createServer(nodeHandler(options) as RequestListener) },
  {
    framework: 'node:http',
    ours: false,
    server: createServer((incoming, response) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk) => chunks.push(chunk))
      incoming.on('end', () => {
        const form = new URLSearchParams(Buffer.concat(chunks).toString())
        verifyByHand(form.get('data') ?? '', form.get('signature') ?? '')
        response.end()
      })
    }),
  },
  { framework: 'Express', ours: true, server: createServer(express().post('/webhooks', expressHandler(options))) },
  {
    framework: 'Express',
    ours: false,
    server: createServer(
      express().post('/webhooks', express.urlencoded({ extended: false }), (incoming, response) => {
        verifyByHand(incoming.body.data, incoming.body.signature)
        response.end()
      }),
    ),
  },
]
for (const ours of [true, false]) {
  const app = fastify()
  if (ours) app.register(fastifyPlugin, { prefix: '/webhooks', ...options })
  else {
    app.register(formbody)
    app.post<{ Body: { data: string; signature: string } }>('/webhooks', async ({ body }) => {
      verifyByHand(body.data, body.signature)
      return ''
    })
  }
  await app.ready()
  contenders.push({ framework: 'Fastify', ours, server: app.server })
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

function post(port: number, body: string): Promise<number> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length }
  return new Promise((resolve, reject) => {
    const sent = request({ agent, port, host: '127.0.0.1', path: '/webhooks', method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function postMany({ server, framework, ours }: Contender, count: number): Promise<void> {
  const { port } = server.address() as AddressInfo
  for (let i = 0; i < count; i++) {
    stored = undefined
    const status = await post(port, bodies[i % POOL] ?? '')
    if (status !== 200 || stored === undefined) throw new Error(`${framework}, ours ${ours}: ${status}, ${stored}`)
  }
}

for (const { server } of contenders) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
const { rounds, webhooks } = JSON.parse(process.argv[2] ?? '') as Argument
for (const contender of contenders) await postMany(contender, 2000)
const micros = await takeTurns(contenders, rounds, async (contender) => {
  const startedAt = performance.now()
  await postMany(contender, webhooks)
  return ((performance.now() - startedAt) / webhooks) * 1000
})
const results: ReceiveResult[] = contenders.map((one) => {
  const { framework, ours } = one
  return { framework, ours, micros: micros.get(one) ?? [] }
})
// Servers keep the process alive; an exit before the pipe has taken everything would cut the result off.
process.stdout.write(`${JSON.stringify(results)}\n`, () => process.exit(0))
