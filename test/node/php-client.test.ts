import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testCard } from '../../src/emulator/index.ts'
import { freePort } from './support/free-port.ts'
import { type Running, start } from './support/process.ts'
import { root } from './support/runtimes.ts'

// A client in another language, which shares no line with this package, against the served emulator: two readings of the
// same documents. Needs php-cli and php-curl; without them the file fails.

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'edgetill-php-'))
const log = join(folder, 'webhooks.log')
const php = join(root, 'test/node/php')

interface Operation {
  method: string
  status: string
  status_code: string
  amount: number
  currency: string
  order_id: string
  operation_id?: string
}

let emulator: Running
let receiver: ChildProcess
let seen: Map<string, unknown>

/** A line of what the emulator prints: a name, spaces, a value. */
const printed = (name: string) => new RegExp(`^ *${name} +(\\S+)$`, 'm').exec(emulator.output())?.[1] ?? ''

beforeAll(async () => {
  const { stdout: modules } = await run('php', ['-m']).catch(() => ({ stdout: '' }))
  if (!/^curl$/m.test(modules)) throw new Error('PHP with curl is missing: apt-get install php-cli php-curl.')
  emulator = start('src/cli/main.ts', 'emulator', '--port', '0')
  await emulator.seen('Ctrl-C')
  const port = await freePort()
  const env = {
    PATH: process.env.PATH,
    BASE_URL: printed('base_url'),
    POS_ID: printed('posId'),
    API_KEY: printed('apiKey'),
    API_SECRET: printed('apiSecret'),
    ENDPOINTS_KEY: printed('endpointsKey'),
    SCHEME: printed('scheme'),
    SERVER_URL: `http://127.0.0.1:${port}/webhooks`,
    WEBHOOK_LOG: log,
    CARD: testCard('success'),
  }
  receiver = spawn('php', ['-S', `127.0.0.1:${port}`, join(php, 'webhooks.php')], { env })
  await new Promise<void>((listening, failed) => {
    receiver.on('error', failed)
    receiver.stderr?.on('data', (text) => /started/.test(String(text)) && listening())
  })
  const { stdout } = await run('php', [join(php, 'shop.php')], { env })
  const lines = stdout.trim().split('\n')
  seen = new Map(lines.map((line) => JSON.parse(line)).map(({ step, seen }) => [step, seen]))
}, 60_000)

afterAll(async () => {
  receiver?.kill()
  emulator?.stop('SIGTERM')
  await emulator?.finished
  rmSync(folder, { recursive: true, force: true })
})

const brief = (step: string) =>
  (seen.get(step) as Operation[]).map(({ method, status, amount }) => `${method} ${status} ${amount}`)

describe('a PHP client and the served emulator', () => {
  it('a hosted purchase without patronym, in the plain scheme, is paid on its page', () => {
    expect(seen.get('hosted purchase')).toMatch(/\/api\/v1\/checkout\/[^/]+\/form$/)
    expect(seen.get('paid on the page')).toBe(true)
    expect(brief('look-up of the purchase')).toEqual(['purchase success 100.5'])
  })

  it('a partial refund', () => {
    expect(seen.get('partial refund')).toMatchObject({
      method: 'refund',
      status: 'success',
      status_code: '1004',
      amount: 20.25,
      currency: 'UAH',
      order_id: 'PHP-1',
    })
    expect(brief('look-up after the refund')).toEqual(['purchase success 100.5', 'refund success 20.25'])
  })

  it('an auth, its capture, and a void of another', () => {
    expect(seen.get('auth')).toMatchObject({ method: 'auth', status: 'success', amount: 50 })
    expect(seen.get('capture')).toMatchObject({ method: 'capture', status: 'success', amount: 30, currency: 'UAH' })
    expect(seen.get('void')).toMatchObject({ method: 'void', status: 'success', status_code: '1009', amount: 50 })
    expect(brief('look-up of the void')).toEqual(['auth success 50', 'void success 50'])
  })

  it('a wrong secret is rejected', () => {
    expect(seen.get('wrong secret')).toMatch(/: 401 /)
  })

  it('every webhook is signed as public plugins verify it', async () => {
    const received = () =>
      readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { verified: boolean; content_type: string; record: Operation })
    // Deliveries are made after the response: the last one may still be on its way.
    await expect.poll(() => received().length, { timeout: 10_000 }).toBeGreaterThanOrEqual(6)
    const webhooks = received()
    expect(webhooks.filter(({ verified }) => !verified)).toEqual([])
    expect(webhooks.every(({ content_type }) => content_type === 'application/x-www-form-urlencoded')).toBe(true)
    const final = webhooks.filter(({ record }) => record.status === 'success')
    expect(final.map(({ record }) => `${record.order_id} ${record.method} ${record.amount}`).toSorted()).toEqual([
      'PHP-1 purchase 100.5',
      'PHP-1 refund 20.25',
      'PHP-2 auth 50',
      'PHP-2 capture 30',
      'PHP-3 auth 50',
      'PHP-3 void 50',
    ])
  })

  it('a forged webhook is not', async () => {
    const address = (receiver.spawnargs[2] ?? '') as string
    const forged = new URLSearchParams({ data: 'e30=', signature: 'A'.repeat(27).concat('=') })
    const response = await fetch(`http://${address}/webhooks`, { method: 'POST', body: forged })
    expect(response.status).toBe(400)
  })
})
