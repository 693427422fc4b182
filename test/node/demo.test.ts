import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { start } from './support/process.ts'
import { root } from './support/runtimes.ts'

/** A copy of what the shop consists of, with settings in it that cannot work. */
const folder = mkdtempSync(join(tmpdir(), 'edgetill-demo-'))
for (const name of ['src', 'worker', 'examples', 'wrangler.toml', 'tsconfig.json', 'package.json']) {
  cpSync(join(root, name), join(folder, name), { recursive: true })
}
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
const WRONG = 'MODE=wrong\nAUTHENTICATION=wrong\nSENDER_CHECK=enforce\nAPI_SECRET_PREVIOUS=" "\nPUBLIC_ORIGIN=wrong\n'
for (const file of ['.dev.vars', '.env', '.env.local']) writeFileSync(join(folder, file), WRONG)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('npm run demo', { timeout: 60_000 }, () => {
  it('plays the day to its end and exits 0', async () => {
    const { code, output } = await start('examples/shop/demo.ts').finished
    expect(output).toContain('Every step passed')
    expect(output).toMatch(/POST \/webhooks +one byte of data changed +401/)
    expect(output).toMatch(/"status": "success"/)
    expect(output).toMatch(/POST \/api\/orders\/mugs-1001\/refund {2}50\.25 UAH +200 +refunded/)
    expect(output).toMatch(/50\.25 of 100\.50 UAH refunded/)
    expect(code).toBe(0)
  })

  it('is not disturbed by a .dev.vars or .env in the folder', async () => {
    const { code, output } = await start(join(folder, 'examples/shop/demo.ts')).finished
    expect(output).toContain('Every step passed')
    expect(code).toBe(0)
  })

  it('exits 1 and says why when the worker has another secret than the service', async () => {
    const { code, output } = await start('examples/shop/demo.ts', '--break=worker-secret').finished
    expect(output).toContain('API_SECRET')
    expect(output).not.toContain('Every step passed')
    expect(code).toBe(1)
  })

  it('exits 1 and says why when the service sends no webhook', async () => {
    const { code, output } = await start('examples/shop/demo.ts', '--break=no-webhooks').finished
    expect(output).toMatch(/webhook "pending" was not accepted by the worker: .*switched off/)
    expect(output).not.toContain('Every step passed')
    expect(code).toBe(1)
  })
})

describe('npm run dev', { timeout: 60_000 }, () => {
  it('stops cleanly on a Ctrl-C right after its start', async () => {
    const dev = start('examples/shop/dev.ts')
    await dev.seen('Ctrl-C stops everything.')
    dev.stop('SIGINT')
    const { code, output } = await dev.finished
    expect(output).toContain('Stopped.')
    expect(output).not.toContain('Error')
    expect(code).toBe(0)
  })

  it('reloads the worker when a file in worker/ changes, whatever .dev.vars holds', async () => {
    const dev = start(join(folder, 'examples/shop/dev.ts'))
    try {
      await dev.seen('Ctrl-C stops everything.')
      const health = /worker +(http:\S+)/.exec(dev.output())?.[1] ?? ''
      expect(await (await fetch(health)).text()).toContain('"status":"ok"')
      const file = join(folder, 'worker/index.ts')
      const text = readFileSync(file, 'utf8')
      expect(text).toContain('// Your own routes')
      writeFileSync(file, text.replace('// Your own routes', "app.get('/own', (c) => c.text('a route of mine'))\n//"))
      await dev.seen('Local server updated and ready')
      expect(await (await fetch(new URL('/own', health))).text()).toBe('a route of mine')
    } finally {
      dev.stop('SIGINT')
      await dev.finished
    }
  })

  it('keeps a shop running, and stops cleanly on Ctrl-C', async () => {
    const dev = start('examples/shop/dev.ts')
    await dev.seen('Ctrl-C stops everything.')
    const address = /shop +(http:\S+)/.exec(dev.output())?.[1] ?? ''
    const page = await fetch(address)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<button type="submit">Pay')
    const paying = await fetch(new URL('/pay', address), { method: 'POST', redirect: 'manual' })
    expect(paying.status).toBe(303)
    const checkout = await fetch(paying.headers.get('location') ?? '', { redirect: 'manual' })
    expect(checkout.status).toBe(303)
    expect(checkout.headers.get('location')).toMatch(/\/api\/v1\/checkout\/[^/]+\/form$/)
    await dev.seen('GET /checkout/')
    dev.stop('SIGINT')
    const { code, output } = await dev.finished
    expect(output).toContain('Stopped.')
    expect(code).toBe(0)
  })
})
