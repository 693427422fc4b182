import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { serveOnNode } from '../../src/cli/serve-node.ts'
import { FAULT_KINDS } from '../../src/emulator/faults/faults.ts'
import { createEmulator, type Emulator, type Fault, testCard } from '../../src/emulator/index.ts'
import { type Client, createClient } from '../../src/index.ts'
import { signWebhook } from '../../src/webhooks/index.ts'
import { DIRECT_AUTH } from '../support/inputs.ts'
import { load } from './support/program.ts'
import { root } from './support/runtimes.ts'
import { blocks } from './support/snippets.ts'

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const programs = blocks('README.md', 'ts').map(({ code }) => code)
const [COMPLETE = '', CHARGE = '', EMULATOR = ''] = programs

/** The text of a section, up to the next one. */
function section(title: string): string {
  const text = readme.split(/^## /m).find((part) => part.startsWith(`${title}\n`))
  if (text === undefined) throw new Error(`README.md has no section "${title}".`)
  return text
}

/** The first cells of a section's tables, without their heads. */
const firstCells = (title: string) =>
  [...section(title).matchAll(/^\| *([^|]*?) *\|.*$/gm)]
    .map(([, cell]) => cell as string)
    .filter((cell, index, all) => !/^-+:?$/.test(cell) && !/^-+:?$/.test(all[index + 1] ?? ''))

/** The literals of a union type in a source file. */
function literals(file: string, type: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const [, members = ''] = new RegExp(`type ${type} =\\s*([\\s\\S]*?)\\n\\n`).exec(text) ?? []
  return [...members.matchAll(/'(\w+)'/g)].map(([, literal]) => literal as string)
}

describe('the programs of the README', () => {
  it('are three', () => {
    expect(programs).toHaveLength(3)
  })

  it('the complete program starts as it stands, and refuses what is not signed', async () => {
    const program = (await load(COMPLETE)).default as { fetch(request: Request): Promise<Response> }
    const post = (secret: string) =>
      program.fetch(
        new Request('https://shop.example.com/webhooks', {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: signWebhook({ method: 'refund' }, secret).body,
        }),
      )
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    expect((await post('somebody else')).status).toBe(401)
    expect(warned).toHaveBeenCalledWith(expect.stringContaining('another secret'))
    warned.mockRestore()
    expect((await post('your-api-secret')).status).toBe(200)
  })

  it('the complete program sends the customer to the checkout, accepts a genuine webhook and refuses a changed one', async () => {
    let emulator: Emulator | undefined
    const served = await serveOnNode(async (request) => (await emulator?.fetch(request)) ?? new Response(), { port: 0 })
    try {
      emulator = createEmulator({ origin: served.origin })
      const { baseUrl, posId, apiKey, apiSecret, endpointsKey } = emulator.credentials
      const code = COMPLETE.replace('https://pay.example.com', baseUrl)
        .replace('3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11', posId)
        .replace('your-api-key', apiKey)
        .replace('your-api-secret', apiSecret)
        .replace('your-endpoints-key', endpointsKey)
      const program = (await load(code)).default as { fetch(request: Request): Promise<Response> }

      const paying = await program.fetch(new Request('https://shop.example.com/pay'))
      expect(paying.status).toBe(303)
      expect(paying.headers.get('location')).toMatch(/\/api\/v1\/checkout\/[^/]+\/form$/)
      // A browser asks for an icon as well, which must not create a second payment.
      expect((await program.fetch(new Request('https://shop.example.com/favicon.ico'))).status).toBe(404)
      const [order] = emulator.orders.list()
      expect(emulator.orders.list()).toHaveLength(1)

      const post = (body: string) =>
        program.fetch(
          new Request('https://shop.example.com/webhooks', {
            method: 'POST',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body,
          }),
        )
      const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
      const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
      const payment = { ...order?.payments[0], cc_token: 'a-token', status: 'success' }
      const { body } = signWebhook(payment, apiSecret)
      expect((await post(body)).status).toBe(200)
      expect(logged.mock.calls).toEqual([[order?.order_id, 'success', 100.5, 'UAH']])
      expect((await post(body.replace('data=e', 'data=f'))).status).toBe(401)
      expect(warned).toHaveBeenCalledTimes(1)
      logged.mockRestore()
      warned.mockRestore()
    } finally {
      await served.close()
    }
  })

  it('the capture tells each outcome apart', async () => {
    const { charge } = (await load(CHARGE)) as {
      charge: (client: Client, order_id: string, amount: number) => Promise<string>
    }
    const emulator = createEmulator()
    const client = createClient({ ...emulator.credentials, fetch: emulator.fetch, maxRetries: 0 })
    for (const name of ['success', 'capture_declined'] as const) {
      await client.createPayment({ ...DIRECT_AUTH, order_id: name, cc_number: testCard(name) })
    }
    const captures = () => emulator.orders.get('success')?.operations.length
    const struckBy = (fault: Fault) => {
      emulator.faults.next(fault)
      return charge(client, 'success', 10)
    }
    expect(await charge(client, 'success', 10)).toBe('captured 10')
    expect(await charge(client, 'capture_declined', 10)).toMatch(/^declined: \w+/)
    expect(await struckBy({ kind: 'too_many_requests' })).toBe('not executed: call again later')
    expect(captures()).toBe(1)
    expect(await struckBy({ kind: 'reset', when: 'after_commit' })).toMatch(
      /^ask before anything else: .*resendWebhook/,
    )
    expect(captures()).toBe(2)
    expect(await charge(client, 'nothing', 10)).toMatch(/^refused with 404: /)
    await expect(charge(client, 'success', 0)).rejects.toMatchObject({ code: 'invalid_input' })
    const { origin, close } = await serveOnNode(() => new Response())
    await close()
    const nowhere = createClient({ ...emulator.credentials, baseUrl: origin })
    expect(await charge(nowhere, 'success', 10)).toBe('not executed: call again later')
  })

  it('the emulator program prints what it says', async () => {
    const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
    await load(EMULATOR)
    const lines = logged.mock.calls.map((words) => words.join(' '))
    logged.mockRestore()
    const said = [...(/^It prints ([\s\S]*?)\. /m.exec(readme)?.[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, one]) => one)
    expect(said).toHaveLength(4)
    expect(lines).toEqual(said)
  })
})

describe('the tables of the README', () => {
  it('have a row for each endpoint, and no other', () => {
    // What both purchases share is no operation.
    const files = readdirSync(join(root, 'src/operations')).filter((file) => file !== 'purchase.ts')
    const names = files.map((file) =>
      file.replace(/\.ts$/, '').replace(/-\w/g, (letter) => letter.slice(1).toUpperCase()),
    )
    const rows = firstCells('Endpoints').map((cell) => /^`(\w+)\(/.exec(cell)?.[1])
    expect(rows.toSorted()).toEqual(names.toSorted())
  })

  it('have a row for each code of an error, and name each reason of a refusal', () => {
    const codes = literals('src/errors.ts', 'ErrorCode')
    expect(codes.length).toBeGreaterThan(6)
    expect(firstCells('Errors')).toEqual(codes.map((code) => `\`${code}\``))
    const reasons = literals('src/errors.ts', 'WebhookRefusal')
    expect(reasons.length).toBeGreaterThan(10)
    expect(reasons.filter((reason) => !section('Errors').includes(`\`${reason}\``))).toEqual([])
  })

  it('name every fault of the emulator', () => {
    expect(FAULT_KINDS.filter((kind) => !section('The emulator').includes(`\`${kind}\``))).toEqual([])
  })

  it('show requests that the served emulator takes', async () => {
    const emulator = createEmulator({ fetch: async () => new Response() })
    const { baseUrl } = emulator.credentials
    const client = createClient({ ...emulator.credentials, fetch: emulator.fetch })
    const server_url = 'https://shop.example.com/webhooks'
    await client.createPayment({ ...DIRECT_AUTH, order_id: 'A-1', cc_number: testCard('success'), server_url })
    await client.capturePayment({ order_id: 'A-1', order_currency: 'UAH' })
    const shown = [...section('The emulator').matchAll(/`(GET|POST) (\/_emulator\/api\/[^\s`]+)`(?: `(\{.*?\})`)?/g)]
    expect(shown).toHaveLength(7)
    for (const [, method = '', path = '', body] of shown) {
      const init = method === 'GET' ? {} : { method, body: body ?? '{}' }
      const { status } = await emulator.fetch(`${baseUrl}${path}`, init)
      expect([path, status]).toEqual([path, 200])
    }
  })

  it('compare with figures that were measured', () => {
    const compared = [...section('Compared with what else you could use').matchAll(/\b\d+\.\d+×?/g)].map(([one]) => one)
    expect(compared.length).toBeGreaterThan(8)
    const measured = section('Measured')
    expect(compared.filter((one) => one !== '1.0' && one !== '2.9' && !measured.includes(one))).toEqual([])
  })
})

it('the settings of "Scripts" are those of the emulator', () => {
  const [script = ''] = blocks('README.md', 'sh')
    .filter(({ code }) => code.includes('EDGETILL_'))
    .map(({ code }) => code)
  const set = Object.fromEntries([...script.matchAll(/(EDGETILL_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]))
  const { baseUrl, apiUrl, posId, apiKey, apiSecret, endpointsKey } = createEmulator({
    origin: 'http://127.0.0.1:4010',
  }).credentials
  expect(set).toMatchObject({
    EDGETILL_BASE_URL: baseUrl,
    EDGETILL_API_URL: apiUrl,
    EDGETILL_POS_ID: posId,
    EDGETILL_API_KEY: apiKey,
    EDGETILL_API_SECRET: apiSecret,
    EDGETILL_ENDPOINTS_KEY: endpointsKey,
  })
  const named = [...script.matchAll(/examples\/([\w-]+\.ts)/g)].map(([, file]) => file as string)
  expect(named).toHaveLength(3)
  expect(named.filter((file) => !readdirSync(join(root, 'examples')).includes(file))).toEqual([])
})
