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
  /** Resolves when a text was printed; rejects when the program ends before. */
  seen(text: string): Promise<void>
}

const RUN = {
  node: ['node'],
  deno: ['deno', 'run', '--allow-all', '--no-check', '--quiet'],
  'deno serve': ['deno', 'serve', '--allow-net', '--no-check', '--port=0'],
  bun: ['bun', 'run'],
} as const

/** Starts a TypeScript program of the checkout in a process of its own, on Node. */
export const start = (program: string, ...words: string[]): Running => startOn('node', program, ...words)

/** The same on another runtime. */
export function startOn(runtime: keyof typeof RUN, program: string, ...words: string[]): Running {
  const [command, ...options] = RUN[runtime]
  const child = spawn(join(root, 'node_modules/.bin', command), [...options, program, ...words], {
    cwd: root,
    // A server that reads it takes a free port.
    env: { ...process.env, PORT: '0', NO_COLOR: '1' },
    detached: true,
  })
  let output = ''
  const waiting: { text: string; resolve: () => void }[] = []
  const add = (chunk: unknown) => {
    output += chunk
    for (const { text, resolve } of waiting) if (output.includes(text)) resolve()
  }
  child.stdout.on('data', add)
  child.stderr.on('data', add)
  const finished = new Promise<Finished>((done) => child.on('close', (code) => done({ code, output })))
  return {
    finished,
    output: () => output,
    // To the whole group, as a terminal's Ctrl-C goes.
    stop: (signal: NodeJS.Signals) => process.kill(-(child.pid ?? 0), signal),
    seen: (text: string) =>
      Promise.race([
        new Promise<void>((resolve) => (output.includes(text) ? resolve() : waiting.push({ text, resolve }))),
        finished.then(() => Promise.reject(new Error(`It ended before it printed "${text}":\n${output}`))),
      ]),
  }
}
