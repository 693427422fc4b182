import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { verb } from '../../src/cli/commands/doctor.ts'
import { serve, temporaryFolder } from './support/fixtures.ts'
import { root } from './support/runtimes.ts'
import { blocks } from './support/snippets.ts'
import { runVerb } from './support/verb.ts'

// `edgetill doctor --project` over wrangler.toml as `init` writes it, and with something amiss.
const folder = temporaryFolder()
const TOML = readFileSync(join(root, 'wrangler.toml'), 'utf8')

async function doctor(toml: string | undefined, ...words: string[]) {
  if (toml === undefined) rmSync(join(folder, 'wrangler.toml'), { force: true })
  else writeFileSync(join(folder, 'wrangler.toml'), toml)
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder)
  const { code, out, err } = await runVerb(verb, ['--project', ...words]).finally(() => cwd.mockRestore())
  return { code, text: out + err }
}

const FILLED = TOML.replaceAll('URL = ""', 'URL = "https://x.example"')
  .replaceAll('POS_ID = ""', 'POS_ID = "0f9d6c1e-8c59-4a5b-9f6e-0a2c33d1b7aa"')
  .replaceAll(/(\[\[env\.(\w+)\.kv_namespaces\]\][^[]*?id = )"0+"/g, '$1"of-$2"')

/** FILLED with another text in the part of [env.live]. */
const live = (from: string | RegExp, to: string): string => {
  const at = FILLED.indexOf('[[env.live.kv_namespaces]]')
  const changed = FILLED.slice(0, at) + FILLED.slice(at).replace(from, to)
  if (changed === FILLED) throw new Error(`wrangler.toml has no ${from}`)
  return changed
}
const variable = (name: string, value: string): string => live(new RegExp(`^${name} = .*$`, 'm'), `${name} = ${value}`)

/** FILLED over Postgres: Hyperdrive in place of the object. */
const POSTGRES = FILLED.replaceAll(
  /\[\[(env\.\w+\.)?durable_objects\.bindings\]\][^[]*/g,
  (_, env = '') => `[[${env}hyperdrive]]\nbinding = "HYPERDRIVE"\nid = "of-${env}"\n\n`,
)

const [D1 = ''] = blocks('guides/own-code.md', 'toml').map(({ code }) => code)

it.each<[what: string, toml: string | undefined, words: string[], code: number, texts: string[]]>([
  ['nothing in what init writes', TOML, [], 0, ['ok       environments']],
  ['a variable of test', TOML.replace('[vars]', '[vars]\nMORE = "1"'), [], 1, ['[env.test] and [env.live]', 'MORE']],
  ['a binding that test alone has', `${TOML}\n[[env.test.d1_databases]]\nbinding = "DB"\n`, [], 1, ['binding DB']],
  ['a queue', `${TOML}\n[[queues.producers]]\nbinding = "Q"\nqueue = "q"\n`, [], 1, ['lack the binding Q']],
  ['what is empty', TOML, ['--env', 'live'], 1, ['BASE_URL', 'API_URL', 'POS_ID', 'KV namespace STATE', '--env live']],
  ['a D1 database without an id', FILLED + D1, ['--env', 'live'], 1, ['D1 database DB', 'd1 create']],
  ['nothing when it is filled in', FILLED, ['--env', 'live'], 0, ['everything is filled in']],
  ['a Hyperdrive cache', POSTGRES, ['--env', 'live'], 0, ['warning  live', 'hyperdrive get of-env.live.', 'disabled']],
  ['no Hyperdrive', POSTGRES.replaceAll(/"of-env.*"/g, '""'), ['--env', 'live'], 1, ['hyperdrive create NAME']],
  ['an environment that is not there', TOML, ['--env', 'prod'], 1, ['Choose one of: test, live']],
  ['a file that is not TOML', '[vars', [], 2, ['wrangler.toml cannot be read']],
  ['that there is no project', undefined, [], 2, ['no wrangler.toml']],
])('names %s', async (_, toml, words, code, texts) => {
  const ran = await doctor(toml, ...words)
  expect([ran.code, texts.filter((text) => !ran.text.includes(text))]).toEqual([code, []])
})

it.each<[what: string, toml: string, text: string]>([
  ['an address that ends in /api/v1', variable('BASE_URL', '"https://x.example/api/v1"'), 'BASE_URL must not end in'],
  ['an address over http', variable('API_URL', '"http://x.example"'), 'API_URL must be an https address'],
  ['the test POS', variable('POS_ID', '"ed9e7111-0000-4000-8000-000000000001"'), 'POS_ID belongs to the emulator'],
  ['another mode', variable('MODE', '"production"'), 'MODE must be test or live'],
  ['no mode', variable('MODE', '""'), 'MODE is empty'],
  ['an origin with a query', variable('PUBLIC_ORIGIN', '"https://x.example/?a=b"'), 'PUBLIC_ORIGIN must be an origin'],
  ['a number', variable('RETENTION_DAYS', '30'), 'RETENTION_DAYS must be a text'],
  ['an undeclared class', FILLED.replace('[exports.ShopObject]', '[exports.Other]'), 'Add [exports.ShopObject]'],
  ['no KV namespace', FILLED.replaceAll('binding = "STATE"', 'binding = "OTHER"'), 'is bound to STATE'],
  ['no cron', FILLED.replace(/^crons = .*$/m, ''), 'Add [triggers]'],
  ['an old date', FILLED.replace(/^compatibility_date = .*$/m, ''), 'compatibility_date is missing'],
  ['another environment’s KV id', live('id = "of-live"', 'id = "of-test"'), 'has the id that [env.test] has'],
  ['a secret', variable('MODE', '"live"\nAPI_SECRET = "s3cret"'), 'npx wrangler secret put API_SECRET --env live'],
])('stops a deployment with %s, with its cure', async (_, toml, text) => {
  const ran = await doctor(toml, '--env', 'live')
  expect([ran.code, ran.text]).toEqual([1, expect.stringContaining(text)])
  expect(ran.text.match(/^failed /gm)).toHaveLength(1)
  expect(ran.text).not.toContain('s3cret')
})

it('knows a class that migrations declare', async () => {
  const migrated = FILLED.replace(
    /\[exports\.ShopObject\][^[]*/,
    '[[migrations]]\ntag = "v1"\nnew_sqlite_classes = ["ShopObject"]\n\n',
  )
  expect(await doctor(migrated, '--env', 'live')).toMatchObject({ code: 0 })
})

it('says whether the registry that npm is set to has a newer engine, and that it is not known without one', async () => {
  let newest = ''
  const registry = await serve(() => {
    const one = { name: 'edgetill', version: newest, dist: { tarball: 'http://127.0.0.1/edgetill.tgz' } }
    const body = { name: 'edgetill', 'dist-tags': { latest: newest }, versions: { [newest]: one } }
    return Response.json(body, { status: newest === '' ? 404 : 200 })
  })
  writeFileSync(join(folder, '.npmrc'), `registry=${registry.origin}/\ncache=${folder}/cache\n`)
  mkdirSync(join(folder, 'node_modules/edgetill'), { recursive: true })
  writeFileSync(join(folder, 'node_modules/edgetill/package.json'), '{"version":"0.9.1"}')
  for (const [version, code, said] of [
    ['0.10.0', 0, 'warning  version: 0.9.1 is installed, and the newest is 0.10.0'],
    ['0.9.1', 0, 'ok       version: 0.9.1 is the newest'],
    ['', 0, 'skipped  version: 0.9.1; whether there is a newer one is not known'],
  ] as const) {
    newest = version
    const ran = await doctor(TOML)
    expect([ran.code, ran.text]).toEqual([code, expect.stringContaining(said)])
  }
}, 60_000)
