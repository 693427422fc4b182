import { configurationProblems, SECRETS, VARIABLES } from '../../shop/lib/configuration.ts'
import { type Finding, failed, ok, warning } from '../service/doctor/finding.ts'
import type { WranglerEnvironment } from './wrangler-toml.ts'

/** The secrets of the engine and of the template: wrangler.toml is committed, so their values don't belong there. */
const SECRET_NAMES: readonly string[] = [...SECRETS, 'CHAT_URL', 'SHOP_TOKEN']

/**
 * Checks that no environment lacks a setting of another environment (wrangler's environments inherit neither variables
 * nor bindings).
 */
export function compareEnvironments(environments: readonly WranglerEnvironment[]): Finding[] {
  const findings = environments.flatMap(secretsIn)
  for (const [what, namesOf] of [
    ['variable', ({ vars }: WranglerEnvironment) => Object.keys(vars).filter((name) => !SECRET_NAMES.includes(name))],
    ['binding', ({ bindings }: WranglerEnvironment) => bindings],
  ] as const) {
    for (const name of new Set(environments.flatMap(namesOf))) {
      const lacking = environments.filter((environment) => !namesOf(environment).includes(name))
      if (lacking.length === 0) continue
      const having = environments.filter((environment) => !lacking.includes(environment))
      const [lack, have] = [lacking.length > 1 ? 'lack' : 'lacks', having.length > 1 ? 'have' : 'has']
      const message = `${listOf(lacking)} of wrangler.toml ${lack} the ${what} ${name}, which ${listOf(having)} ${have}`
      findings.push(failed('environments', message, `Add ${name} to ${listOf(lacking)}, or remove it everywhere.`))
    }
  }
  const names = environments.map(titleOf).join(', ')
  return findings.length > 0 ? findings : [ok('environments', `the same variables and bindings in ${names}`)]
}

const titleOf = ({ name }: WranglerEnvironment): string => (name === undefined ? 'the top level' : `[env.${name}]`)
const listOf = (environments: readonly WranglerEnvironment[]): string => environments.map(titleOf).join(' and ')

function secretsIn({ name, vars }: WranglerEnvironment): Finding[] {
  const table = name === undefined ? '[vars]' : `[env.${name}.vars]`
  const place = name === undefined ? 'write it into .dev.vars' : `\`npx wrangler secret put NAME --env ${name}\``
  return SECRET_NAMES.filter((secret) => secret in vars).map((secret) => {
    const fix = `Remove it there, and ${place.replace('NAME', secret)}. If it was committed, replace it at its source.`
    return failed('secrets', `${secret} is a secret, but is in ${table} of wrangler.toml`, fix)
  })
}

/** The date that the engine is tested with: an older date turns off features of its runtime. */
const OLDEST_DATE = '2026-10-23'

/** Checks that an environment can be deployed, by the same rules that the engine has for its variables. */
export function checkEnvironment(environments: readonly WranglerEnvironment[], name: string): Finding[] {
  const environment = environments.find((one) => one.name === name)
  if (!environment) {
    const names = environments.flatMap((one) => one.name ?? []).join(', ')
    return [failed(name, `wrangler.toml has no [env.${name}]`, `Choose one of: ${names}.`)]
  }
  const { vars, stores, className, classes, crons, date } = environment
  const findings = configurationProblems(vars, VARIABLES).map(({ binding, problem }) => {
    const fix = `${problem === 'missing' ? 'Fill in' : 'Correct'} ${binding} in [env.${name}.vars] of wrangler.toml.`
    return failed(name, `${binding} ${problem === 'missing' ? 'is empty' : problem}`, fix)
  })
  const named = environments.filter((one) => one.name !== undefined)
  for (const { table, binding, id } of stores) {
    const [title, create] = {
      kv_namespaces: ['KV namespace', `kv namespace create ${binding} --env ${name}`],
      d1_databases: ['D1 database', 'd1 create NAME'],
      hyperdrive: ['Hyperdrive configuration', 'hyperdrive create NAME --connection-string=… --caching-disabled'],
    }[table] as [string, string]
    const fix = `\`npx wrangler ${create}\` prints the id to put under [[env.${name}.${table}]].`
    const kind = `${title} ${binding}`
    const sharing = named.filter((one) => one !== environment && one.stores.some((other) => other.id === id))
    if (/^[0-]*$/.test(id)) findings.push(failed(name, `the id of the ${kind} is not filled in`, fix))
    else if (sharing.length > 0)
      findings.push(failed(name, `the ${kind} has the id that ${listOf(sharing)} has: they would share orders`, fix))
    else if (table === 'hyperdrive') {
      const cure = `\`npx wrangler hyperdrive update ${id} --caching-disabled true\` disables it.`
      const look = `\`npx wrangler hyperdrive get ${id}\` shows it: "caching" must have "disabled": true. ${cure}`
      findings.push(warning(name, `wrangler.toml does not show whether the cache of ${kind} is disabled`, look))
    }
  }
  if (!stores.some(({ binding }) => binding === 'STATE')) {
    const fix = `\`npx wrangler kv namespace create STATE --env ${name}\` prints the lines to add to wrangler.toml.`
    findings.push(failed(name, 'no KV namespace is bound to STATE', fix))
  }
  const hasHyperdrive = className === undefined && stores.some(({ table }) => table === 'hyperdrive')
  if (!hasHyperdrive && (className === undefined || !classes.includes(className))) {
    const wanted = className ?? 'ShopObject'
    const fix = `Add [exports.${wanted}] with type = "durable-object" and storage = "sqlite" to the top level.`
    findings.push(failed(name, `the Durable Object class ${wanted} is not declared`, fix))
  }
  if (crons === 0) {
    const fix = 'Add [triggers] with crons = ["* * * * *"] to the top level.'
    findings.push(failed(name, 'no cron is set: due work is not done, and personal data stays', fix))
  }
  if (date < OLDEST_DATE) {
    const fix = `Set compatibility_date = "${OLDEST_DATE}" or a later date.`
    findings.push(failed(name, `compatibility_date is ${date || 'missing'}, older than the engine is tested with`, fix))
  }
  return findings.length > 0 ? findings : [ok(name, 'everything is filled in')]
}
