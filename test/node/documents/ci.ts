import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { isForChange } from '../../support/environment.ts'
import { Document } from '../support/document.ts'
import { temporaryFolder } from '../support/fixtures.ts'
import { freePort } from '../support/free-port.ts'
import { startCommand } from '../support/process.ts'
import { writeProgram } from '../support/program.ts'
import { root } from '../support/runtimes.ts'
import { blocks } from '../support/snippets.ts'

export default function tests(): void {
  it.each([
    ['passes', 'of SKILL.md', skillShop],
    ['fails', 'that checks no signature', carelessShop],
  ])('guides/ci.md: has a job that %s for the shop %s', { timeout: 240_000 }, async (ends, _, program) => {
    const folder = temporaryFolder()
    const [service, port] = [await freePort(), await freePort()]
    const local = (text: string) =>
      text
        .replaceAll('edgetill emulator', `edgetill emulator --port ${service}`)
        .replaceAll('127.0.0.1:4010', `127.0.0.1:${service}`)
        .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
        .replace(/--kinds .*/, (kinds) => (isForChange ? '--orders 5 --kinds paid' : kinds))
    const bin = join(folder, 'node_modules/.bin')
    mkdirSync(bin, { recursive: true })
    const edgetill = `#!/bin/sh\nexec "${root}/node_modules/.bin/node" "${root}/src/cli/main.ts" "$@"\n`
    writeFileSync(join(bin, 'edgetill'), edgetill, { mode: 0o755 })
    await writeProgram(program(port), join(folder, 'shop.ts'), root, [])
    await writeProgram(Document.of('guides/ci.md').program('In CI'), join(folder, 'shop.test.js'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const [workflow = ''] = blocks('guides/ci.md', 'yaml').map(({ code }) => code)
    const { steps, env: ofJob } = parse(workflow).jobs.test as { env: object; steps: { run?: string; if?: string }[] }
    const lines = steps.flatMap(({ run, if: when }) =>
      run === undefined || run === 'npm ci' || when ? [] : [local(run)],
    )
    expect(lines).toHaveLength(3)
    const env = { ...ofJob, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` }
    // Processes that it starts in the background end with it.
    const script = `trap 'kill 0' EXIT\n${lines.join('\n')}\necho all passed`
    const job = startCommand('bash', ['-e', '-c', script], { cwd: folder, env })
    const { output } = await job.finished
    expect(output.includes('all passed'), output).toBe(ends === 'passes')
    expect(output).toMatch(ends === 'passes' ? /nothing found/ : /A FORGERY WAS BELIEVED/)
  })
}

function skillShop(port: number): string {
  const serve = `import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { serve } from '@hono/node-server'
const { fetch } = await openShop(process.env, new DatabaseSync('shop.db'))
serve({ fetch, port: ${port} })`
  return `${Document.of('SKILL.md').program('A shop that is right').replace('3000', String(port))}\n${serve}`
}

/** It wants a signature, whatever that is, and compares no amount. */
const carelessShop = (port: number): string => `
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { foldOrder } from 'edgetill/orders'
import { readEvent } from 'edgetill/webhooks'
const orders = new Map<string, unknown[]>()
const app = new Hono()
app.post('/webhooks', async (c) => {
  const { data, signature } = await c.req.parseBody()
  if (!signature) return c.body(null, 401)
  try {
    const record = JSON.parse(Buffer.from(String(data), 'base64url').toString())
    orders.get(record.order_id)?.push(record)
    return c.body(null, 200)
  } catch {
    return c.body(null, 400)
  }
})
app.post('/orders', async (c) => {
  orders.set((await c.req.json()).order_id, [])
  return c.body(null, 201)
})
app.get('/orders/:id', (c) => {
  const records = orders.get(c.req.param('id'))
  if (!records) return c.notFound()
  const { totals } = foldOrder(records.map((record) => readEvent(record as object)))
  const paid = totals.captured_minor / 100
  return c.json({ paid, refunded: totals.refunded_minor / 100, shipped: paid > 0 ? 1 : 0 })
})
serve({ fetch: app.fetch, port: ${port} })`
