import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { whenOver } from './fixtures.ts'
import { root } from './runtimes.ts'

export type Running = ReturnType<typeof startCommand>

const RUN = {
  node: ['node'],
  'deno serve': ['deno', 'serve', '--allow-net', '--allow-env=EDGETILL_*', '--no-check', '--port=0'],
  'deno serve --allow-all': ['deno', 'serve', '--allow-all', '--no-check', '--port=0'],
  bun: ['bun', 'run'],
} as const

/** Starts a TypeScript program of the checkout in a process of its own, on Node. */
export const start = (program: string, ...words: string[]): Running => startWith({}, 'node', program, ...words)

/** The same on another runtime, with more environment variables. */
export function startWith(
  environment: Record<string, string>,
  runtime: keyof typeof RUN,
  program: string,
  ...words: string[]
): Running {
  const [command, ...options] = RUN[runtime]
  return startCommand(join(root, 'node_modules/.bin', command), [...options, program, ...words], { env: environment })
}

/** Starts any command, in the checkout unless another folder is given. It ends with the test at the latest. */
export function startCommand(
  command: string,
  words: readonly string[],
  { cwd = root, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
) {
  // A server that reads PORT takes a free one.
  const child = spawn(command, words, {
    cwd,
    env: { ...process.env, PORT: '0', NO_COLOR: '1', ...env },
    detached: true,
  })
  const { printed, finished, seen } = watch(child)
  let isOver = false
  const ended = finished.then(({ code, output }) => {
    isOver = true
    return { code, output }
  })
  // To the whole group, as a terminal's Ctrl-C goes.
  const stop = (signal: NodeJS.Signals) => process.kill(-(child.pid ?? 0), signal)
  whenOver(() => {
    if (!isOver) stop('SIGKILL')
    return ended
  })
  return {
    finished: ended,
    /** Its output so far. */
    output: () => printed.output,
    stop,
    /** To the command alone, not to what it started. */
    stopAlone: (signal: NodeJS.Signals) => child.kill(signal),
    seen,
  }
}

/** Watches the output of a process, its end, and when a text is printed. */
export function watch(child: ChildProcess) {
  const printed = { stdout: '', stderr: '', output: '' }
  const waiting: (() => void)[] = []
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk) => {
      printed[name] += chunk
      printed.output += chunk
      for (const look of waiting) look()
    })
  }
  const finished = new Promise<{ code: number | null } & typeof printed>((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, ...printed }))
  })
  /** Resolves when a text was printed; rejects when the program ends before. */
  const seen = (text: string | RegExp): Promise<void> => {
    const there = new Promise<void>((resolve) => {
      const isThere = () => (typeof text === 'string' ? printed.output.includes(text) : text.test(printed.output))
      const look = () => {
        if (isThere()) resolve()
      }
      waiting.push(look)
      look()
    })
    const ended = () => Promise.reject(new Error(`It ended before it printed "${text}":\n${printed.output}`))
    return Promise.race([there, finished.then(ended)])
  }
  return { printed, finished, seen }
}
