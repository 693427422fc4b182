import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build, type Plugin } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

/** The folder of the checkout. */
export const root = resolve(import.meta.dirname, '..')
export const bin = (name: string): string => join(root, 'node_modules', '.bin', name)

export const PROCESS_RUNTIMES = ['node', 'deno', 'bun'] as const
export type ProcessRuntime = (typeof PROCESS_RUNTIMES)[number]

/** The compatibility date of wrangler.toml, and the last date without any of Node's modules. */
export const TEMPLATE_DATE = '2026-10-23'
export const BARE_DATE = '2026-08-03'

const execute = promisify(execFile)

// The peers may read the environment or their own files: permissions are not measured.
const COMMANDS: Record<ProcessRuntime, string[]> = {
  node: [process.execPath, '--no-warnings'],
  deno: [bin('deno'), 'run', '-A', '--no-prompt', '--quiet', '--no-check'],
  bun: [bin('bun'), 'run'],
}

/** Runs a program in a separate process. It gets one argument as JSON and prints its result as its last line, in JSON. */
export async function runProgram<T>(runtime: ProcessRuntime, program: string, argument: unknown): Promise<T> {
  const [command = '', ...words] = COMMANDS[runtime]
  const { stdout } = await execute(command, [...words, program, JSON.stringify(argument)], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' },
    maxBuffer: 64 * 2 ** 20,
  })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as T
}

/** Bundles as wrangler does it: the same bundler, the same conditions. */
export async function bundleForWorkerd(options: { entry: string } | { source: string }): Promise<string> {
  const { outputFiles } = await build({
    ...('entry' in options
      ? { entryPoints: [options.entry] }
      : { stdin: { contents: options.source, resolveDir: root, loader: 'ts' } }),
    ...WORKERD_BUNDLE,
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

// Old packages name Node's modules without their prefix; wrangler adds it.
const nodePrefix: Plugin = {
  name: 'node-prefix',
  setup({ onResolve }) {
    onResolve(
      { filter: /^(crypto|http|https|events|child_process|os|util|buffer|stream|path|fs|url)$/ },
      ({ path }) => ({
        path: `node:${path}`,
        external: true,
      }),
    )
  },
}

export const WORKERD_BUNDLE = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  mainFields: ['browser', 'module', 'main'],
  // The peers.
  nodePaths: [join(root, 'bench/node_modules')],
  conditions: ['workerd', 'worker', 'browser'],
  external: ['node:*', 'cloudflare:*'],
  logLevel: 'error',
  plugins: [nodePrefix],
} satisfies Parameters<typeof build>[0]

/** Starts a Worker in workerd on loopback. */
export async function startWorkerd(contents: string, compatibilityDate = TEMPLATE_DATE): Promise<Miniflare> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: [{ type: 'ESModule', path: 'worker.js', contents }],
      compatibilityDate,
      cf: false,
    }),
  )
  await miniflare.ready
  return miniflare
}
