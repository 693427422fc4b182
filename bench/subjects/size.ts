import { buildPackage, bundleOf } from '../bundles.ts'
import { OUR_BUNDLES } from '../ours.ts'
import type { Goal, Measure, Subject } from '../report.ts'

const TABLE = 'Minified and gzipped, bundled for workerd'

/** The code that a peer's user would write for the same. A peer without a smaller part is bundled whole. */
const PEERS: [peer: string, what: string, program: string][] = [
  ['stripe', 'verify a webhook', `import Stripe from 'stripe'; export const { webhooks } = Stripe`],
  ['stripe', 'one hosted checkout', `export { default } from 'stripe'`],
  ['stripe', 'whole client', `export { default } from 'stripe'`],
  ['paddle', 'verify a webhook', `export { EdgeRuntime, WebhooksValidator } from '@paddle/paddle-node-sdk'`],
  ['paddle', 'one hosted checkout', `export { Paddle } from '@paddle/paddle-node-sdk'`],
  ['paddle', 'whole client', `export { Paddle } from '@paddle/paddle-node-sdk'`],
  ['standardwebhooks', 'verify a webhook', `export { Webhook } from 'standardwebhooks'`],
  ['svix', 'verify a webhook', `export { Webhook } from 'svix'`],
  [
    'lemonsqueezy',
    'one hosted checkout',
    `export { createCheckout, lemonSqueezySetup } from '@lemonsqueezy/lemonsqueezy.js'`,
  ],
  ['lemonsqueezy', 'whole client', `export * from '@lemonsqueezy/lemonsqueezy.js'`],
  ['polar', 'verify a webhook', `export { webhooks } from '@polar-sh/sdk/2026-10'`],
  [
    'polar',
    'one hosted checkout',
    `export { createPolarCore } from '@polar-sh/sdk/2026-10'; export { createCheckouts } from '@polar-sh/sdk/2026-10/services/checkouts'`,
  ],
  ['polar', 'whole client', `export { createPolar } from '@polar-sh/sdk/2026-10'`],
  [
    'hono alone (hono/tiny, one route)',
    'whole worker',
    `import { Hono } from 'hono/tiny'; export default new Hono().get('/', (c) => c.text(''))`,
  ],
]

export const measure: Subject = async ({ say }) => {
  await buildPackage()
  const measures: Measure[] = []
  const add = (row: string, column: string, gzipped: number, ours = false) => {
    const kB = gzipped / 1000
    measures.push({ table: TABLE, row, column, unit: 'kB', median: kB, low: kB, high: kB, rounds: 1, ours })
  }
  const goals: Goal[] = []
  for (const { name, program, goal } of OUR_BUNDLES) {
    say(name)
    const { gzipped } = await bundleOf(program('package'))
    add('edgetill', name, gzipped, true)
    if (Number.isFinite(goal))
      goals.push({ text: `size: ${name}`, measured: gzipped / 1000, goal: goal / 1000, unit: 'kB' })
  }
  for (const [peer, what, program] of PEERS) add(peer, what, (await bundleOf(program)).gzipped)
  return {
    title: 'Bundle size',
    notes: [
      'edgetill is the package as built for publishing, including valibot and @noble/hashes; the worker includes Hono.',
      'stripe is one client object without smaller parts, and so is paddle except for verifying. lemonsqueezy does not verify webhooks.',
    ],
    chart: { table: TABLE, title: 'Bundle size, minified and gzipped (lower is better)' },
    measures,
    goals,
  }
}
