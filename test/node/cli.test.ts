import { describe, expect, it } from 'vitest'
import { serveOnNode } from '../../src/cli/serve-node.ts'
import { type Client, createClient } from '../../src/index.ts'
import { payment } from './programs/merchant.ts'
import { type Running, start, startOn } from './support/process.ts'

const edgetill = (...words: string[]) => start('src/cli/main.ts', ...words)

/** A client with what the command printed. */
function clientOf(emulator: Running): Client {
  const value = (name: string) => new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(emulator.output())?.[1] ?? ''
  return createClient({
    baseUrl: value('base_url'),
    apiUrl: value('api_url'),
    posId: value('posId'),
    apiKey: value('apiKey'),
    apiSecret: value('apiSecret'),
    endpointsKey: value('endpointsKey'),
  })
}

describe('edgetill', () => {
  it.each([
    ['nothing', [], 2, 'Usage: edgetill COMMAND'],
    ['--help', ['--help'], 0, 'Usage: edgetill COMMAND'],
    ['an unknown command', ['refund'], 2, 'There is no command "refund"'],
    ["a command's help", ['emulator', '--help'], 0, '--webhook-url URL'],
    ['an unknown option', ['emulator', '--prot', '1'], 2, "Unknown option '--prot'"],
    ['a port that is none', ['emulator', '--port', '70000'], 2, '--port takes a whole number from 0 to 65535'],
    ['a seed that is none', ['emulator', '--seed', 'x'], 2, '--seed takes a whole number'],
    ['an address that is none', ['emulator', '--webhook-url', 'shop'], 2, '--webhook-url takes an http(s) address'],
  ])('%s', async (_, words, code, text) => {
    const finished = await edgetill(...words).finished
    expect(finished.output).toContain(text)
    expect(finished.code).toBe(code)
  })
})

describe('edgetill emulator', () => {
  it('says what to do about a port that is taken', async () => {
    const { port, close } = await serveOnNode(() => new Response())
    const { code, output } = await edgetill('emulator', '--port', String(port)).finished
    await close()
    expect(output).toContain(`Port ${port} is taken`)
    expect(output).toContain('--port')
    expect(code).toBe(1)
  })

  it('prints addresses, credentials and test cards, serves them, and stops cleanly', async () => {
    const emulator = edgetill('emulator', '--port', '0')
    await emulator.seen('Ctrl-C stops it.')
    expect(emulator.output()).toMatch(/4000000000003220 +Asks for 3-D Secure/)
    expect((await clientOf(emulator).listAccounts()).length).toBeGreaterThan(0)
    emulator.stop('SIGINT')
    const { code, output } = await emulator.finished
    expect(output).toContain('Stopped.')
    expect(code).toBe(0)
  })

  it.each(['deno', 'bun'] as const)('is served on %s as well', async (runtime) => {
    const emulator = startOn(runtime, 'src/cli/main.ts', 'emulator', '--port', '0')
    await emulator.seen('Ctrl-C stops it.')
    const { checkout_id } = await clientOf(emulator).createPayment(payment('A-1'))
    expect(checkout_id).toMatch(/^emulator-/)
    emulator.stop('SIGINT')
    const { code, output } = await emulator.finished
    expect(output).toContain('Stopped.')
    expect(code).toBe(0)
  })

  it('gives the same ids for the same seed, others for another', async () => {
    const checkoutOf = async (seed: string) => {
      const emulator = edgetill('emulator', '--port', '0', '--seed', seed)
      await emulator.seen('Ctrl-C stops it.')
      const { checkout_id } = await clientOf(emulator).createPayment(payment('A-1'))
      emulator.stop('SIGTERM')
      await emulator.finished
      return checkout_id
    }
    const [first, again, other] = await Promise.all([checkoutOf('7'), checkoutOf('7'), checkoutOf('8')])
    expect(first).toBe(again)
    expect(first).not.toBe(other)
  })
})
