#!/usr/bin/env node
// The `edgetill` command. Exit codes: 0 done, 1 refused or failed, 2 wrong usage.

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

const [name, ...words] = process.argv.slice(2)
if (name === undefined || name === '--help' || name === '-h') {
  console.log(HELP)
  process.exitCode = name === undefined ? 2 : 0
} else {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  try {
    if (!command) throw new UsageError(`There is no command "${name}".`, HELP)
    await command.run(words)
  } catch (error) {
    const usage = error instanceof UsageError
    console.error(error instanceof Error ? error.message : String(error))
    if (usage) console.error(`\n${error.help}`)
    process.exitCode = usage ? 2 : 1
  }
}
