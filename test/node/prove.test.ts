import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, serveOnNode } from '../../src/cli/service/serve-node.ts'
import { CAUSES, type Cause } from '../../src/prove/causes.ts'
import { prove } from '../../src/prove/index.ts'
import { receiver } from '../prove/support/receiver.ts'
import { SEED } from '../support/property.ts'
import { Document, quoted } from './support/document.ts'
import { freePort } from './support/free-port.ts'
import { startCommand, startWith } from './support/process.ts'
import { load, writeProgram } from './support/program.ts'
import { root } from './support/runtimes.ts'
import { blocks } from './support/snippets.ts'

// `edgetill prove` in a process, and shops in PHP and Python. Needs php-cli and python3; without them the file fails.

const folder = mkdtempSync(join(tmpdir(), 'edgetill-prove-'))
const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing) await close()
  rmSync(folder, { recursive: true, force: true })
})

const BUGS: (Cause | 'right')[] = [
  'right',
  'ships_copies',
  'dedupes_by_order',
  'dedupes_by_transaction',
  'newest_wins',
  'pending_overwrites',
  'adds_up_copies',
  'stores_after_answer',
  'no_signature_check',
  'trusts_amount',
  'forgets_currency',
]

const PROGRAMS: Record<string, (port: number, state: string) => [command: string, words: string[]]> = {
  Python: (port, state) => ['python3', [join(root, 'test/node/prove/shop.py'), state, String(port)]],
  PHP: (port) => ['php', ['-q', '-S', `127.0.0.1:${port}`, join(root, 'test/node/prove/shop.php')]],
}

describe.each(Object.entries(PROGRAMS))('a shop in %s', (language, program) => {
  const state = mkdtempSync(join(folder, `${language}-`))
  let port = 0
  let running: ChildProcess
  const start = async (): Promise<void> => {
    const [command, words] = program(port, state)
    const child = spawn(command, words, { env: { ...process.env, FOLDER: state }, stdio: 'ignore' })
    running = child
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  }
  const kill = async (): Promise<void> => {
    const gone = new Promise((resolve) => running.once('exit', resolve))
    running.kill('SIGKILL')
    await gone
  }
  const listening = async (): Promise<void> => {
    const deadline = Date.now() + 10_000
    while (!(await fetch(`http://127.0.0.1:${port}/right/orders/none`).catch(() => false))) {
      if (Date.now() > deadline) throw new Error(`The shop in ${language} does not start.`)
    }
  }
  beforeAll(async () => {
    port = await freePort()
    await start()
    closing.push(kill)
    await listening()
  })

  it.each(BUGS)('%s', { timeout: 120_000 }, async (bug) => {
    const origin = `http://127.0.0.1:${port}/${bug}`
    const { findings } = await prove({
      url: `${origin}/webhooks`,
      state: `${origin}/orders/{order_id}`,
      create: `${origin}/orders`,
      settleMs: bug === 'stores_after_answer' ? 150 : 0,
      seed: SEED,
      orders: 80,
      kinds: ['paid', 'three_d_secure', 'retried', 'refunded'],
      ...(bug === 'stores_after_answer' && { orders: 20, restart: () => kill().then(start) }),
    })
    expect([SEED, ...new Set(findings.map(({ cause }) => cause))]).toEqual([SEED, ...(bug === 'right' ? [] : [bug])])
    for (const { story } of findings) expect(story.length).toBeLessThanOrEqual(8)
  })
})

describe('the verb', () => {
  const serve = async (bug?: Cause): Promise<Served> => {
    const shop = receiver(bug)
    const served = await serveOnNode(async (request) => {
      const { pathname } = new URL(request.url)
      if (pathname === '/webhooks') return shop.fetch(request)
      const state = shop.state(pathname.replace('/orders/', ''))
      return state ? Response.json(state) : new Response('', { status: 404 })
    })
    closing.push(() => served.close())
    return served
  }
  const run = async (origin: string, ...words: string[]) => {
    const flags = ['--url', `${origin}/webhooks`, '--state', `${origin}/orders/{order_id}`, ...words]
    const secret = { EDGETILL_API_SECRET: 'emulator-api-secret' }
    const { code, output } = await startWith(secret, 'node', 'src/cli/main.ts', 'prove', ...flags).finished
    return { code, output }
  }

  it('exits 0 when nothing is found', async () => {
    const { origin } = await serve()
    const { code, output } = await run(origin, '--orders', '40')
    expect(output).toMatch(/^40 orders, \d+ webhooks, seed 1: nothing found\.\nNot tried: /)
    expect(code).toBe(0)
  })

  it('exits 1 and writes a page when something is found', async () => {
    const { origin } = await serve('adds_up_copies')
    const page = join(folder, 'report.html')
    const { code, output } = await run(origin, '--orders', '30', '--json', '--report', page)
    const report = JSON.parse(output) as { findings: { cause: string }[] }
    expect(report.findings[0]).toMatchObject({ cause: 'adds_up_copies', verdict: 'paid counted twice' })
    expect(code).toBe(1)
    expect(readFileSync(page, 'utf8')).toMatch(/<h2>paid counted twice<\/h2>[\s\S]*again arrives <code>200<\/code>/)
  })

  it('reads the state from a command, and waits for a restart', async () => {
    const { origin } = await serve()
    const state = `printf '{"order":{"in":10050,"out":0}}'; echo {order_id} >&2`
    const flags = [
      '--url',
      `${origin}/webhooks`,
      '--state-command',
      state,
      '--restart-command',
      'true',
      '--units',
      'minor',
    ]
    const paths = [
      '--paid',
      '$.order.in',
      '--refunded',
      '$.order.out',
      '--orders',
      '2',
      '--kinds',
      'declined',
      '--json',
    ]
    const secret = { EDGETILL_API_SECRET: 'emulator-api-secret' }
    const { code, output } = await startWith(secret, 'node', 'src/cli/main.ts', 'prove', ...flags, ...paths).finished
    expect(JSON.parse(output)).toMatchObject({ findings: [{ verdict: 'shipped but not paid', seen: { paid: 100.5 } }] })
    expect(code).toBe(1)
  })

  it.each<[string, (server: Server) => void, RegExp]>([
    ['never answers', (server) => server.on('connection', () => {}), /no answer within 300 ms/],
    ['closes the connection', (server) => server.on('connection', (socket) => socket.destroy()), /does not answer/],
    ['answers HTML', (server) => server.on('connection', (socket) => socket.end(HTML)), /has to be JSON, but .* HTML/],
  ])('exits 2 with one line when the receiver %s', async (_, behave, message) => {
    const server = createServer()
    behave(server)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    closing.push(() => server.close())
    const { port } = server.address() as { port: number }
    const { code, output } = await run(`http://127.0.0.1:${port}`, '--timeout-ms', '300')
    expect(output).toMatch(message)
    expect(output.trim().split('\n')).toHaveLength(1)
    expect(code).toBe(2)
  })

  it('exits 2 with one line when nothing is there', async () => {
    const { code, output } = await run(`http://127.0.0.1:${await freePort()}`)
    expect(output).toMatch(/^The receiver does not answer: .*ECONNREFUSED\. Is the receiver running there\?\n$/)
    expect(code).toBe(2)
  })
})

describe('guides/prove.md', () => {
  const guide = new Document('guides/prove.md')
  const shops = [...guide.text.matchAll(/^```ts\n\/\/ (\w+\.ts)\n[\s\S]*?^```$/gm)].map(([block, file = '']) => ({
    file,
    code: block.replaceAll(/^```.*$/gm, ''),
  }))
  const [, , attack = ''] = blocks('guides/prove.md', 'sh').map(({ code }) => code)
  const verdicts = /SHIPPED TWICE|PAID BUT NOT SHIPPED|REFUND COUNTED TWICE|ANOTHER AMOUNT WAS TAKEN FOR THE PRICE/g

  it.each(shops)('$file gets the verdict that the guide shows', { timeout: 60_000 }, async ({ file, code }) => {
    const port = await freePort()
    const outfile = join(root, 'test-output', `prove-${process.pid}-${file}.mjs`)
    const listen = `app.listen(${port}, () => console.log('Listening'))`
    await writeProgram(code.replace('app.listen(3000)', listen), outfile, root)
    const shop = startWith({ EDGETILL_API_SECRET: 'test-secret' }, 'node', outfile)
    closing.push(async () => {
      shop.stop('SIGKILL')
      await shop.finished
      rmSync(outfile)
    })
    await shop.seen('Listening')
    const line = attack.replaceAll('3000', String(port)).replace('npx edgetill', 'node src/cli/main.ts')
    const command = line.replace('report.html', join(folder, file))
    const { code: exit, output } = await startCommand('sh', ['-c', command]).finished
    const found = new Set(output.match(verdicts))
    expect(found.size, output).toBe(file === 'shop.ts' ? new Set(guide.text.match(verdicts)).size : 0)
    expect(exit, output).toBe(file === 'shop.ts' ? 1 : 0)
  })

  it('has a test of a shop in the same process that passes', async () => {
    await load(guide.program('In a test'))
  })

  const skill = new Document('SKILL.md')
  const titles = [...skill.text.matchAll(/^## (.+)\n(?:(?!^## |^```)[\s\S])*^```ts$/gm)].map(([, title = '']) => title)
  it.each(titles)('SKILL.md: %s', async (title) => {
    await load(skill.program(title))
  })

  it('every program of SKILL.md is under a separate title', () => {
    expect(titles).toHaveLength(blocks('SKILL.md', 'ts').length)
  })

  it('names every cause', () => {
    const named = guide.rows('What it finds').flatMap(([cell = '']) => quoted(cell))
    expect(named.toSorted()).toEqual(Object.keys(CAUSES).toSorted())
  })
})

const HTML =
  'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 22\r\nconnection: close\r\n\r\n<!doctype html><p>Hi</p'
