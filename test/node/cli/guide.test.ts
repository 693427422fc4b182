import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { VERBS } from '../../../src/cli/commands/verbs.ts'
import { type ServedEmulator, serveEmulator } from '../../../src/cli/service/serve-emulator.ts'
import { flagOf } from '../../../src/cli/terminal/verb.ts'
import { variablesOf } from '../../../src/emulator/control/pages/connect.ts'
import { pay } from '../../../src/testing/index.ts'
import { createWebhookHandler } from '../../../src/webhooks/index.ts'
import { Document } from '../support/document.ts'
import { temporaryFolder } from '../support/fixtures.ts'
import { type Around, type Ran, runVerb } from '../support/verb.ts'

const TITLE = 'Payments and orders'
const guide = new Document('guides/command-line.md')
let served: ServedEmulator
const envFile = join(temporaryFolder(), 'emulator.env')

beforeAll(async () => {
  served = await serveEmulator({}, { webhookUrl: 'http://127.0.0.1:9/' })
  writeFileSync(envFile, variablesOf(served.emulator.credentials).join('\n'))
  return () => served.close()
})

/** Runs a line of the guide. */
async function run(line: string, addresses: string[]): Promise<Ran> {
  const [npx, edgetill, name = '', ...words] = line.split(' ')
  expect([npx, edgetill]).toEqual(['npx', 'edgetill'])
  const verb = await VERBS[name]?.()
  if (!verb) throw new Error(`The guide has an unknown verb ${name}.`)
  const own = words.map((word) => (word === 'emulator.env' ? envFile : word))
  const receive = createWebhookHandler({ secrets: 'secret', onEvent() {}, onRejected() {} })
  const fetch: Around['fetch'] = (input, init) =>
    String(input).startsWith('https://shop.') ? receive(new Request(input, init)) : globalThis.fetch(input, init)
  return await runVerb(verb, own, { fetch, lookup: async () => addresses })
}

describe(`guides/command-line.md, "${TITLE}"`, () => {
  it('shows what works, line by line', async () => {
    const lines = [...guide.section(TITLE).matchAll(/^npx .*$/gm)].map(([line]) => line)
    const shown: Record<string, string> = {}
    for (const line of lines) {
      const ran = await run(line, ['93.184.215.14'])
      expect(ran, line).toMatchObject({ code: 0 })
      const name = line.split(' ')[2] ?? ''
      shown[name] = ran.out
      if (name === 'payment') await pay(ran.out.trim())
    }
    expect(Object.keys(shown)).toEqual(['doctor', 'payment', 'capture', 'refund', 'order', 'resend', 'balances'])
    expect(shown.doctor).toMatch(/^ok +webhook address: shop.example.com is public$/m)
    expect(shown.doctor).toMatch(/^ok +webhook receiver: responded 401 to an unsigned form/m)
    expect(shown.capture).toContain('80.25 UAH')
    expect(JSON.parse(shown.refund ?? '')).toMatchObject({ status: 'success', amount: 20 })
    expect(shown.order).toContain('authorized 100.50 UAH, captured 80.25 UAH, refunded 20.00 UAH')
  })

  it('names options that exist', async () => {
    const named = [...guide.section(TITLE).matchAll(/`(--[a-z-]+)/g)].map(([, option]) => option ?? '')
    expect(named.length).toBeGreaterThan(4)
    const verbs = await Promise.all(['capture', 'payment', 'link', 'doctor'].map((name) => VERBS[name]?.()))
    const known = verbs.flatMap((verb) => Object.keys(verb?.options ?? {}).map(flagOf))
    for (const option of named) expect(known).toContain(option)
  })
})
