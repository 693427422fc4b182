import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { PROVE_OPTIONS } from '../../src/cli/service/prove-flags.ts'
import { prove, reportText } from '../../src/testing/prove/index.ts'
import { isLong } from '../support/environment.ts'
import { RACING, RIGHT, SAMPLE, WRONG } from './prove/shops.ts'
import { Document } from './support/document.ts'
import { folderInCheckout, temporaryFolder } from './support/fixtures.ts'
import { freePort } from './support/free-port.ts'
import { type Running, startCommand, startWith } from './support/process.ts'
import { load, writeProgram } from './support/program.ts'
import { root } from './support/runtimes.ts'
import { blocks } from './support/snippets.ts'

// Shops in three languages, and those of the guide. Needs php-cli, php-sqlite3 and python3, test:long python3-django: else it fails.

const folder = temporaryFolder()

const PROGRAMS: Record<string, (folder: string, port: number, shop: string) => [command: string, words: string[]]> = {
  Node: (folder, port, shop) => ['node', [join(root, 'test/node/prove/shop.mjs'), folder, String(port), shop]],
  Python: (folder, port, shop) => ['python3', [join(root, 'test/node/prove/shop.py'), folder, String(port), shop]],
  Django: (folder, port) => ['/usr/bin/python3', [join(root, 'test/node/prove/shop_django.py'), folder, String(port)]],
  PHP: (_, port) => ['php', ['-q', '-S', `127.0.0.1:${port}`, join(root, 'test/node/prove/shop.php')]],
}

/** A shop that is played against: it is killed and started again as often as prove wants. */
async function judge(language: string, shop: string, seed: number) {
  const state = mkdtempSync(join(folder, `${shop}-`))
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}${shop === 'right_behind_prefix' ? '/shop/pay' : ''}`
  let running: Running | undefined
  const start = async (): Promise<void> => {
    // One worker alone would never meet itself.
    const env = { FOLDER: state, MISTAKE: shop, PHP_CLI_SERVER_WORKERS: '4' }
    running = startCommand(...(PROGRAMS[language] as (typeof PROGRAMS)[string])(state, port, shop), { env })
    const deadline = Date.now() + 10_000
    while (!(await fetch(`${origin}/orders/none`).catch(() => false))) {
      if (Date.now() > deadline) throw new Error(`The shop in ${language} does not start.`)
    }
  }
  const kill = async (): Promise<void> => {
    const stopped = running
    running = undefined
    stopped?.stop('SIGKILL')
    await stopped?.finished
  }
  await start()
  const began = Date.now()
  const report = await prove({
    url: `${origin}/webhooks`,
    state: `${origin}/orders/{order_id}`,
    create: `${origin}/orders`,
    seed,
    orders: 100,
    restart: () => kill().then(start),
  })
  await kill()
  return { ...report, took: (Date.now() - began) / 1000 }
}

const played = (language: string, shop: string) => isLong || SAMPLE.split(', ').includes(`${language} ${shop}`)
const seeds = (shop: string) => Array.from({ length: isLong ? (RACING.test(shop) ? 20 : 3) : 1 }, (_, n) => n + 1)

const right = [...RIGHT, ...(isLong ? [['Django', 'right'] as const] : [])].filter((one) => played(...one))
describe.each(right)('a right shop in %s: %s', (language, shop) => {
  it.each(seeds(shop))('is never accused (seed %i)', { timeout: 300_000 }, async (seed) => {
    const report = await judge(language, shop, seed)
    expect(report.findings, reportText(report)).toEqual([])
  })
})

const wrong = Object.entries(WRONG).flatMap(([language, shops]) =>
  Object.entries(shops).map(([shop, cause]) => [language, shop, cause] as const),
)
describe.each(wrong.filter(([language, shop]) => played(language, shop)))(
  'a wrong shop in %s: %s',
  (language, shop, cause) => {
    it.each(seeds(shop))(`${cause} (seed %i)`, { timeout: 300_000 }, async (seed) => {
      const report = await judge(language, shop, seed)
      expect(new Set(report.findings.map((one) => one.cause)), reportText(report)).toEqual(new Set([cause]))
      for (const { story } of report.findings) expect(story.length).toBeLessThanOrEqual(8)
    })
  },
)

describe('guides/prove.md', () => {
  const guide = new Document('guides/prove.md')
  const shops = [...guide.text.matchAll(/^```ts\n\/\/ (\w+\.ts)\n[\s\S]*?^```$/gm)].map(([block, file = '']) => ({
    file,
    code: block.replaceAll(/^```.*$/gm, ''),
  }))
  const [, , attack = ''] = blocks('guides/prove.md', 'sh').map(({ code }) => code)
  const verdicts = /SHIPPED TWICE|A PAYMENT WAS LOST|REFUND COUNTED TWICE|ANOTHER AMOUNT WAS TAKEN FOR THE PRICE/g

  it.each(shops)('$file gets the verdict that the guide shows', { timeout: 60_000 }, async ({ file, code }) => {
    const port = await freePort()
    const outfile = join(folderInCheckout(), `${file}.mjs`)
    const listen = `app.listen(${port}, () => console.log('Listening'))`
    await writeProgram(code.replace('app.listen(3000)', listen), outfile, root)
    const shop = startWith({ EDGETILL_API_SECRET: 'test-secret' }, 'node', outfile)
    await shop.seen('Listening')
    const line = attack.replaceAll('3000', String(port)).replace('npx edgetill', 'node src/cli/main.ts')
    const command = line.replace('report.html', `${join(folder, file)} --stories ${folder}`)
    const { code: exit, output } = await startCommand('sh', ['-c', command]).finished
    const found = new Set(output.match(verdicts))
    expect(found.size, output).toBe(file === 'shop.ts' ? new Set(guide.text.match(verdicts)).size : 0)
    expect(exit, output).toBe(file === 'shop.ts' ? 1 : 0)
  })

  it('has a shop in plain PHP that bears all attacks', { timeout: 60_000 }, async () => {
    const [{ code = '' } = {}] = blocks('guides/prove.md', 'php')
    const port = await freePort()
    writeFileSync(join(folder, 'shop.php'), code)
    const words = ['-q', '-d', 'display_errors=0', '-S', `127.0.0.1:${port}`, 'shop.php']
    startCommand('php', words, { cwd: folder, env: { EDGETILL_API_SECRET: 'test-secret' } })
    const origin = `http://127.0.0.1:${port}`
    while (!(await fetch(`${origin}/orders/none`).catch(() => false)));
    const urls = { url: `${origin}/webhooks`, state: `${origin}/orders/{order_id}`, create: `${origin}/orders` }
    const report = await prove({ ...urls, apiSecret: 'test-secret', orders: 100 })
    expect(report.findings, reportText(report)).toEqual([])
  })

  it('has a workflow whose steps and options there are', () => {
    const [{ code = '' } = {}] = blocks('guides/prove.md', 'yaml')
    const { jobs } = parse(code) as { jobs: { prove: { steps: { run?: string }[] } } }
    const line = jobs.prove.steps.map(({ run = '' }) => run).find((run) => run.includes('edgetill prove')) ?? ''
    const flags = [...line.matchAll(/--([\w-]+)/g)].map(([, name = '']) => name).filter((name) => name !== 'yes')
    const known = Object.keys(PROVE_OPTIONS).map((name) => name.replaceAll(/[A-Z]/g, (one) => `-${one.toLowerCase()}`))
    expect(flags).toEqual(['url', 'state', 'create', 'junit', 'sarif', 'report'])
    expect(flags.filter((name) => !known.includes(name))).toEqual([])
  })

  it('has a test of a shop in the same process that passes', async () => {
    await load(guide.program('In a test'))
  })
})
