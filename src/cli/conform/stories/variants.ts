import type { Client } from '../../../client/client-methods.ts'
import { accepted, wasMade } from '../answer.ts'
import { CUSTOMER, doubled, hosted } from '../inputs.ts'
import { holds, notTried } from '../judgement.ts'
import type { Project } from '../project.ts'
import { type Story, story } from '../statement.ts'

type Options = { signal: AbortSignal }
type Create = (client: Client, order: ReturnType<typeof hosted>, options: Options, project: Project) => Promise<unknown>

const createPayment: Create = (client, order, options) => client.createPayment(order, options)

/** A hosted payment that is changed in one way, and cancelled in the end. */
const variant = (id: string, change: object | Create, needs: Story['needs'] = [], length = 0): Story =>
  story(id, needs, async (project) => {
    const { client, ask, newOrder, state } = project
    const { hosted: compared } = state
    if (compared === undefined) return { compared }
    const order = hosted(project, await newOrder('checkout', project.amount, length))
    const create = typeof change === 'function' ? (change as Create) : createPayment
    const changed = typeof change === 'function' ? order : { ...order, ...change }
    return { compared, answer: await ask((options) => create(client, changed, options, project)) }
  }).judgedBy({
    [id]: ({ compared, answer }) => {
      if (answer === undefined) return notTried('a payment with every documented field was not accepted')
      // A difference of every checkout counts only once.
      return wasMade(answer) && answer.verdict === compared ? holds(answer.says) : accepted(answer)
    },
  })

const NO_RETRIES = { interval_unit: 'month', interval_count: 1, retry_attempts: 0, retry_interval_hours: 0 }

export const VARIANTS: readonly Story[] = [
  variant('customer_fields_optional', Object.fromEntries(Object.keys(CUSTOMER).map((name) => [name, undefined]))),
  variant('hosted_auth', (client, order, options) => client.createPayment({ ...order, method: 'auth' }, options)),
  variant('order_id_256', {}, [], 256),
  variant('description_2048', { description: 'd'.repeat(2048) }),
  variant('three_d_secure_always', { order_3ds_bypass: 'always' }),
  variant('three_d_secure_never', { order_3ds_bypass: 'never' }),
  variant('customer_lang', { customer_lang: 'UK' }),
  variant('no_retries', { init_recurring: NO_RETRIES }),
  variant(
    'split_sum',
    (client, order, options, { amount, subMerchant = '' }) => {
      const split = [{ amount, sub_merchant_id: subMerchant }]
      return client.createSplitPurchase({ ...order, method: 'purchase', amount: doubled(amount), split }, options)
    },
    ['subMerchant'],
  ),
]
