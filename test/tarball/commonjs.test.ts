import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packedFolder, run } from './support/pack.ts'
import { nodeAt, typescripts } from './support/versions.ts'

// What the README says of CommonJS, under "Install".

const folder = join(packedFolder(), 'commonjs')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }')

describe.each([20, 22, 24, 26] as const)('Node %s', (major) => {
  it('requires the package from a CommonJS file', () => {
    const file = join(folder, 'required.js')
    writeFileSync(
      file,
      "const { isCardNumber } = require('edgetill/card')\nconsole.log(isCardNumber('4242424242424242'))\n",
    )
    // Node 20 and 22 may say that the feature is experimental; that goes to the other stream.
    expect(run(nodeAt(major), [file], folder)).toBe('true\n')
  })
})

describe('TypeScript', () => {
  const [, compiler] = typescripts().find(([version]) => version === '5.9') ?? []
  const file = join(folder, 'required.cts')
  writeFileSync(file, "import { isCardNumber } from 'edgetill/card'\nexport const valid: boolean = isCardNumber('')\n")
  const compile = (module: string) => {
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--lib', 'ES2022,DOM,DOM.Iterable']
    return run(process.execPath, [compiler ?? '', ...options, '--module', module, file], folder)
  }

  it.each(['node20', 'nodenext'])('compiles a CommonJS file with "module": "%s"', (module) => {
    expect(compile(module)).toBe('')
  })

  it.each(['node16', 'node18'])('rejects it with "module": "%s"', (module) => {
    expect(() => compile(module)).toThrow(/TS1479/)
  })
})
