import { join } from 'node:path'
import { packedFolder, root } from './support/pack.ts'
import { suiteFiles, workerdSuiteFiles } from './support/suite.ts'
import { nodeAt } from './support/versions.ts'

export interface PackageRuntime {
  name: string
  group: 'package'
  command: string[]
  env?: Record<string, string>
  covers: (file: string) => boolean
}

const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const suite = ['run', '-c', 'test/tarball/suite.config.ts']
const workers = ['vitest', 'run', '-c', 'test/tarball/suite.workers.config.ts']

/** The tarball's own tests, and the portable suite against it on everything that the package is promised for. */
export function packageRuntimes(): PackageRuntime[] {
  const files = new Set(suiteFiles())
  const filesOnWorkerd = new Set(workerdSuiteFiles())
  const onTarball = (name: string, command: string[], env: Record<string, string> = {}): PackageRuntime => ({
    name: `tarball, ${name}`,
    group: 'package',
    command,
    env,
    covers: (file) => (command === workers ? filesOnWorkerd : files).has(file),
  })
  return [
    {
      name: 'package',
      group: 'package',
      command: ['vitest', 'run', '-c', 'test/tarball/vitest.config.ts'],
      covers: (file) => file.startsWith('test/tarball/'),
    },
    onTarball('node 20', [nodeAt(24), 'test/tarball/node-20/bundle.ts']),
    ...([22, 24, 26] as const).map((major) => onTarball(`node ${major}`, [nodeAt(major), vitest, ...suite])),
    onTarball('lowest dependencies', [nodeAt(24), vitest, ...suite], { EDGETILL_PACKED: packedFolder('lowest') }),
    onTarball('deno', ['deno', 'run', '-A', 'npm:vitest', ...suite]),
    onTarball('bun', ['bun', '--bun', 'vitest', ...suite, '--pool=threads']),
    onTarball('workerd', workers),
    onTarball('workerd without node', workers, { EDGETILL_WITHOUT_NODE: '1' }),
  ]
}
