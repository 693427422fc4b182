import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'

/** `wrangler dev` of the project in the present folder. */
export interface Wrangler {
  /** Resolves when the worker responds and wrangler has printed that it is ready. */
  ready: Promise<void>
  ended: Promise<void>
  /** Shows its output from now on; earlier output only if requested. */
  show(all?: boolean): void
  stop(): Promise<void>
}

const SECONDS_TO_START = 60

/** Starts it. Its output is kept back until `show` is called, or until it reports an error before it is ready. */
export function startWrangler(origin: string, variables: Readonly<Record<string, string>>): Wrangler {
  const { hostname, port } = new URL(origin)
  const child = spawn(
    'wrangler',
    [
      ...['dev', '--ip', hostname, '--port', port, '--show-interactive-dev-session=false'],
      ...Object.entries(variables).flatMap(([name, value]) => ['--var', `${name}:${value}`]),
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PATH: [join(process.cwd(), 'node_modules', '.bin'), process.env.PATH].join(delimiter),
        // wrangler would ask Cloudflare for a request's origin.
        CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      },
      shell: process.platform === 'win32',
    },
  )
  let held: (() => void)[] | undefined = []
  const show = (all = false): void => {
    if (all) for (const print of held ?? []) print()
    held = undefined
  }
  let isReady = false
  const pass = (from: Readable, to: NodeJS.WriteStream) =>
    from.on('data', (chunk: Buffer) => {
      if (!held) return to.write(chunk)
      held.push(() => to.write(chunk))
      if (!isReady && String(chunk).includes('[ERROR]')) show(true)
    })
  pass(child.stdout, process.stdout)
  pass(child.stderr, process.stderr)
  child.once('error', (error) => process.stderr.write(`wrangler cannot be started (${error.message}): npm install\n`))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const ready = untilReady(child, origin, ended)
  ready.then(
    () => (isReady = true),
    () => show(true),
  )
  return {
    ready,
    ended,
    show,
    async stop() {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      child.kill()
      await ended
    },
  }
}

async function untilReady(child: ChildProcess, origin: string, ended: Promise<void>): Promise<void> {
  const over = new AbortController()
  ended.then(() => over.abort())
  const untilStarted = AbortSignal.any([AbortSignal.timeout(SECONDS_TO_START * 1000), over.signal])
  try {
    await printed(child, 'Ready on', untilStarted)
    // Its line about this request ends its output for now.
    const line = printed(child, '/health', AbortSignal.timeout(2_000)).catch(() => {})
    for (let response: Response | undefined; !response; ) {
      response = await fetch(`${origin}/health`, { signal: untilStarted }).catch(() => undefined)
      await response?.body?.cancel()
      if (!response) await wait(100, undefined, { signal: untilStarted })
    }
    await line
  } catch (cause) {
    throw new Error(`wrangler was not ready within ${SECONDS_TO_START} seconds.`, { cause })
  }
}

async function printed({ stdout }: ChildProcess, text: string, signal: AbortSignal): Promise<void> {
  for (let output = ''; !output.includes(text); ) {
    const [chunk] = (await once(stdout as NonNullable<typeof stdout>, 'data', { signal })) as [Buffer]
    output += String(chunk)
  }
}

/** This port of loopback, or a free port if it is taken. */
export function freePort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error) => (wanted === 0 ? reject(error) : resolve(freePort(0))))
    server.listen(wanted, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
