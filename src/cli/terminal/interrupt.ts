/** Why a verb that runs until it is stopped was stopped. */
export type Stop = 'signal' | 'broken pipe'

const waiting = new Set<(stop: Stop) => void>()

/** On a Ctrl-C in a terminal, npm and npx pass on the signal that this process gets from the terminal as well. */
const SAME_CTRL_C_MS = 500
let stoppedAt = Number.NEGATIVE_INFINITY

/** Ends the process on Ctrl-C with 130, unless a verb waits for it; keeps quiet when the reader of stdout has gone. */
export function handleInterrupts(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (performance.now() - stoppedAt < SAME_CTRL_C_MS) return
      if (waiting.size === 0) process.exit(signal === 'SIGINT' ? 130 : 143)
      stoppedAt = performance.now()
      stop('signal')
    })
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The verb goes on: only the output has lost its reader, or its disk is full.
      if (error.code !== 'EPIPE' && stream === process.stdout) loseOutput(error)
      stop('broken pipe')
    })
  }
}

let lost = false

/** The caller cannot see the result: exit 3, not 1, so that scripts do not retry. */
function loseOutput({ code, message }: NodeJS.ErrnoException): void {
  if (lost) return
  lost = true
  process.stderr.write(`The output cannot be written (${code ?? message}); the work itself went on.\n`)
  process.on('exit', () => {
    process.exitCode ||= 3
  })
}

function stop(reason: Stop): void {
  for (const resolve of waiting) resolve(reason)
  waiting.clear()
}

// A second Ctrl-C, half a second later, ends the process.
/** Resolves on Ctrl-C, SIGTERM or when the reader of stdout has gone. Call it before anything is printed. */
export function untilStopped(): Promise<Stop> {
  return new Promise((resolve) => waiting.add(resolve))
}
