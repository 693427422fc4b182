import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { watch } from '../../node/support/process.ts'
import { packedFolder, root } from './pack.ts'

// The command `edgetill` of the packed tarball, as a process on each runtime.

export const RUNTIMES = ['node', 'deno', 'bun'] as const
export type Runtime = (typeof RUNTIMES)[number]

/** Values that no verb may print, wherever they come from. */
export const CANARIES = {
  EDGETILL_API_KEY: 'canary-key-5f0c2b',
  EDGETILL_API_SECRET: 'canary-secret-9d41aa',
  EDGETILL_ENDPOINTS_KEY: 'canary-endpoints-77e1',
  EDGETILL_WORKER_TOKEN: 'canary-token-c3b8',
} as const

/** The permissions of Deno in guides/command-line.md, by the verb. */
export const PERMISSIONS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  readFileSync(join(root, 'guides/command-line.md'), 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, , , permissions = '']) => permissions.includes('--allow-'))
    .flatMap(([, verbs = '', , permissions = '']) => {
      const flags = permissions.match(/--allow-\w+/g) ?? []
      return [...verbs.matchAll(/`([\w-]+)/g)].map(([, verb = '']) => [verb, flags])
    }),
)

/** As narrow as the guide says that they can be. */
const NARROW: Readonly<Record<string, string>> = {
  '--allow-net': '--allow-net=127.0.0.1',
  '--allow-env': '--allow-env=EDGETILL_*,NO_COLOR,TERM',
}

export interface CommandOptions {
  /** Default: nothing, at once. A string is written and ended; `open` keeps it open. */
  stdin?: string | Uint8Array | 'open'
  /** Default: the canaries. */
  env?: Readonly<Record<string, string>>
  /** Runs it at a terminal, which `script` of util-linux makes: everything is in `stdout` then. */
  terminal?: boolean
  /** Closes the reading end of stdout at once. */
  brokenPipe?: boolean
  /** Writes stdout to a disk that is full. */
  fullDisk?: boolean
}

export interface Ended {
  /** Null after a signal. */
  code: number | null
  stdout: string
  stderr: string
}

export type RunningCommand = ReturnType<typeof start>

/** Starts a verb. Its output is checked for canaries when it has ended. */
export function start(runtime: Runtime, words: readonly string[], options: CommandOptions = {}) {
  const all = [...commandOf(runtime, words[0] ?? ''), ...words]
  const [program = '', ...args] = options.terminal
    ? ['script', '-qec', all.join(' '), '/dev/null']
    : options.fullDisk
      ? ['sh', '-c', 'exec "$@" > /dev/full', 'sh', ...all]
      : all
  const child = spawn(program, args, {
    cwd: packedFolder(),
    env: {
      PATH: [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter),
      HOME: process.env.HOME,
      DENO_NO_UPDATE_CHECK: '1',
      DENO_DIR: process.env.DENO_DIR,
      ...(options.env ?? CANARIES),
    },
  })
  const { printed, finished, seen } = watch(child)
  /** Stops reading: the next line that it prints meets a broken pipe. */
  const closeStdout = () => void child.stdout.destroy()
  if (options.brokenPipe) closeStdout()
  const { stdin } = options
  child.stdin.on('error', () => {})
  if (stdin !== 'open') child.stdin.end(stdin ?? '')
  const ended: Promise<Ended> = finished.then(({ code, stdout, stderr }) => {
    const leaked = Object.values(CANARIES).filter((canary) => (stdout + stderr).includes(canary))
    if (leaked.length > 0) throw new Error(`edgetill ${words.join(' ')} printed ${leaked.join(', ')}`)
    return { code, stdout, stderr }
  })
  return {
    ended,
    /** Resolves with all of stdout when a text was printed, on stderr too; rejects when the command ends before. */
    seen: (text: string) => seen(text).then(() => printed.stdout),
    /** Writes to stdin that is open. */
    type: (text: string) => void child.stdin.write(text),
    /** Writes to stdin that is open, more than a pipe holds: resolves when the command is reading. */
    fill: () => new Promise<void>((resolve) => child.stdin.write(' '.repeat(1024 * 1024), () => resolve())),
    stop: (signal: NodeJS.Signals) => void child.kill(signal),
    closeStdout,
  }
}

/** Runs a verb to its end. */
export const run = (runtime: Runtime, words: readonly string[], options?: CommandOptions): Promise<Ended> =>
  start(runtime, words, options).ended

function commandOf(runtime: Runtime, verb: string): string[] {
  const cli = join(packedFolder(), 'node_modules/edgetill/dist/cli.js')
  const bin = (name: string) => join(root, 'node_modules/.bin', name)
  const allowed = (PERMISSIONS[verb] ?? []).map((flag) => NARROW[flag] ?? flag)
  if (runtime === 'deno') return [bin('deno'), 'run', '--no-prompt', '--quiet', ...allowed, cli]
  return [bin(runtime), cli]
}
