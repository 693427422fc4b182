import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

/** The folder of the checkout. */
export const root = resolve(import.meta.dirname, '../../..')

export type RuntimeName = 'node' | 'deno' | 'bun' | 'workerd' | 'workerd 2026-08-03' | 'workerd 2024-11-10'
export const RUNTIMES: readonly RuntimeName[] = ['node', 'deno', 'bun', 'workerd', 'workerd 2026-08-03']

const dateOf = (runtime: RuntimeName) => (runtime === 'workerd' ? '2026-10-23' : runtime.split(' ')[1])
const execute = promisify(execFile)
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

/**
 * Runs `main(argument)` of a program in test/node/programs in a process of its own, on the real runtime with its real
 * network, and answers what it returned. Deno gets the network and nothing else.
 */
export async function runOn<T>(
  runtime: RuntimeName,
  program: string,
  argument: unknown,
  environment: Record<string, string> = {},
): Promise<T> {
  const module = join(root, 'test/node/programs', `${program}.ts`)
  const date = dateOf(runtime)
  if (date) return runInWorkerd(module, date, argument)
  const entry = write(
    `${program}-process.ts`,
    `import { main } from ${JSON.stringify(module)}
const given = globalThis.Deno?.args ?? globalThis.process.argv.slice(2)
console.log(JSON.stringify(await main(JSON.parse(given[0]))))
`,
  )
  const commands: Record<string, string[]> = {
    node: [bin('node'), entry],
    deno: [bin('deno'), 'run', '--allow-net=127.0.0.1', '--no-prompt', '--quiet', '--no-check', entry],
    bun: [bin('bun'), 'run', entry],
  }
  const [command = '', ...words] = commands[runtime] ?? []
  const { stdout } = await execute(command, [...words, JSON.stringify(argument)], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1', ...environment },
  })
  return JSON.parse(stdout) as T
}

async function runInWorkerd<T>(module: string, date: string, argument: unknown): Promise<T> {
  const contents = `import { main } from ${JSON.stringify(module)}
export default { fetch: async (request) => Response.json(await main(await request.json())) }`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
  })
  // Miniflare itself, not wrangler's test harness: the harness sends what a Worker fetches through Node.
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: [{ type: 'ESModule', path: 'worker.js', contents: outputFiles[0]?.text ?? '' }],
      compatibilityDate: date,
      cf: false,
    }),
  )
  try {
    const response = await miniflare.dispatchFetch('http://program/', {
      method: 'POST',
      body: JSON.stringify(argument),
    })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${basename(module)} failed in workerd: ${text}`)
    return JSON.parse(text) as T
  } finally {
    await miniflare.dispose()
  }
}

// Inside the checkout, so that each runtime finds its configuration and the installed packages.
function write(name: string, content: string): string {
  const folder = join(root, 'test-output', 'programs')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, name)
  writeFileSync(file, content)
  return file
}

/** The files under a folder, sorted, by their ways from there or from another folder above. */
export const filesUnder = (folder: string, from: string = folder): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(from, join(entry.parentPath, entry.name)))
    .sort()
