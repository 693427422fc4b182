import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isObject } from '../../lib/kind.ts'
import { parseJson } from '../json.ts'
import { type Finding, ok, skipped, warning } from '../service/doctor/finding.ts'

const SECONDS = 10
/** Of `npm view`: a registry that cannot be reached is not asked again. */
const FLAGS = ['--json', '--fetch-retries=0', `--fetch-timeout=${SECONDS * 1000}`]

/** Whether the registry that npm is set to in this folder has a newer engine than the installed version. */
export async function checkVersion(folder: string): Promise<Finding> {
  const installed = await readFile(join(folder, 'node_modules/edgetill/package.json'), 'utf8').then(versionIn, () => '')
  if (installed === '') return skipped('version', 'not known: edgetill is not installed in this folder')
  const options = { cwd: folder, timeout: SECONDS * 1000, shell: process.platform === 'win32' }
  const newest = await promisify(execFile)('npm', ['view', 'edgetill@latest', 'version', ...FLAGS], options).then(
    ({ stdout }) => versionIn(`{"version":${stdout}}`),
    () => '',
  )
  if (newest === '') return skipped('version', `${installed}; whether there is a newer one is not known`)
  if (!isNewer(newest, installed)) return ok('version', `${installed} is the newest`)
  const fix =
    'npm install edgetill@latest, then npm test and deploy: guides/upgrading.md. Only the newest version gets fixes.'
  return warning('version', `${installed} is installed, and the newest is ${newest}`, fix)
}

function versionIn(json: string): string {
  const value = parseJson(json)
  return isObject(value) && typeof value.version === 'string' ? value.version : ''
}

/** Compares the three numbers; a version before a release is older than it. */
function isNewer(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => text.split('+', 1).join().split('-', 1).join().split('.').map(Number))
  const differs = a?.findIndex((number, i) => number !== b?.[i]) ?? -1
  if (differs >= 0) return Number(a?.[differs]) > Number(b?.[differs])
  return other.includes('-') && !one.includes('-')
}
