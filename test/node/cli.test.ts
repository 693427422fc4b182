import { describe, expect, it } from 'vitest'
import { serveOnNode } from '../../src/cli/service/serve-node.ts'
import type { EmulatorOptions } from '../../src/emulator/index.ts'
import { createClient } from '../../src/index.ts'
import { start } from './support/process.ts'
import { runLine } from './support/verb.ts'

const edgetill = (...words: string[]) => start('src/cli/main.ts', ...words)

/** Calls the control API of a served emulator. */
const call = async (origin: string, name: string, body?: object): Promise<string> =>
  (await fetch(`${origin}/_emulator/api/${name}`, body && { method: 'POST', body: JSON.stringify(body) })).text()

const LIST = 'Usage: edgetill VERB'

describe('edgetill', () => {
  it.each([
    ['', 2, LIST],
    ['--help', 0, LIST],
    ['help', 0, LIST],
    ['--version', 0, 'edgetill 0.'],
    ['chargeback', 2, "unknown command 'chargeback'"],
    ['emulatr', 2, 'Did you mean emulator?'],
    ['emulator --help', 0, '--webhook-url URL'],
    ['help emulator', 0, '--webhook-url URL'],
    ['help emulatr', 2, 'Did you mean emulator?'],
    ['emulator --prot 1', 2, 'Did you mean --port?'],
    ['emulator now', 2, 'too many arguments'],
    ['emulator --port', 2, "option '--port <N>' argument missing"],
    ['emulator --port 70000', 2, 'It takes a whole number from 0 to 65535'],
    ['emulator --seed -1', 2, "'-1' is invalid. It takes a whole number"],
    ['emulator --webhook-url localhost:3000', 2, 'Did you mean http://localhost:3000?'],
    ['emulator --webhook-url ftp://shop', 2, 'It takes an http(s) address.\n'],
    ['emulator --port 0 --write-env /', 2, '--write-env / cannot be written'],
    ['emulator --port 0 --authentication plan', 2, 'Did you mean "plain"?'],
    ['emulator --port 0 --pos-id x', 2, 'posId: must be a UUID'],
    ['emulator --clock 2026-01-31T10:00:00', 2, 'It takes a time with its zone'],
    ['emulator --clock 2026-02-30', 2, 'It takes a time with its zone'],
    ['emulator --latency slow', 2, 'It takes milliseconds'],
    ['emulator --account Main', 2, 'It takes NAME:CURRENCY'],
  ])('%s', async (words, code, text) => {
    const ran = await runLine(...words.split(' ').filter(Boolean))
    expect(ran.output).toContain(text)
    expect(ran.code).toBe(code)
  })

  it.each([["--secret=my-'secret'\n"], ['my-secret'], ['--x', 'my-secret']])('does not repeat %j', async (...words) => {
    const { code, output } = await runLine('emulator', ...words)
    expect([code, output.includes('my-')]).toEqual([2, false])
  })
})

/** A flag for each option of createEmulator; a new option without one does not compile. Functions have none. */
const FLAGS: Record<Exclude<keyof EmulatorOptions, 'fetch' | 'signature' | 'onActivity' | 'strict'>, string[]> = {
  ...{ seed: ['--seed'], origin: ['--origin'], clock: ['--clock'], allowHosts: ['--allow-host'] },
  ...{ perturbations: ['--perturb'], captureContentType: ['--capture-content-type'], webhookUrl: ['--webhook-url'] },
  ...{ webhookHeaders: ['--webhook-header'], webhookTimeoutMs: ['--webhook-timeout'] },
  ...{ retryDelaysMs: ['--retry-delays'], maxCapturePercent: ['--max-capture-percent'] },
  ...{ authentication: ['--authentication'], customerFields: ['--customer-fields'] },
  ...{ hostedAuthResponse: ['--hosted-auth-response'], splitSum: ['--split-sum'] },
  ...{ expiry: ['--checkout-expiry', '--three-d-secure-expiry', '--authorization-expiry'], latencyMs: ['--latency'] },
  ...{ accounts: ['--account'], keepOrders: ['--keep-orders'] },
  ...{ credentials: ['--pos-id', '--api-key', '--api-secret', '--endpoints-key', '--scheme'] },
}

describe('edgetill emulator', () => {
  it.each(Object.values(FLAGS).flat())('has the flag %s, which takes a value', async (flag) => {
    expect((await runLine('emulator', '--help')).output).toContain(flag)
    expect((await runLine('emulator', flag)).output).toContain('argument missing')
  })

  it('says what to do about a port that is taken, unless more is wrong', async () => {
    const { port, close } = await serveOnNode(() => new Response())
    const taken = await runLine('emulator', '--port', `${port}`)
    const wrong = await runLine('emulator', '--port', `${port}`, '--authentication', 'plan')
    await close()
    expect(taken).toEqual({ code: 1, output: expect.stringMatching(new RegExp(`Port ${port} is taken.*--port`)) })
    expect(wrong).toEqual({ code: 2, output: expect.stringContaining('Did you mean "plain"?') })
  })

  it('takes every option of the emulator, and its own credentials without printing them', async () => {
    const posId = '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11'
    const emulator = edgetill(
      ...['emulator', '--port', '0', '--host', '0.0.0.0', '--clock', '2026-01-31T10:00:00Z', '--scheme', 'OTHER'],
      ...['--authentication', 'plain', '--customer-fields', 'required', '--pos-id', posId, '--api-secret', 'my-secret'],
      ...['--retry-delays', '1s,2m', '--webhook-timeout', '2s', '--webhook-header', 'X-A: b', '--latency', '0-2'],
      ...['--max-capture-percent', '100', '--hosted-auth-response', 'record', '--split-sum', 'exact'],
      ...['--checkout-expiry', '1d', '--account', 'Main:UAH:5:1', '--cards'],
    )
    await emulator.seen('Ctrl-C stops it.')
    const output = emulator.output()
    expect(output).toContain('Warning: listening on 0.0.0.0')
    const effect = /make this machine send requests to any address \(server_url, validation_url\) and read 16 kB/
    expect(output).toMatch(effect)
    expect(output).toContain('use --origin')
    expect(output).not.toContain('my-secret')
    expect(output).toMatch(/4000000000003220 +Asks for 3-D Secure/)
    const origin = /base_url +(\S+)/.exec(output)?.[1] ?? ''
    const client = createClient({
      ...{ baseUrl: origin, apiUrl: `${origin}/balances-api`, posId, scheme: 'OTHER', authentication: 'plain' },
      ...{ apiKey: 'emulator-api-key', apiSecret: 'my-secret', endpointsKey: 'emulator-endpoints-key' },
    })
    expect(await client.listAccounts()).toMatchObject([{ name: 'Main', currency: 'UAH', balances: { available: 5 } }])
    const control = async (name: string, body?: object) => JSON.parse(await call(origin, name, body))
    expect(await control('clock')).toEqual({ now: Date.UTC(2026, 0, 31, 10) })
    expect(await control('clock', { hours: 1 })).toEqual({ now: Date.UTC(2026, 0, 31, 11) })
    expect(await control('reset', {})).toEqual({ reset: true })
    expect(await control('clock')).toEqual({ now: Date.UTC(2026, 0, 31, 10) })
    emulator.stop('SIGTERM')
    expect(await emulator.finished).toEqual({ code: 0, output: expect.stringContaining('Stopped.') })
  })
})
