// `npm run dev`: the emulator of the service and this worker, until Ctrl-C. A change in worker/ reloads the worker.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { parseEnv } from 'node:util'
import { createCheckoutLink } from 'edgetill/checkout-link'
import { testCard } from 'edgetill/emulator'

const SECONDS_TO_START = 60
const running: ChildProcess[] = []
let stopping = false

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(0))
// Whoever ends npm does not always end what npm started.
const parent = process.ppid
setInterval(() => process.ppid !== parent && stop(0), 500).unref()

const linkSecret = existsSync('.dev.vars') && parseEnv(readFileSync('.dev.vars', 'utf8')).LINK_SECRET
if (!linkSecret) {
  console.error(
    'There is no .dev.vars with a LINK_SECRET here: git does not carry it. See README.md, "Another machine".',
  )
  process.exit(1)
}
const emulator = await localAddress(4010)
const worker = await localAddress(8787)

start('edgetill', 'emulator', '--port', emulator.port)
await responds(`${emulator.origin}/_emulator`)
start(
  'wrangler',
  ...['dev', '--ip', '127.0.0.1', '--port', worker.port, '--show-interactive-dev-session=false'],
  // Not what .dev.vars may say: no call leaves this machine.
  ...['--var', `BASE_URL:${emulator.origin}`, '--var', `API_URL:${emulator.origin}/balances-api`],
)
await responds(`${worker.origin}/health`)

const order_id = `mugs-${crypto.randomUUID().slice(0, 8)}`
const link = await createCheckoutLink({
  origin: worker.origin,
  linkSecret,
  order: {
    mode: 'hosted',
    method: 'purchase',
    amount: 100.5,
    currency: 'UAH',
    description: 'Two mugs',
    order_id,
    order_3ds_bypass: 'supported',
    customer_patronym: 'Ivanivna',
    customer_email: 'olena@example.com',
    customer_phone: '+380441234567',
  },
})
console.log(`
Open this link and pay with the card ${testCard('success')}, any month to come and any three digits:

  ${link}

  the order    . ./.dev.vars && curl -H "authorization: Bearer $ADMIN_TOKEN" ${worker.origin}/api/orders/${order_id}
  the service  ${emulator.origin}/_emulator

Ctrl-C stops both.`)

/** Starts a command of this project. When it ends, everything ends. */
function start(command: string, ...words: string[]): void {
  const child = spawn(command, words, {
    stdio: ['ignore', 'inherit', 'inherit'],
    // wrangler would ask Cloudflare where a request comes from.
    env: { ...process.env, CLOUDFLARE_CF_FETCH_ENABLED: 'false' },
    shell: process.platform === 'win32',
  })
  running.push(child)
  child.on('error', (error) => console.error(`${command}: ${error.message}. Start this with: npm run dev`))
  child.on('close', () => stop(1))
}

async function stop(code: number): Promise<void> {
  if (stopping) return
  stopping = true
  await Promise.all(
    running
      .filter(({ pid, exitCode, signalCode }) => pid !== undefined && exitCode === null && signalCode === null)
      .map((child) => {
        child.kill()
        return once(child, 'close')
      }),
  )
  process.exit(code)
}

/** Waits until something responds there, whatever it says. */
async function responds(url: string): Promise<void> {
  const end = Date.now() + SECONDS_TO_START * 1000
  while (
    !(await fetch(url).then(
      ({ body }) => body?.cancel().then(() => true),
      () => false,
    ))
  ) {
    if (Date.now() > end) {
      console.error(`Nothing responded at ${url} within ${SECONDS_TO_START} seconds.`)
      await stop(1)
    }
    await new Promise((done) => setTimeout(done, 100))
  }
}

/** On this port, or on a free one where it is taken. */
function localAddress(port: number): Promise<{ port: string; origin: string }> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error) => (port === 0 ? reject(error) : resolve(localAddress(0))))
    server.listen(port, '127.0.0.1', () => {
      const { port: taken } = server.address() as { port: number }
      server.close(() => resolve({ port: String(taken), origin: `http://127.0.0.1:${taken}` }))
    })
  })
}
