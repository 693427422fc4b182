import { LOOPBACK } from '../../config.ts'

/** Whether a host, or the host of an address, is this machine: `::1`, `http://127.0.0.1:4010`. */
export function isLoopback(host: string): boolean {
  const name = URL.canParse(host) ? new URL(host).hostname : host
  return LOOPBACK.test(name.includes(':') && !name.startsWith('[') ? `[${name}]` : name)
}
