import process from 'node:process'
// In your own project: from 'edgetill'.
import {
  type ClientConfig,
  configFromEnv,
  type EdgetillError,
  isConfigError,
  isOutcomeUnknownError,
} from '../src/index.ts'

// Settings of the scripts in this folder, which run unchanged on Node, Deno and Bun.

/** The client's configuration from EDGETILL_* variables. Deno also needs their names in --allow-env. */
export function settings(): ClientConfig {
  try {
    return { ...configFromEnv(process.env), onWarning: ({ message }) => console.error(`Note: ${message}`) }
  } catch (error) {
    if (!isConfigError(error)) throw error
    console.error(error.message)
    process.exit(2)
  }
}

/** Runs a script with its arguments. A failure prints one sentence and sets the exit code. */
export async function run(usage: string, min: number, main: (...args: string[]) => Promise<void>): Promise<void> {
  const args = process.argv.slice(2)
  if (args.length < min) {
    console.error(`Usage: ${usage}`)
    process.exit(2)
  }
  try {
    await main(...args)
  } catch (error) {
    console.error((error as EdgetillError).message)
    // Only after this failure can trying again move money twice.
    if (isOutcomeUnknownError(error)) console.error('Do not repeat this command before you know the outcome.')
    process.exitCode = 1
  }
}
