import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Miniflare } from 'miniflare'
import { createEmulator, type Emulator } from '../../../src/emulator/index.ts'
import { ADMIN_TOKEN, bindings, ORIGIN } from '../../worker/support/world.ts'
import { root } from './runtimes.ts'
import { bundled, openWorkerd } from './workerd.ts'

/** A request that the emulator leaves without a response is given up after this much real time. */
const NO_RESPONSE_MS = 500

export interface StoppableOptions {
  /** Of the emulator. */
  seed?: number
  /** Variables that differ from {@link bindings}. */
  env?: Record<string, string>
  /** Whether the shop fails the event that it gets now. */
  shopFails?: () => boolean
}

/** A worker in a process of workerd that can be stopped at any step and started again over the same files. */
export class StoppableWorkerd {
  readonly emulator: Emulator
  /** The operations and alerts that were reported to the shop, with how often. */
  readonly reported = new Map<string, number>()
  private readonly folder = mkdtempSync(join(tmpdir(), 'edgetill-stopped-'))
  private readonly contents: string
  private miniflare: Miniflare | undefined
  private offset = 0
  private readonly waiting = new Set<(reason: Error) => void>()
  private readonly atService = new Set<Promise<unknown>>()
  private readonly options: StoppableOptions
  /** Whether it was stopped since the last {@link countSteps}. */
  wasStopped = false

  static async start(options: StoppableOptions = {}): Promise<StoppableWorkerd> {
    const workerd = new StoppableWorkerd(await bundled('stoppable-worker.ts'), options)
    await workerd.begin()
    return workerd
  }

  private constructor(contents: string, options: StoppableOptions) {
    this.contents = contents
    this.options = options
    this.emulator = createEmulator({
      seed: options.seed ?? 7,
      // Behaviour of the service that public clients suggest: a shop must handle it.
      perturbations: ['processed_amount', 'return_parameters'],
      clock: { now: () => this.now() },
      fetch: (input, init) => this.fetch(input as string, init),
    })
  }

  now(): number {
    return Date.now() + this.offset
  }

  /** Starts workerd over the files that are there. */
  async begin(): Promise<void> {
    this.miniflare = openWorkerd({
      contents: `globalThis.OFFSET = ${this.offset}\n${this.contents}`,
      bindings: { ...bindings(this.emulator.credentials), ...this.options.env },
      objects: { TILL: 'ShopObject' },
      outside: (request) => this.outside(request),
      folder: this.folder,
    })
    await withPid(this.folder, () => this.miniflare?.ready)
  }

  /** The surroundings of the worker: the service, the shop, and its own end. */
  private async outside(request: Request): Promise<Response> {
    const { host } = new URL(request.url)
    if (host === 'stop.test') {
      process.kill(Number(readFileSync(join(this.folder, 'pid'), 'utf8')), 'SIGKILL')
      this.wasStopped = true
      for (const reject of this.waiting) reject(new TypeError('workerd was stopped'))
      return new Promise(() => {})
    }
    const body = request.method === 'GET' ? undefined : await request.text()
    if (host === 'shop.test') {
      if (this.options.shopFails?.()) return new Response(null, { status: 500 })
      this.reported.set(body ?? '', (this.reported.get(body ?? '') ?? 0) + 1)
      return new Response()
    }
    const { method, headers } = request
    const init: RequestInit = { method, headers: [...headers], body: body ?? null, redirect: 'manual' }
    const response = withLimit(this.emulator.fetch(request.url, init))
    const isOver: Promise<unknown> = response.then(
      () => this.atService.delete(isOver),
      () => this.atService.delete(isOver),
    )
    this.atService.add(isOver)
    return response
  }

  /** A call that has reached the service goes on there when workerd is stopped. */
  async idle(): Promise<void> {
    await Promise.all(this.atService)
    await this.emulator.deliveries.idle()
  }

  /** A request to the worker; rejected when workerd is stopped meanwhile. */
  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    if (!this.miniflare || this.wasStopped) throw new TypeError('workerd is not running')
    const { promise: end, reject: stop } = Promise.withResolvers<never>()
    this.waiting.add(stop)
    const { signal, ...rest } = init
    const response = this.miniflare.dispatchFetch(url, { ...rest, redirect: 'manual' } as never)
    response.catch(() => {})
    try {
      return (await Promise.race([response, end])) as unknown as Response
    } finally {
      this.waiting.delete(stop)
    }
  }

  /** A call of the worker's API. */
  async api<T>(path: string, init: RequestInit = {}): Promise<{ status: number; body: T }> {
    const headers = { ...init.headers, authorization: `Bearer ${ADMIN_TOKEN}` }
    const response = await this.fetch(`${ORIGIN}/api${path}`, { ...init, headers })
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : { text } }
  }

  /** Counts the steps from now on, and stops at the one of this number. */
  async countSteps(stop = 0): Promise<void> {
    await this.fetch(`https://worker.test/test/steps?stop=${stop}&offset=${this.offset}`)
  }

  /** Moves the clocks of the worker and of the service on, and runs the cron. */
  async advance(ms: number): Promise<void> {
    this.offset += ms
    await this.fetch(`https://worker.test/test/clock?offset=${this.offset}`)
    await this.emulator.clock.advance({})
    await this.fetch('https://worker.test/test/cron')
  }

  async restart(): Promise<void> {
    await this.miniflare?.dispose().catch(() => {})
    await this.begin()
    this.wasStopped = false
    await this.countSteps()
  }

  async end(): Promise<void> {
    await this.miniflare?.dispose()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The service as a caller sees it that does not wait forever. */
async function withLimit(response: Promise<Response>): Promise<Response> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TypeError('The connection was closed.')), NO_RESPONSE_MS)
  })
  return Promise.race([response, limit]).finally(() => clearTimeout(timer))
}

/** Miniflare does not say which process it starts: a script in front of workerd writes its id down. */
async function withPid(folder: string, start: () => Promise<unknown> | undefined): Promise<void> {
  const script = join(folder, 'workerd.sh')
  // Its own program, which is what Miniflare starts: `.bin/workerd` may be a script in front of it.
  const { default: workerd } = createRequire(join(root, 'node_modules/miniflare/package.json'))('workerd') as {
    default: string
  }
  writeFileSync(script, `#!/bin/sh\necho $$ > '${join(folder, 'pid')}'\nexec '${workerd}' "$@"\n`)
  chmodSync(script, 0o755)
  const before = process.env.MINIFLARE_WORKERD_PATH
  process.env.MINIFLARE_WORKERD_PATH = script
  try {
    await start()
  } finally {
    if (before === undefined) delete process.env.MINIFLARE_WORKERD_PATH
    else process.env.MINIFLARE_WORKERD_PATH = before
  }
}
