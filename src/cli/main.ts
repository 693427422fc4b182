#!/usr/bin/env node
// The `edgetill` command. Exit codes: 0 done, 1 rejected or failed, 2 wrong usage.

import { readFile } from 'node:fs/promises'
import { suggestion } from '../emulator/parse-input.ts'
import { emulatorCommand } from './commands/emulator.ts'
import { UsageError } from './usage.ts'

const COMMANDS: Record<string, { summary: string; run: (words: string[]) => Promise<void> }> = {
  emulator: { summary: 'serve an emulator of the payment service on loopback', run: emulatorCommand },
}

const HELP = `Usage: edgetill COMMAND [options]

Commands
${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  .join('\n')}

edgetill COMMAND --help shows a command's options.`

/** From package.json, which lies beside `dist` as well as above `src`. */
async function version(): Promise<string> {
  for (const path of ['../package.json', '../../package.json']) {
    const text = await readFile(new URL(path, import.meta.url), 'utf8').catch(() => undefined)
    if (text !== undefined) return `edgetill ${(JSON.parse(text) as { version: string }).version}`
  }
  throw new Error('package.json is missing.')
}

const [name, ...words] = process.argv.slice(2)
if (name === '--version' || name === '-v') {
  console.log(await version())
} else if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
  console.log(HELP)
  process.exitCode = name === undefined ? 2 : 0
} else {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  try {
    if (!command) throw new UsageError(`There is no command "${name}".${suggestion(name, Object.keys(COMMANDS))}`, HELP)
    await command.run(words)
  } catch (error) {
    const usage = error instanceof UsageError
    console.error(error instanceof Error ? error.message : String(error))
    if (usage) console.error(`\n${error.help}`)
    process.exitCode = usage ? 2 : 1
  }
}
