import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/**
 * The version of this package that a project depends on: the tarball that the running one was installed from, because
 * that version need not be published; else a range of its version.
 */
export async function packageSource(folder: string, version: string): Promise<string> {
  const modules = dirname(folder)
  try {
    // npm writes down there where each package came from, relative to the project: `npx --package=FILE` does, too.
    const lock = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8')) as Lock
    const { resolved = '' } = lock.packages['node_modules/edgetill'] ?? {}
    if (resolved.startsWith('file:')) return `file:${resolve(dirname(modules), resolved.slice('file:'.length))}`
  } catch {
    // Another package manager, or a checkout.
  }
  return `^${version}`
}

interface Lock {
  packages: Record<string, { resolved?: string } | undefined>
}
