import process from 'node:process'
// In your own project: from 'edgetill'.
import { type ClientConfig, type EdgetillError, isOutcomeUnknownError } from '../src/index.ts'

// What the scripts in this folder share. All of them run unchanged on Node, Deno and Bun.

/** A required variable. Deno also needs it in --allow-env. */
function variable(name: string): string {
  const value = process.env[name]
  if (value) return value
  console.error(`Set ${name}: the merchant portal shows it.`)
  process.exit(2)
}

/** The client's configuration from the environment; the SDK itself never reads the environment. */
export function settings(): ClientConfig {
  return {
    baseUrl: variable('EDGETILL_BASE_URL'),
    apiUrl: variable('EDGETILL_API_URL'),
    posId: variable('EDGETILL_POS_ID'),
    apiKey: variable('EDGETILL_API_KEY'),
    apiSecret: variable('EDGETILL_API_SECRET'),
    endpointsKey: variable('EDGETILL_ENDPOINTS_KEY'),
    scheme: process.env.EDGETILL_SCHEME ?? 'SVC',
    authentication: process.env.EDGETILL_AUTHENTICATION === 'plain' ? 'plain' : 'per-endpoint',
    onWarning: ({ message }) => console.error(`Note: ${message}`),
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
    // After this failure alone, trying again can move money twice.
    if (isOutcomeUnknownError(error)) console.error('Do not repeat this command before you know the outcome.')
    process.exitCode = 1
  }
}
