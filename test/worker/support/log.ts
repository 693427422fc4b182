import { expect } from 'vitest'
import { log, ORDER } from './world.ts'

/** The log of the worker has neither a credential nor anything of the customer. */
export function expectNoSecretInLog(): void {
  const text = log
    .flat()
    .map((part) =>
      part instanceof Error ? `${part.stack} ${String(part.cause)} ${JSON.stringify(part)}` : String(part),
    )
  expect(text.length).toBeGreaterThan(10)
  const secrets = ['emulator-api-', 'emulator-endpoints', 'link secret', 'admin-token']
  for (const secret of [...secrets, ORDER.customer_email, ORDER.customer_phone])
    expect(text.filter((line) => line.includes(secret))).toEqual([])
}

/**
 * The log of one order. A worker that died in another test while it waited for the service says so when the
 * call's real time limit has passed. Under Bun a line of another file may be among them.
 */
export function linesOf(order_id: string): { kind: string; order_id: string }[] {
  const lines = log.map(([line]) => String(line)).filter((line) => line.startsWith('{'))
  return lines.map((line) => JSON.parse(line)).filter((line) => line.order_id === order_id)
}
