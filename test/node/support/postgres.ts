import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll } from 'vitest'
import { freePort } from './free-port.ts'
import { watch } from './process.ts'

/** A Postgres with an empty database for the tests of a file, on a free port of loopback: its `url` is for `DATABASE_URL`. */
export function usePostgres(): { url: string } {
  const postgres = { url: '' }
  beforeAll(async () => {
    const { url, stop } = await startPostgres()
    postgres.url = url
    return stop
  })
  return postgres
}

async function startPostgres() {
  const bin = programs()
  const folder = mkdtempSync(join(tmpdir(), 'edgetill-postgres-'))
  const data = join(folder, 'data')
  // Postgres does not run as root: its package has made a user for it.
  const isRoot = process.getuid?.() === 0
  const identity = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  if (isRoot) chownSync(folder, identity.uid ?? 0, identity.gid ?? 0)
  const options = { ...identity, cwd: folder, env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' } }
  const initialize = ['--auth=trust', '--username=shop', '--encoding=UTF8', '--no-sync', '-D', data]
  execFileSync(join(bin, 'initdb'), initialize, { ...options, stdio: 'pipe' })
  const port = await freePort()
  // It lives for a test: what a power cut would lose does not matter.
  const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-k', folder]
  const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...settings], options)
  const { seen, finished } = watch(child)
  const stop = async () => {
    child.kill('SIGINT')
    await finished
    rmSync(folder, { recursive: true, force: true })
  }
  await seen('ready to accept connections')
  return { url: `postgres://shop@127.0.0.1:${port}/postgres`, stop }
}

/** The folder of the newest Postgres: Debian's, or the one in the PATH. */
function programs(): string {
  const packages = '/usr/lib/postgresql'
  const versions = existsSync(packages) ? readdirSync(packages).toSorted((a, b) => Number(b) - Number(a)) : []
  const folders = [...versions.map((version) => join(packages, version, 'bin')), ...(process.env.PATH ?? '').split(':')]
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')))
  if (found === undefined) throw new Error('No Postgres is installed: apt-get install postgresql.')
  return found
}

const idOf = (flag: '-u' | '-g') => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
