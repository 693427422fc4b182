import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { bin, root } from './runtimes.ts'

/** The machine and the versions of a run: without these, figures mean nothing. */
export interface Machine {
  date: string
  cpu: string
  cores: number
  memoryGb: number
  system: string
  /** Processes that wanted a core in the minute before the run: a calm machine has less than one. */
  load?: number
  /** Commit of the checkout, with a + when files differ from it. */
  commit: string
  versions: Record<string, string>
}

/** In node_modules, or in that of the bench. */
const PACKAGES = [
  'workerd',
  'esbuild',
  'typescript',
  'hono',
  'valibot',
  '@noble/hashes',
  'stripe',
  'standardwebhooks',
  'svix',
  '@paddle/paddle-node-sdk',
  '@polar-sh/sdk',
  '@lemonsqueezy/lemonsqueezy.js',
]

export function describeMachine(): Machine {
  const versions: Record<string, string> = {
    node: process.version.slice(1),
    deno: /\d+\.\d+\.\d+/.exec(run(bin('deno'), '--version'))?.[0] ?? '?',
    bun: run(bin('bun'), '--version'),
  }
  for (const name of PACKAGES) {
    const folders = ['node_modules', 'bench/node_modules'].map((folder) => join(root, folder, name, 'package.json'))
    const text = readFileSync(folders.find((file) => existsSync(file)) ?? name, 'utf8')
    versions[name] = (JSON.parse(text) as { version: string }).version
  }
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: type(),
    load: loadavg()[0] ?? 0,
    commit: commit(),
    versions,
  }
}

export function machineText({ date, cpu, cores, memoryGb, system, load, commit, versions }: Machine): string {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `${date}, ${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, ${load === undefined ? '' : `load ${load.toFixed(1)} before the run, `}commit ${commit}; ${list.join(', ')}`
}

// A copy of the files without their history has no commit.
function commit(): string {
  try {
    return run('git', 'rev-parse', '--short', 'HEAD') + (run('git', 'status', '--porcelain', 'src', 'worker') && '+')
  } catch {
    return 'unknown'
  }
}

function run(command: string, ...words: string[]): string {
  return execFileSync(command, words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
}
