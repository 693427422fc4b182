import { expect, it } from 'vitest'
import { CAUSES, type Cause } from '../../../src/testing/prove/causes.ts'
import { RULES } from '../../../src/testing/prove/diagnose.ts'
import { WRONG as SERVED } from '../../node/prove/shops.ts'
import { ALSO_WRONG, WRONG, WRONG_BUTTONS } from './support/wrong.ts'

/** Causes that no rule decides: the run itself, the end of the run and the buttons name them. */
const ELSEWHERE =
  /^(hangs|comes_and_goes|not_examined|forgets_copies|(capture_)?never_ends|(refunds|captures)_\w+|loses_\w+)$/

it('no rule is shadowed by an earlier rule without a condition', () => {
  const shadowed = RULES.flatMap(([cause, tags], index) => {
    const above = RULES.slice(0, index).find(([, fewer, also]) => !also && fewer.every((tag) => tags.includes(tag)))
    return above ? [`${cause} (${tags}) by ${above[0]} (${above[1]})`] : []
  })
  expect(shadowed).toEqual([])
})

it('each cause has a rule, or is decided elsewhere', () => {
  const ruled = new Set<Cause>(RULES.map(([cause]) => cause))
  const causes = Object.keys(CAUSES) as Cause[]
  expect(causes.filter((cause) => !ruled.has(cause) && !ELSEWHERE.test(cause))).toEqual([])
})

it('each cause has a wrong shop or a wrong button, and each of those has a cause', () => {
  const served = Object.values(SERVED).flatMap((shops) => Object.values(shops))
  const own = new Set<string>([...served, ...[...WRONG, ...ALSO_WRONG, ...WRONG_BUTTONS].map(([, cause]) => cause)])
  // A run that is stopped names not_examined.
  expect(Object.keys(CAUSES).filter((cause) => !own.has(cause))).toEqual(['not_examined'])
  expect([...own].filter((cause) => !(cause in CAUSES))).toEqual([])
})
