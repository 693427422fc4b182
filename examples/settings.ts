import process from 'node:process'
// In a project of your own: from 'edgetill'.
import { type ClientConfig, type EdgetillError, isOutcomeUnknownError } from '../src/index.ts'

// What the scripts beside this file share. All of them run on Node, Deno and Bun as they are.

/** A variable that has to be there; Deno needs it named in --allow-env. */
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

/** Runs a script with its arguments; a failure is told in one sentence, and the exit code says so. */
export async function run(usage: string, least: number, main: (...words: string[]) => Promise<void>): Promise<void> {
  const words = process.argv.slice(2)
  if (words.length < least) {
    console.error(`Usage: ${usage}`)
    process.exit(2)
  }
  try {
    await main(...words)
  } catch (error) {
    console.error((error as EdgetillError).message)
    // The one failure after which simply trying again can move money twice.
    if (isOutcomeUnknownError(error)) console.error('Do not repeat this command before you have found out.')
    process.exitCode = 1
  }
}
