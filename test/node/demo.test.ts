import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from './support/fixtures.ts'
import { start } from './support/process.ts'
import { root } from './support/runtimes.ts'

/** A copy of what the shop consists of, with settings in it that cannot work. */
const folder = temporaryFolder()
for (const name of ['src', 'worker', 'examples', 'wrangler.toml', 'tsconfig.json', 'package.json']) {
  cpSync(join(root, name), join(folder, name), { recursive: true })
}
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
const WRONG = 'MODE=wrong\nAUTHENTICATION=wrong\nSENDER_CHECK=enforce\nAPI_SECRET_PREVIOUS=" "\nPUBLIC_ORIGIN=wrong\n'
for (const file of ['.dev.vars', '.env', '.env.local']) writeFileSync(join(folder, file), WRONG)

describe('npm run demo', { timeout: 60_000 }, () => {
  it('plays the day to its end, whatever .dev.vars and .env hold, and exits 0', async () => {
    const { code, output } = await start(join(folder, 'examples/shop/demo.ts')).finished
    expect(output).toContain('Every step passed')
    expect(output).toMatch(/POST \/webhooks +one byte of data changed +401/)
    expect(output).toMatch(/"status": "success"/)
    expect(output).toMatch(/POST \/api\/orders\/mugs-1001\/refund {2}50\.25 UAH +200 +refunded/)
    expect(output).toMatch(/50\.25 of 100\.50 UAH refunded/)
    expect(code).toBe(0)
  })

  it.each([
    ['worker-secret', /API_SECRET/],
    ['no-webhooks', /webhook "pending" was not accepted by the worker: .*switched off/],
  ])('exits 1 and says why with --break=%s', async (what, says) => {
    const { code, output } = await start('examples/shop/demo.ts', `--break=${what}`).finished
    expect(output).toMatch(says)
    expect(output).not.toContain('Every step passed')
    expect(code).toBe(1)
  })
})

it('npm run dev keeps a shop running, reloads the worker, and stops cleanly on Ctrl-C', {
  timeout: 60_000,
}, async () => {
  const dev = start(join(folder, 'examples/shop/dev.ts'))
  await dev.seen('Ctrl-C stops everything.')
  const [shop, health] = ['shop', 'worker'].map((name) => new RegExp(`${name} +(http:\\S+)`).exec(dev.output())?.[1])
  expect(await (await fetch(shop ?? '')).text()).toContain('<button type="submit">Pay')
  const paying = await fetch(new URL('/pay', shop), { method: 'POST', redirect: 'manual' })
  const checkout = await fetch(paying.headers.get('location') ?? '', { redirect: 'manual' })
  expect([paying.status, checkout.status]).toEqual([303, 303])
  expect(checkout.headers.get('location')).toMatch(/\/api\/v1\/checkout\/[^/]+\/form$/)
  await dev.seen('GET /checkout/')

  expect(await (await fetch(health ?? '')).text()).toContain('"status":"ok"')
  const file = join(folder, 'worker/index.ts')
  const text = readFileSync(file, 'utf8')
  expect(text).toContain('// Add your own routes')
  writeFileSync(file, text.replace('// Add your own routes', "app.get('/own', (c) => c.text('a route of mine'))\n//"))
  await dev.seen('Local server updated and ready')
  expect(await (await fetch(new URL('/own', health))).text()).toBe('a route of mine')
  dev.stop('SIGINT')
  const { code, output } = await dev.finished
  expect([code, output]).toEqual([0, expect.stringContaining('Stopped.')])
})
