import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../service/configuration.ts'
import { CLIENT_NAMES, parseEnvFile } from '../terminal/environment.ts'
import { readWranglerToml, type WranglerEnvironment } from './wrangler-toml.ts'

export interface Project {
  environments: WranglerEnvironment[]
  settings: Settings
  token: string | undefined
}

/** The project of `edgetill init` in a folder; undefined if there is none. */
export async function readProject(folder: string): Promise<Project | undefined> {
  if (!existsSync(join(folder, 'wrangler.toml'))) return undefined
  const environments = await readWranglerToml(folder)
  const [local] = environments
  // A shop over Postgres has no TILL.
  const isShop = local?.bindings.includes('TILL') || local?.stores.some(({ table }) => table === 'hyperdrive')
  if (!local || !isShop) return undefined
  const file = join(folder, '.dev.vars')
  const secrets = existsSync(file) ? await parseEnvFile(file, '.dev.vars') : {}
  const settings: Settings = {}
  for (const name of CLIENT_NAMES) {
    const option = name.slice('EDGETILL_'.length)
    const value = secrets[option] || local.vars[option]
    if (typeof value === 'string' && value !== '')
      settings[name] = { value, source: secrets[option] ? '.dev.vars' : 'wrangler.toml' }
  }
  return { environments, settings, token: secrets.ADMIN_TOKEN }
}
