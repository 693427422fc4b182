import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from './runtimes.ts'

export interface Finished {
  code: number | null
  output: string
}

export interface Running {
  finished: Promise<Finished>
  /** What it printed so far. */
  output(): string
  stop(signal: NodeJS.Signals): boolean
  /** To the command alone, not to what it started. */
  stopAlone(signal: NodeJS.Signals): boolean
  /** Resolves when a text was printed; rejects when the program ends before. */
  seen(text: string | RegExp): Promise<void>
}

const RUN = {
  node: ['node'],
  deno: ['deno', 'run', '--allow-all', '--no-check', '--quiet'],
  'deno serve': ['deno', 'serve', '--allow-net', '--no-check', '--port=0'],
  'deno serve --allow-all': ['deno', 'serve', '--allow-all', '--no-check', '--port=0'],
  bun: ['bun', 'run'],
} as const

/** Starts a TypeScript program of the checkout in a process of its own, on Node. */
export const start = (program: string, ...words: string[]): Running => startOn('node', program, ...words)

/** The same on another runtime. */
export const startOn = (runtime: keyof typeof RUN, program: string, ...words: string[]): Running =>
  startWith({}, runtime, program, ...words)

/** The same with more environment variables. */
export function startWith(
  environment: Record<string, string>,
  runtime: keyof typeof RUN,
  program: string,
  ...words: string[]
): Running {
  const [command, ...options] = RUN[runtime]
  return startCommand(join(root, 'node_modules/.bin', command), [...options, program, ...words], { env: environment })
}

/** Starts any command, in the checkout unless another folder is given. */
export function startCommand(
  command: string,
  words: readonly string[],
  { cwd = root, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Running {
  // A server that reads PORT takes a free one.
  const child = spawn(command, words, {
    cwd,
    env: { ...process.env, PORT: '0', NO_COLOR: '1', ...env },
    detached: true,
  })
  let output = ''
  const waiting: { text: string | RegExp; resolve: () => void }[] = []
  const isSeen = (text: string | RegExp) => (typeof text === 'string' ? output.includes(text) : text.test(output))
  const add = (chunk: unknown) => {
    output += chunk
    for (const { text, resolve } of waiting) if (isSeen(text)) resolve()
  }
  child.stdout.on('data', add)
  child.stderr.on('data', add)
  const finished = new Promise<Finished>((done) => child.on('close', (code) => done({ code, output })))
  return {
    finished,
    output: () => output,
    // To the whole group, as a terminal's Ctrl-C goes.
    stop: (signal: NodeJS.Signals) => process.kill(-(child.pid ?? 0), signal),
    stopAlone: (signal: NodeJS.Signals) => child.kill(signal),
    seen: (text) =>
      Promise.race([
        new Promise<void>((resolve) => (isSeen(text) ? resolve() : waiting.push({ text, resolve }))),
        finished.then(() => Promise.reject(new Error(`It ended before it printed "${text}":\n${output}`))),
      ]),
  }
}
