import { join } from 'node:path'
import { packedFolder, root } from './support/pack.ts'
import { type Part, suiteFiles } from './support/suite.ts'
import { nodeAt, vitestOfNode20 } from './support/versions.ts'

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

/** Rules, waits and secrets that a bundle does not change: the daily run plays them against every tarball too. */
const DAILY = [
  'test/canary.test.ts',
  'test/emulator/conformance.test.ts',
  ...['database', 'move-money', 'scale'].map((name) => `test/till/${name}.test.ts`),
]

/**
 * The tarball's own tests, and the portable suite against it. A change has to pass it on the oldest Node, with the lowest
 * dependencies and in a Worker; the daily run is on everything that the package is promised for.
 */
export function packageRuntimes(isDaily: boolean): PackageRuntime[] {
  const onTarball = (name: string, part: Part, command: string[], env: Record<string, string> = {}): PackageRuntime => {
    // The oldest Node has no SQLite for the till.
    const isLeftOut = (file: string) =>
      name === 'node 20' ? file.startsWith('test/till/') : !isDaily && DAILY.includes(file)
    const files = suiteFiles(part).filter((file) => !isLeftOut(file))
    return {
      name: `tarball, ${name}`,
      group: 'package',
      command,
      env: { EDGETILL_SUITE: files.join(' '), ...env },
      covers: (file) => files.includes(file),
    }
  }
  const always = [
    {
      name: 'package',
      group: 'package' as const,
      command: ['vitest', 'run', '-c', 'test/tarball/vitest.config.ts'],
      covers: (file: string) => file.startsWith('test/tarball/'),
    },
    // The oldest Node does not run the suite against the sources.
    onTarball(
      'node 20',
      isDaily ? 'all' : 'runtime-dependent',
      [nodeAt(20), join(vitestOfNode20(), 'vitest.mjs'), ...suite],
      { EDGETILL_VITEST: vitestOfNode20() },
    ),
    onTarball('lowest dependencies', 'quick', [nodeAt(24), vitest, ...suite], {
      EDGETILL_PACKED: packedFolder('lowest'),
    }),
    onTarball('workerd', 'runtime-dependent', workers),
  ]
  if (!isDaily) return always
  return [
    ...always,
    // With the newest dependencies, Node 24 is what the checkout itself runs on.
    ...([22, 26] as const).map((major) =>
      onTarball(`node ${major}`, 'runtime-dependent', [nodeAt(major), vitest, ...suite]),
    ),
    onTarball('deno', 'runtime-dependent', ['deno', 'run', '-A', 'npm:vitest', ...suite]),
    onTarball('bun', 'runtime-dependent', ['bun', '--bun', 'vitest', ...suite, '--pool=threads']),
    onTarball('workerd without node', 'runtime-dependent', workers, { EDGETILL_WITHOUT_NODE: '1' }),
  ]
}
