import { createClient } from '../../client/client.ts'
import type { Client } from '../../client/client-methods.ts'
import type { ClientConfig } from '../../config.ts'
import type { Warning } from '../../hooks.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Use } from '../terminal/verb.ts'
import { configOf, readSettings, type SERVICE_OPTIONS, type ServiceFlags } from './configuration.ts'

export interface Session {
  config: ClientConfig
  client: Client
  terminal: Terminal
  json: boolean
  signal: AbortSignal
  wait<T>(call: Promise<T>): Promise<T>
}

/** Reads the configuration. @throws {UsageError} when it is incomplete or wrong. */
export async function openSession(use: Use<typeof SERVICE_OPTIONS, unknown>): Promise<Session> {
  const { terminal, flags, fetch } = use
  const settings = await readSettings(flags, use.environment)
  const config: ClientConfig = { ...configOf(settings, flags), fetch, ...hooksOf(flags, terminal) }
  const { signal } = use
  const wait = <T>(call: Promise<T>) => call.finally(terminal.progress('Waiting for the service'))
  return { config, client: createClient(config), terminal, json: flags.json ?? false, signal, wait }
}

/** Prints warnings, and with `--verbose` each request and response: the hooks see no header and no body. */
export function hooksOf({ verbose }: ServiceFlags, terminal: Terminal): Partial<ClientConfig> {
  const onWarning = ({ message }: Warning): void => terminal.err(`Warning: ${message}`)
  if (!verbose) return { onWarning }
  return {
    onWarning,
    onRequest: ({ method, path, attempt }) =>
      terminal.err(`> ${method} ${path}${attempt > 1 ? ` (attempt ${attempt})` : ''}`),
    onResponse: ({ status, durationMs, requestId }) => {
      const id = requestId === undefined ? '' : ` (request ${requestId})`
      terminal.err(`< ${status} after ${Math.round(durationMs)} ms${id}`)
    },
    onRetry: ({ delayMs }) => terminal.err(`… again in ${Math.round(delayMs)} ms`),
  }
}
