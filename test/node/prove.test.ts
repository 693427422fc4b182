import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CAUSES } from '../../src/testing/prove/causes.ts'
import { prove } from '../../src/testing/prove/index.ts'
import { SEED } from '../support/property.ts'
import { Document } from './support/document.ts'
import { freePort } from './support/free-port.ts'
import { type Running, startCommand, startWith } from './support/process.ts'
import { load, writeProgram } from './support/program.ts'
import { root } from './support/runtimes.ts'
import { blocks } from './support/snippets.ts'

// Shops in PHP and Python, and those of the guide. Needs php-cli and python3; without them the file fails.

const folder = mkdtempSync(join(tmpdir(), 'edgetill-prove-'))
const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing) await close()
  rmSync(folder, { recursive: true, force: true })
})

// The programs have no shop that is wrong in one of these ways.
const BUGS = ['right', ...Object.keys(CAUSES)].filter(
  (bug) => !/^(dedupes_by_body|not_atomic|order_matters)$/.test(bug),
)

const PROGRAMS: Record<string, (port: number, state: string) => [command: string, words: string[]]> = {
  Python: (port, state) => ['python3', [join(root, 'test/node/prove/shop.py'), state, String(port)]],
  PHP: (port) => ['php', ['-q', '-S', `127.0.0.1:${port}`, join(root, 'test/node/prove/shop.php')]],
}

describe.each(Object.entries(PROGRAMS))('a shop in %s', (language, program) => {
  const state = mkdtempSync(join(folder, `${language}-`))
  let port = 0
  let running: Running
  const start = (): void => {
    running = startCommand(...program(port, state), { env: { FOLDER: state } })
  }
  const kill = async (): Promise<void> => {
    running.stop('SIGKILL')
    await running.finished
  }
  const listening = async (): Promise<void> => {
    const deadline = Date.now() + 10_000
    while (!(await fetch(`http://127.0.0.1:${port}/right/orders/none`).catch(() => false))) {
      if (Date.now() > deadline) throw new Error(`The shop in ${language} does not start.`)
    }
  }
  beforeAll(async () => {
    port = await freePort()
    start()
    closing.push(kill)
    await listening()
  })

  it.each(BUGS)('%s', { timeout: 120_000 }, async (bug) => {
    const origin = `http://127.0.0.1:${port}/${bug}`
    const { findings } = await prove({
      url: `${origin}/webhooks`,
      state: `${origin}/orders/{order_id}`,
      create: `${origin}/orders`,
      settleMs: bug === 'stores_after_answer' ? 150 : 0,
      seed: SEED,
      orders: 80,
      kinds: ['paid', 'three_d_secure', 'retried', 'refunded'],
      ...(bug === 'stores_after_answer' && { orders: 20, restart: () => kill().then(start) }),
    })
    expect([SEED, ...new Set(findings.map(({ cause }) => cause))]).toEqual([SEED, ...(bug === 'right' ? [] : [bug])])
    for (const { story } of findings) expect(story.length).toBeLessThanOrEqual(8)
  })
})

describe('guides/prove.md', () => {
  const guide = new Document('guides/prove.md')
  const shops = [...guide.text.matchAll(/^```ts\n\/\/ (\w+\.ts)\n[\s\S]*?^```$/gm)].map(([block, file = '']) => ({
    file,
    code: block.replaceAll(/^```.*$/gm, ''),
  }))
  const [, , attack = ''] = blocks('guides/prove.md', 'sh').map(({ code }) => code)
  const verdicts = /SHIPPED TWICE|PAID BUT NOT SHIPPED|REFUND COUNTED TWICE|ANOTHER AMOUNT WAS TAKEN FOR THE PRICE/g

  it.each(shops)('$file gets the verdict that the guide shows', { timeout: 60_000 }, async ({ file, code }) => {
    const port = await freePort()
    const outfile = join(root, 'test-output', `prove-${process.pid}-${file}.mjs`)
    const listen = `app.listen(${port}, () => console.log('Listening'))`
    await writeProgram(code.replace('app.listen(3000)', listen), outfile, root)
    const shop = startWith({ EDGETILL_API_SECRET: 'test-secret' }, 'node', outfile)
    closing.push(async () => {
      shop.stop('SIGKILL')
      await shop.finished
      rmSync(outfile)
    })
    await shop.seen('Listening')
    const line = attack.replaceAll('3000', String(port)).replace('npx edgetill', 'node src/cli/main.ts')
    const command = line.replace('report.html', join(folder, file))
    const { code: exit, output } = await startCommand('sh', ['-c', command]).finished
    const found = new Set(output.match(verdicts))
    expect(found.size, output).toBe(file === 'shop.ts' ? new Set(guide.text.match(verdicts)).size : 0)
    expect(exit, output).toBe(file === 'shop.ts' ? 1 : 0)
  })

  it('has a test of a shop in the same process that passes', async () => {
    await load(guide.program('In a test'))
  })
})
