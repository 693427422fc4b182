import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/** The tarball that this package was installed from, since its version need not be published; else a range of that. */
export async function packageSource(folder: string, version: string): Promise<string> {
  const modules = dirname(folder)
  try {
    // npm writes down there where each package came from, relative to the project: `npx --package=FILE` does, too.
    const lock = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8'))
    const { resolved = '' } = lock.packages['node_modules/edgetill'] ?? {}
    if (resolved.startsWith('file:')) return `file:${resolve(dirname(modules), resolved.slice('file:'.length))}`
  } catch {
    // Another package manager, or a checkout.
  }
  return `^${version}`
}
