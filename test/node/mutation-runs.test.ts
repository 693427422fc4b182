import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { AREAS } from '../../scripts/mutation-areas.ts'
import { isLong } from '../support/environment.ts'
import { root } from './support/runtimes.ts'

it('a test notices each change of what decides about money', { timeout: 3_600_000 }, async () => {
  // Without a name, all files.
  const { failed, output } = await mutate(isLong ? [] : ['src/card/cvv.ts'])
  expect([failed, output]).toEqual([false, output])
  expect(output).toMatch(/: [1-9]\d*\/0\/\d+ killed\/survived\/total/)
})

it('every test of every area passes without a change', { timeout: 3_600_000 }, async () => {
  // A part so small that no change is in it. All areas take minutes.
  const areas = isLong ? Object.keys(AREAS) : ['card']
  const { failed, output } = await mutate(['--share', '9999/9999', ...areas])
  expect([failed, output]).toEqual([false, output])
  const ended = [...output.matchAll(/^(\S+): 0\/0\/\d+ killed/gm)].map(([, area]) => area)
  expect(ended.sort()).toEqual(areas.sort())
})

function mutate(files: string[]): Promise<{ failed: boolean; output: string }> {
  return new Promise((done) => {
    execFile(process.execPath, [join(root, 'scripts/mutate.ts'), ...files], { cwd: root }, (error, stdout, stderr) =>
      done({ failed: error !== null, output: stdout + stderr }),
    )
  })
}
