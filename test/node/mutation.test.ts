import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mutantsOf } from '../../scripts/mutants.ts'
import { isLong } from '../support/environment.ts'
import { root } from './support/runtimes.ts'

/** Files of which every mutant dies. `npm run mutate` has those as well that still have survivors. */
const QUICK = ['src/card/cvv.ts']
const LONG = [
  ...QUICK,
  'src/card/mask.ts',
  'src/card/number.ts',
  'src/http/never-sent.ts',
  'src/lib/card-data.ts',
  'src/webhooks/signature.ts',
]
const files = isLong ? LONG : QUICK

it('a test notices each change of what decides about money', { timeout: 3_600_000 }, async () => {
  const output = await mutate(files)
  expect(output).toContain('No survivor.')
  for (const file of files) expect(output).toMatch(new RegExp(`${file}: [1-9]\\d*/0/\\d+ killed/survived/total`))
})

it('operators, numbers, conditions and guards are changed one at a time; texts and types are not', () => {
  const changes = (source: string) => mutantsOf('a.ts', source).map(({ before, after }) => `${before} -> ${after}`)
  expect(changes('const a = b === c')).toEqual(['=== -> !=='])
  expect(changes('const a = b >= 1')).toEqual(['>= -> >', '>= -> <', '1 -> 2', '1 -> 0'])
  expect(changes('const a = b || !c')).toEqual(['|| -> &&', '!c -> !!c'])
  expect(changes("if (has(a)) throw new Error('a')")).toEqual([
    'has(a) -> !(has(a))',
    "if (has(a)) throw new Error('a') -> {}",
  ])
  expect(changes("const a: 1 | 2 = 'b' + c")).toEqual([])
})

function mutate(files: string[]): Promise<string> {
  return new Promise((done) => {
    execFile(process.execPath, [join(root, 'scripts/mutate.ts'), ...files], { cwd: root }, (_error, stdout, stderr) =>
      done(stdout + stderr),
    )
  })
}
