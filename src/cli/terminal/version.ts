import { readFileSync } from 'node:fs'

declare const EDGETILL_VERSION: string

/** The package's version. The build writes it in (tsup.config.ts), so that Deno needs no permission to read a file. */
export function version(): string {
  if (typeof EDGETILL_VERSION === 'string') return EDGETILL_VERSION
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
