import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mutantsOf } from '../../scripts/mutants.ts'
import { isLong } from '../support/environment.ts'
import { root } from './support/runtimes.ts'

it('a test notices each change of what decides about money', { timeout: 3_600_000 }, async () => {
  // Without a name, all files.
  const { failed, output } = await mutate(isLong ? [] : ['src/card/cvv.ts'])
  expect([failed, output]).toEqual([false, output])
  expect(output).toMatch(/: [1-9]\d*\/0\/\d+ killed\/survived\/total/)
})

it('operators, numbers, conditions, guards and lists are changed one at a time; texts and types are not', () => {
  const changes = (source: string) => mutantsOf('a.ts', source).map(({ before, after }) => `${before} -> ${after}`)
  expect(changes('const a = b === c')).toEqual(['=== -> !=='])
  expect(changes('const a = b >= 1')).toEqual(['>= -> >', '>= -> <', '1 -> 2', '1 -> 0'])
  expect(changes('const a = b || !c')).toEqual(['|| -> &&', '!c -> !!c'])
  expect(changes("if (has(a)) throw new Error('a')")).toEqual([
    'has(a) -> !(has(a))',
    "if (has(a)) throw new Error('a') -> {}",
  ])
  expect(changes("const a: 1 | 2 = ['b' + c, 'd']")).toEqual([])
  expect(mutantsOf('a.ts', "const a = ['b', 'c',]").map(({ source }) => source)).toEqual([
    "const a = ['c',]",
    "const a = ['b', ]",
  ])
  expect(changes("const a = { 1: 'b' }")).toEqual(['1 -> 2', '1 -> 0'])
})

function mutate(files: string[]): Promise<{ failed: boolean; output: string }> {
  return new Promise((done) => {
    execFile(process.execPath, [join(root, 'scripts/mutate.ts'), ...files], { cwd: root }, (error, stdout, stderr) =>
      done({ failed: error !== null, output: stdout + stderr }),
    )
  })
}
