import { type Finding, failed, ok } from '../service/doctor/finding.ts'
import type { WranglerEnvironment } from './wrangler-toml.ts'

/** Checks that no environment lacks what another one has: wrangler's environments inherit neither variables nor bindings. */
export function compareEnvironments(environments: readonly WranglerEnvironment[]): Finding[] {
  const findings: Finding[] = []
  for (const [what, namesOf] of [
    ['variable', ({ vars }: WranglerEnvironment) => Object.keys(vars)],
    ['binding', ({ bindings }: WranglerEnvironment) => bindings],
  ] as const) {
    for (const name of new Set(environments.flatMap(namesOf))) {
      const lacking = environments.filter((environment) => !namesOf(environment).includes(name))
      if (lacking.length === 0) continue
      const having = environments.filter((environment) => !lacking.includes(environment))
      const message = `${listOf(lacking)} of wrangler.toml lacks the ${what} ${name}, which ${listOf(having)} has`
      findings.push(failed('environments', message, `Add ${name} to ${listOf(lacking)}, or remove it everywhere.`))
    }
  }
  const names = environments.map(titleOf).join(', ')
  return findings.length > 0 ? findings : [ok('environments', `the same variables and bindings in ${names}`)]
}

const titleOf = ({ name }: WranglerEnvironment): string => (name === undefined ? 'the top level' : `[env.${name}]`)
const listOf = (environments: readonly WranglerEnvironment[]): string => environments.map(titleOf).join(' and ')

const TO_FILL_IN: readonly string[] = ['BASE_URL', 'API_URL', 'POS_ID', 'SCHEME']

/** Checks that an environment can be deployed: what `edgetill init` left empty is filled in. */
export function checkFilledIn(environments: readonly WranglerEnvironment[], name: string): Finding[] {
  const environment = environments.find((one) => one.name === name)
  if (!environment) {
    const names = environments.flatMap((one) => one.name ?? []).join(', ')
    return [failed(name, `wrangler.toml has no [env.${name}]`, `Choose one of: ${names}.`)]
  }
  const { vars, stores } = environment
  const findings = TO_FILL_IN.filter((variable) => vars[variable] === undefined || vars[variable] === '').map(
    (variable) => failed(name, `${variable} is empty`, `Fill in ${variable} in [env.${name}.vars] of wrangler.toml.`),
  )
  for (const { table, binding, id } of stores) {
    if (!/^[0-]*$/.test(id)) continue
    const create = table === 'd1_databases' ? 'd1 create NAME' : `kv namespace create ${binding} --env ${name}`
    const fix = `\`npx wrangler ${create}\` prints the id to put under [[env.${name}.${table}]].`
    const kind = table === 'd1_databases' ? 'D1 database' : 'KV namespace'
    findings.push(failed(name, `the id of the ${kind} ${binding} is not filled in`, fix))
  }
  return findings.length > 0 ? findings : [ok(name, 'everything is filled in')]
}
