import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { createEmulator } from '../../src/emulator/index.ts'
import type { ShopEnv } from '../../src/shop/env.ts'
import { configurationProblems } from '../../src/shop/lib/configuration.ts'
import { root } from './support/runtimes.ts'
import { blocks } from './support/snippets.ts'
import { against } from './support/verb.ts'

const configOf = (env?: string) => unstable_readConfig({ config: join(root, 'wrangler.toml'), env })
/** The mistakes in these variables, beside bindings that look right. */
const problems = (...vars: object[]) =>
  configurationProblems(
    Object.assign({ STATE: { get() {} }, TILL: { get() {}, idFromName() {} } }, ...vars) as ShopEnv,
  ).map(({ binding, problem }) => `${binding} ${problem}`)

describe('wrangler.toml', () => {
  it('has, with .dev.vars.example, every binding that ShopEnv requires', () => {
    const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
    const namesIn = (text: string, line: RegExp) => [...text.matchAll(line)].map(([, name = '']) => name)
    const [, declared = ''] = /interface ShopEnv \{\n(.*?)\n\}/s.exec(textOf('src/shop/env.ts')) ?? []
    const { vars, kv_namespaces, durable_objects } = configOf()
    const bindings = [
      ...kv_namespaces.map(({ binding }: { binding: string }) => binding),
      ...durable_objects.bindings.map(({ name }: { name: string }) => name),
    ]
    const secrets = namesIn(textOf('.dev.vars.example'), /^([A-Z_]+)=/gm)
    const given = new Set([...Object.keys(vars), ...bindings, ...secrets])
    const optional = namesIn(declared, /^ {2}([A-Z_]+)\?:/gm)
    const required = namesIn(declared, /^ {2}([A-Z_]+):/gm)
    expect([...given].filter((name) => !optional.includes(name)).toSorted()).toEqual(required.toSorted())
    // Four secrets, and what links send of a customer, which a project from before does not have.
    expect(optional.filter((name) => !given.has(name))).toHaveLength(4)
  })

  it('has the same in each environment, none of which inherits a binding', () => {
    const shapeOf = (env?: string) => {
      const { vars, kv_namespaces, durable_objects, migrations, triggers, observability } = configOf(env)
      const namespaces = kv_namespaces.map(({ binding }: { binding: string }) => binding)
      return { names: Object.keys(vars), namespaces, durable_objects, migrations, triggers, observability }
    }
    const local = shapeOf()
    expect(local.namespaces).toEqual(['STATE'])
    expect(local.durable_objects.bindings).toMatchObject([{ name: 'TILL' }])
    expect(readFileSync(join(root, 'guides/shop-reference.md'), 'utf8')).toContain('The cron, each minute,')
    expect(local.triggers.crons).toEqual(['* * * * *'])
    for (const env of ['test', 'live']) expect([env, shapeOf(env)]).toEqual([env, local])
  })

  it.each(['test', 'live'])('is right in the environment %s once its empty values are filled in', (env) => {
    const { vars } = configOf(env)
    expect(vars.MODE).toBe(env)
    const given = { API_KEY: 'key', API_SECRET: 'secret', ENDPOINTS_KEY: 'key' }
    const secrets = { ...given, LINK_SECRET: 'l'.repeat(32), ADMIN_TOKEN: 'a'.repeat(32) }
    expect(problems(vars, secrets).sort()).toEqual(['API_URL missing', 'BASE_URL missing', 'POS_ID missing'])
    const urls = { BASE_URL: 'https://pay.example.com', API_URL: 'https://api.example.com' }
    expect(problems(vars, secrets, urls, { POS_ID: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11' })).toEqual([])
  })

  it('is right with the settings of "Run it on your machine", which are those of the emulator', () => {
    const [file = ''] = blocks('worker/README.md', 'text').map(({ code }) => code)
    const local = Object.fromEntries([...file.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]))
    const env: Record<string, unknown> = { ...configOf().vars, ...local }
    expect(problems(env)).toEqual([])
    const { environment } = against(createEmulator({ origin: 'http://127.0.0.1:4010' }))
    for (const [name, value] of Object.entries(environment))
      expect([name, env[name.replace('EDGETILL_', '')]]).toEqual([name, value])
  })
})
