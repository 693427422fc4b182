import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './support/runtimes.ts'

interface Finished {
  code: number | null
  output: string
}

/** Starts a program of examples/shop; `seen` resolves when a text was printed. */
function start(program: string, ...words: string[]) {
  const child = spawn(join(root, 'node_modules/.bin/node'), [`examples/shop/${program}.ts`, ...words], { cwd: root })
  let output = ''
  const waiting: { text: string; resolve: () => void }[] = []
  const add = (chunk: unknown) => {
    output += chunk
    for (const { text, resolve } of waiting) if (output.includes(text)) resolve()
  }
  child.stdout.on('data', add)
  child.stderr.on('data', add)
  const finished = new Promise<Finished>((done) => child.on('close', (code) => done({ code, output })))
  return {
    finished,
    output: () => output,
    stop: (signal: NodeJS.Signals) => child.kill(signal),
    seen: (text: string) =>
      Promise.race([
        new Promise<void>((resolve) => (output.includes(text) ? resolve() : waiting.push({ text, resolve }))),
        finished.then(() => Promise.reject(new Error(`It ended before it printed "${text}":\n${output}`))),
      ]),
  }
}

describe('npm run demo', { timeout: 60_000 }, () => {
  it('plays the day to its end and exits 0', async () => {
    const { code, output } = await start('demo').finished
    expect(output).toContain('Every step held')
    expect(output).toMatch(/POST \/webhooks +one byte of data changed +401/)
    expect(output).toMatch(/"status": "success"/)
    expect(code).toBe(0)
  })

  it('exits 1 and says why when the worker has another secret than the service', async () => {
    const { code, output } = await start('demo', '--break=worker-secret').finished
    expect(output).toContain('API_SECRET')
    expect(output).not.toContain('Every step held')
    expect(code).toBe(1)
  })

  it('exits 1 and says why when the service sends no webhook', async () => {
    const { code, output } = await start('demo', '--break=no-webhooks').finished
    expect(output).toMatch(/webhook "pending" was not accepted by the worker: .*switched off/)
    expect(output).not.toContain('Every step held')
    expect(code).toBe(1)
  })
})

describe('npm run dev', { timeout: 60_000 }, () => {
  it('keeps a shop running, and stops cleanly on Ctrl-C', async () => {
    const dev = start('dev')
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
    dev.stop('SIGINT')
    const { code, output } = await dev.finished
    expect(output).toContain('Stopped.')
    expect(code).toBe(0)
  })
})
