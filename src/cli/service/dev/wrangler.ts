import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** `wrangler dev` of the project in the present folder. */
export interface Wrangler {
  /** Resolves when the worker responds and wrangler has printed that it is ready. */
  ready: Promise<void>
  /** Resolves when it has ended. */
  ended: Promise<void>
  stop(): Promise<void>
}

const SECONDS_TO_START = 60

/** Starts it; what it prints goes on to this process's output. */
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
        // wrangler would ask Cloudflare where a request comes from.
        CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      },
      shell: process.platform === 'win32',
    },
  )
  child.stdout.pipe(process.stdout, { end: false })
  child.stderr.pipe(process.stderr, { end: false })
  child.once('error', (error) => process.stderr.write(`wrangler cannot be started (${error.message}): npm install\n`))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return {
    ready: untilReady(child, origin, ended),
    ended,
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
  const given = AbortSignal.any([AbortSignal.timeout(SECONDS_TO_START * 1000), over.signal])
  try {
    await printed(child, 'Ready on', given)
    // Its line about this request is the last one that it prints for now.
    const line = printed(child, '/health', AbortSignal.timeout(2_000)).catch(() => {})
    await until(() => fetch(`${origin}/health`, { signal: given }), given)
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

async function until(request: () => Promise<Response>, signal: AbortSignal): Promise<void> {
  for (;;) {
    const response = await request().catch(() => undefined)
    await response?.body?.cancel()
    if (response) return
    await wait(100, undefined, { signal })
  }
}
