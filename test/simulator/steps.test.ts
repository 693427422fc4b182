import { expect, it } from 'vitest'
import { createRandom } from '../worker/support/random.ts'
import { createSteps, type Steps, type StepsOptions } from './steps.ts'

function create(seed: number, demotes: StepsOptions['demotes'] = () => false, idle = () => {}): Steps {
  const steps = createSteps({ random: createRandom(seed), now: () => 0, before: () => {}, demotes, idle })
  steps.on = true
  return steps
}

/** Each of three actors makes two calls. @returns Who went, in order. */
async function played(seed: number, demotes?: StepsOptions['demotes']): Promise<string> {
  const steps = create(seed, demotes)
  const calls = async (actor: string) => {
    for (const what of ['reads', 'writes']) await steps.call(actor, what, async () => {})
  }
  for (const actor of ['a', 'b', 'c']) steps.begin(calls(actor))
  await steps.run()
  return steps.log.map(([actor]) => actor).join('')
}

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed)

it('plays one order for one seed, and lets whoever is preferred finish first: every order of three actors', async () => {
  const orders = await Promise.all(SEEDS.map((seed) => played(seed)))
  expect(await Promise.all(SEEDS.map((seed) => played(seed)))).toEqual(orders)
  expect(new Set(orders).size).toBe(6)
  for (const order of orders) expect(order).toMatch(/^(.)\1(.)\2(.)\3$/)
})

it('lets the others go before an actor that is demoted', async () => {
  for (const seed of SEEDS) expect(await played(seed, (turn) => turn === 1)).toMatch(/^(.)(.)\2(.)\3\1$/)
})

it('never lets an actor go that was dropped, and the others go on', async () => {
  const steps = create(1)
  const did: string[] = []
  for (const actor of ['dead', 'other']) void steps.call(actor, 'reads', async () => void did.push(actor))
  steps.drop('dead')
  await steps.run()
  expect([steps.log, did]).toEqual([['other: reads'], ['other']])
})

it('lets whoever is not ready go when nothing else goes on', async () => {
  for (const seed of SEEDS) {
    const steps = create(seed)
    steps.begin(steps.at('alarm', 'rings', () => steps.log.length >= 3))
    for (const actor of ['a', 'b', 'c', 'd']) steps.begin(steps.at(actor, 'works'))
    for (const actor of ['late', 'later']) steps.begin(steps.at(actor, 'works', () => false))
    await steps.run()
    const order = steps.log.map((line) => line.slice(0, line.indexOf(':')))
    expect([order.indexOf('alarm') >= 3, order.slice(5).sort()]).toEqual([true, ['late', 'later']])
  }
})

it('gives the next turn when the work of the one before has ended', async () => {
  const steps = create(1)
  const seen: string[] = []
  const work = async () => {
    seen.push('begins')
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
    seen.push('ends')
  }
  for (const actor of ['a', 'b']) steps.begin(steps.call(actor, 'works', work))
  await steps.run()
  expect(seen).toEqual(['begins', 'ends', 'begins', 'ends'])
})

it('notices what is stuck, and says first that nothing waits', async () => {
  let wasIdle = 0
  const steps = create(1, undefined, () => void wasIdle++)
  steps.begin(steps.call('dead', 'reads', async () => {}))
  steps.drop('dead')
  await expect(steps.run()).rejects.toThrow('Something is stuck:')
  expect(wasIdle).toBeGreaterThan(0)
})
