import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import ts from 'typescript'
import { afterAll, describe, expect, it } from 'vitest'
import { signWebhook } from '../../src/index.ts'
import { createApp } from '../../worker/app.ts'
import { payment } from '../worker/support/events.ts'
import { World } from '../worker/support/world.ts'
import { root } from './support/runtimes.ts'

const readme = readFileSync(join(root, 'worker/README.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'edgetill-worker-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The rows of the table whose first column has this title, as plain cells. */
function table(title: string): string[][] {
  const lines = readme.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${title} |`))
  if (start < 0) throw new Error(`worker/README.md has no table "${title}".`)
  const rows = lines.slice(start + 2)
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

const wrangler = (...words: string[]) =>
  spawnSync(join(root, 'node_modules/.bin/wrangler'), words, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false', NO_COLOR: '1' },
  })

describe('the key table of worker/README.md', () => {
  /** Everything that the worker ever writes, from a day in which everything happens. */
  async function written(): Promise<World['kv']['writes']> {
    let fails = true
    const world = new World({
      onEvent: () => {
        if (fails) throw new Error('not yet')
      },
    })
    const auth = await world.open(await world.link({ order_id: 'A-1', method: 'auth' }))
    await world.pay(auth)
    const event = payment('A-2')
    await world.deliver(event)
    fails = false
    await world.deliver(event)
    await world.advance(2_000)
    const capture = () =>
      world.api('/api/orders/A-1/capture', {
        method: 'POST',
        headers: { 'idempotency-key': 'k' },
        body: '{"charge_amount":1}',
      })
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
    expect((await capture()).status).toBe(502)
    await world.advance(2_000)
    expect((await capture()).status).toBe(200)
    await world.open(await world.link({ order_id: 'A-3' }))
    await world.get(`${world.emulator.orders.get('A-3')?.payments[0]?.result_url}&look=9`)
    expect((await world.post(signWebhook('[]', world.emulator.credentials.apiSecret).body)).status).toBe(200)
    return world.kv.writes
  }

  it('names every key that is written, with its metadata and its life, and no other', async () => {
    const rows = table('key').map(([key = '', , metadata = '', life = '']) => ({
      key,
      metadata,
      life,
      pattern: new RegExp(`^${key.replaceAll('`', '').replaceAll(/<[^>]+>/g, '[^/]+')}$`),
    }))
    const writes = await written()
    for (const { key, deleted, metadata, ttl } of writes) {
      const found = rows.filter(({ pattern }) => pattern.test(key))
      expect([key, found.length]).toEqual([key, 1])
      const [row] = found
      if (deleted) expect([key, row?.life]).toEqual([key, 'until it succeeds'])
      else expect([key, row?.metadata === 'none']).toEqual([key, metadata === undefined || metadata === null])
      const seconds = { '400 days': 400 * 86_400, '1 day': 86_400 }[row?.life ?? '']
      expect([key, ttl]).toEqual([key, seconds])
    }
    expect(rows.filter(({ pattern }) => !writes.some(({ key }) => pattern.test(key))).map(({ key }) => key)).toEqual([])
  })
})

describe('worker/README.md', () => {
  it('lists every route, and no other', () => {
    const documented = table('route').flatMap(([cell = '']) =>
      [...cell.matchAll(/`(\w+) ([^`?]+)/g)].map(([, verb, path]) => `${verb} ${path}`),
    )
    const routes = createApp()
      .routes.filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path}`)
    // The result page takes the form post of some payment pages too.
    expect([...documented, 'POST /return/:order_id'].sort()).toEqual([...new Set(routes)].sort())
  })

  it('deploys in five commands', () => {
    const commands = /## Deploy[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)?.[1]?.trim().split('\n') ?? []
    expect(commands).toHaveLength(5)
    expect(commands.at(-1)).toBe('npx wrangler deploy')
  })

  it('names every variable, secret and flag', () => {
    const env = readFileSync(join(root, 'worker/env.ts'), 'utf8')
    const names = [...(/interface Env \{([\s\S]*?)\n\}/.exec(env)?.[1] ?? '').matchAll(/^ {2}([A-Z_]+)\??:/gm)].map(
      ([, name]) => name as string,
    )
    expect(names.length).toBeGreaterThan(12)
    expect(names.filter((name) => !readme.includes(name))).toEqual([])
    const source = readFileSync(join(root, 'worker/store/order.ts'), 'utf8')
    const flags = [...(/type Flag = ([^\n]+)/.exec(source)?.[1] ?? '').matchAll(/'(\w+)'/g)].map(
      ([, flag]) => `\`${flag}\``,
    )
    expect(table('flag').map(([flag]) => flag)).toEqual(flags)
  })

  it('shows an order as it is', async () => {
    const world = new World()
    await world.open(await world.link({ order_id: 'A-1' }))
    await world.deliver(payment('A-1'))
    const shown = JSON.parse(/## An order\s+```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? '')
    const order = await world.order('A-1')
    expect(Object.keys(shown)).toEqual(Object.keys(order ?? {}))
    expect(Object.keys(shown.operations[0])).toEqual(Object.keys(order?.operations[0] ?? {}))
    expect(Object.keys(shown.totals)).toEqual(Object.keys(order?.totals ?? {}))
  })
})

describe('the worker’s files', () => {
  const files = readdirSync(join(root, 'worker'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )

  it('agree with wrangler.toml: what `wrangler types` says is what env.ts says', () => {
    const path = join(folder, 'env.d.ts')
    const run = wrangler(
      'types',
      path,
      '--include-runtime',
      'false',
      '--strict-vars',
      'false',
      '--env-file',
      '.dev.vars.example',
    )
    expect([run.status, run.stderr]).toEqual([0, ''])
    const generated = /interface __BaseEnv_Env \{([\s\S]*?)\n\}/.exec(readFileSync(path, 'utf8'))?.[1] ?? ''
    const members = (text: string) =>
      [...text.matchAll(/^\s*([A-Z_]+\??): (\w+);?$/gm)].map(([, name, type]) => `${name}: ${type}`).sort()
    const env = readFileSync(join(root, 'worker/env.ts'), 'utf8')
    const ours = members(/interface Env \{([\s\S]*?)\n\}/.exec(env)?.[1] ?? '')
    // Only there while a secret is being replaced, so that neither file sets it.
    expect([...members(generated), 'API_SECRET_PREVIOUS?: string'].sort()).toEqual(ours)
  })

  it('use web standards alone', () => {
    for (const file of files) {
      const text = readFileSync(join(root, 'worker', file), 'utf8')
      expect([file, /from 'node:|\bprocess\.|\bBuffer\b|\brequire\(/.test(text)]).toEqual([file, false])
      expect([file, text.split('\n').length <= 270]).toEqual([file, true])
    }
  })

  it('make a bundle of at most 40 kB, compressed', () => {
    const run = wrangler('deploy', '--dry-run', '--outdir', folder)
    expect([run.status, run.stderr]).toEqual([0, ''])
    const bundle = readFileSync(join(folder, 'index.js'))
    expect(statSync(join(folder, 'index.js')).size).toBeGreaterThan(10_000)
    expect(gzipSync(bundle).length).toBeLessThanOrEqual(40 * 1024)
  }, 60_000)

  it('have examples that compile', () => {
    const snippets = new Map<string, string>()
    for (const file of files) {
      const text = readFileSync(join(root, 'worker', file), 'utf8')
      for (const [comment] of text.matchAll(/\/\*\*[\s\S]*?\*\//g)) {
        const code = comment.replace(/\s*\*\/$/, '').split(/^\s*\* ?@example\b/m)[1]
        if (code === undefined) continue
        snippets.set(
          join(root, 'worker', `example-${snippets.size}.ts`),
          `${code.replace(/^\s*\* ?/gm, '')}\nexport {}\n`,
        )
      }
    }
    expect(snippets.size).toBeGreaterThanOrEqual(3)
    const { options } = ts.parseJsonConfigFileContent(
      ts.readConfigFile(join(root, 'worker/tsconfig.json'), ts.sys.readFile).config,
      ts.sys,
      join(root, 'worker'),
    )
    const host = ts.createCompilerHost(options)
    const { getSourceFile, fileExists } = host
    host.fileExists = (name) => snippets.has(name) || fileExists.call(host, name)
    host.getSourceFile = (name, version, ...rest) => {
      const text = snippets.get(name)
      return text === undefined
        ? getSourceFile.call(host, name, version, ...rest)
        : ts.createSourceFile(name, text, version)
    }
    const program = ts.createProgram([...snippets.keys()], options, host)
    const found = [...snippets.keys()].flatMap((name) => {
      const source = program.getSourceFile(name)
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    })
    expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([])
  }, 60_000)
})
