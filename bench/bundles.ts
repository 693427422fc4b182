import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { bin, root, WORKERD_BUNDLE } from './runtimes.ts'

/** A bundle as it would be deployed: minified, gzipped, for workerd. */
export interface Bundle {
  gzipped: number
  minified: number
  /** Minified bytes of each of our files and of each package, the largest first. */
  imports: Record<string, number>
}

/** Folder of the package as it is published, built only for the bench: other programs may be using dist. */
export const DIST = join(root, 'test-output/bench/dist')

/** Builds the package as it would be published. `types`: with the declarations, which takes longer. */
export async function buildPackage(types = false): Promise<string> {
  const words = ['--silent', '--out-dir', DIST, ...(types ? [] : ['--no-dts'])]
  await promisify(execFile)(bin('tsup'), words, { cwd: root })
  return DIST
}

/** Bundles a program of one line. */
export async function bundleOf(source: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: root, loader: 'ts' },
    ...WORKERD_BUNDLE,
    minify: true,
    write: false,
    metafile: true,
    outfile: 'bundle.js',
  })
  const { contents } = outputFiles[0] ?? { contents: new Uint8Array() }
  const imports: Record<string, number> = {}
  for (const output of Object.values(metafile.outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(output.inputs)) {
      if (bytesInOutput > 0) imports[importName(file)] = (imports[importName(file)] ?? 0) + bytesInOutput
    }
    for (const { path, external } of output.imports) if (external) imports[path] = 0
  }
  const sorted = Object.entries(imports).sort(([, a], [, b]) => b - a)
  return {
    gzipped: gzipSync(contents, { level: 9 }).length,
    minified: contents.length,
    imports: Object.fromEntries(sorted),
  }
}

// A package is one import, of any number of files.
function importName(file: string): string {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? file
}
