#!/usr/bin/env node
// The `edgetill` command. Exit codes: src/cli/terminal/errors.ts.

import { readFileSync, writeSync } from 'node:fs'

declare const EDGETILL_VERSION: string

const words = process.argv.slice(2)
if (words.length === 1 && (words[0] === '--version' || words[0] === '-v')) printVersion()
else {
  const [{ handleInterrupts }, { run }] = await Promise.all([
    import('./terminal/interrupt.ts'),
    import('./commands/program.ts'),
  ])
  handleInterrupts()
  const code = await run(words, version())
  if (code !== 0) process.exitCode = code
}

/** Without a parser and without streams it takes hardly longer than an empty process. */
function printVersion(): void {
  try {
    writeSync(1, `edgetill ${version()}\n`)
  } catch {
    // stdout was closed (EPIPE).
  }
}

/** The build writes the version in (tsup.config.ts), so that Deno needs no permission to read a file. */
function version(): string {
  if (typeof EDGETILL_VERSION === 'string') return EDGETILL_VERSION
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
