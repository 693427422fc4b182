import { expect, it } from 'vitest'
import { CAUSES, type Cause } from '../../../src/testing/prove/causes.ts'
import { RULES } from '../../../src/testing/prove/diagnose.ts'
import { WRONG } from '../../node/prove/shops.ts'

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

it('each cause of a wrong shop can be named', () => {
  const wanted = Object.values(WRONG).flatMap((shops) => Object.values(shops))
  expect(wanted.filter((cause) => !(cause in CAUSES))).toEqual([])
})
