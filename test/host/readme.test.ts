import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it, vi } from 'vitest'
import { serveOnNode } from '../../src/cli/serve-node.ts'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { signWebhook } from '../../src/webhooks/index.ts'
import { root } from './support/runtimes.ts'

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const programs = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code ?? '')

/** Runs a program of the README as it stands, `edgetill` being this checkout. */
async function load(code: string): Promise<Record<string, unknown>> {
  const { outputFiles } = await build({
    stdin: { contents: code, loader: 'ts', resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    alias: {
      edgetill: join(root, 'src/index.ts'),
      'edgetill/emulator': join(root, 'src/emulator/index.ts'),
    },
  })
  const text = outputFiles[0]?.text ?? ''
  return import(/* @vite-ignore */ `data:text/javascript;base64,${btoa(unescape(encodeURIComponent(text)))}`)
}

describe('the programs of the README', () => {
  it('are two', () => {
    expect(programs).toHaveLength(2)
  })

  it('the complete program starts as it stands, and refuses what is not signed', async () => {
    const program = (await load(programs[0] ?? '')).default as { fetch(request: Request): Promise<Response> }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = signWebhook({ method: 'refund' }, 'somebody else').body
    const post = (secret: string) =>
      program.fetch(
        new Request('https://shop.example.com/webhooks', {
          method: 'POST',
          headers,
          body: secret === '' ? body : signWebhook({ method: 'loyalty' }, secret).body,
        }),
      )
    expect((await post('')).status).toBe(401)
    const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
    expect((await post('your-api-secret')).status).toBe(200)
    logged.mockRestore()
  })

  it('the complete program sends the customer to the checkout, accepts a genuine webhook and refuses a changed one', async () => {
    let emulator: Emulator | undefined
    const served = await serveOnNode(async (request) => (await emulator?.fetch(request)) ?? new Response(), { port: 0 })
    try {
      emulator = createEmulator({ origin: served.origin })
      const { baseUrl, posId, apiKey, apiSecret, endpointsKey } = emulator.credentials
      const code = (programs[0] ?? '')
        .replace('https://pay.example.com', baseUrl)
        .replace('3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11', posId)
        .replace('your-api-key', apiKey)
        .replace('your-api-secret', apiSecret)
        .replace('your-endpoints-key', endpointsKey)
      const program = (await load(code)).default as { fetch(request: Request): Promise<Response> }

      const paying = await program.fetch(new Request('https://shop.example.com/pay'))
      expect(paying.status).toBe(303)
      expect(paying.headers.get('location')).toMatch(/\/api\/v1\/checkout\/[^/]+\/form$/)

      const post = (body: string) =>
        program.fetch(
          new Request('https://shop.example.com/webhooks', {
            method: 'POST',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body,
          }),
        )
      const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
      const { body } = signWebhook({ method: 'loyalty', order_id: 'A-1' }, apiSecret)
      expect((await post(body)).status).toBe(200)
      expect(logged).toHaveBeenCalledWith({ method: 'loyalty', order_id: 'A-1' })
      logged.mockRestore()
      expect((await post(body.replace('data=e', 'data=f'))).status).toBe(401)
    } finally {
      await served.close()
    }
  })

  it('the emulator program prints what it says', async () => {
    const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
    await load(programs[1] ?? '')
    expect(logged).toHaveBeenCalledWith('success', 100)
    logged.mockRestore()
  })
})
