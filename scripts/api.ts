// `npm run api`: writes the public API of the package into api.md, so that a change can be reviewed.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeApi } from '../test/tarball/support/api.ts'
import { packedEnvironment, packInto } from '../test/tarball/support/pack.ts'

const folder = mkdtempSync(join(tmpdir(), 'edgetill-api-'))
try {
  packInto(folder)
  Object.assign(process.env, packedEnvironment(folder))
  writeFileSync(join(import.meta.dirname, '../test/tarball/api.md'), describeApi())
} finally {
  rmSync(folder, { recursive: true, force: true })
}
