import type { Client } from '../../../client/client-methods.ts'
import { isCheckout } from '../../../operations/purchase.ts'
import { taken, wasMade } from '../answer.ts'
import { doubled, hosted } from '../inputs.ts'
import { holds, notTried } from '../judgement.ts'
import type { Project } from '../project.ts'
import { type Statement, type Story, story } from '../statement.ts'

type Create = (
  project: Project,
  order_id: string,
  client: Client,
) => (options: { signal: AbortSignal }) => Promise<unknown>

/** A hosted payment that is changed in one way, and cancelled in the end. */
function variant(statement: Statement, create: Create, needs: Story['needs'] = [], length = 0): Story {
  return story(
    statement.id,
    needs,
    async (project) => {
      const { hosted: compared } = project.state
      if (compared === undefined) return { compared }
      const order_id = await project.newOrder('checkout', length)
      return { compared, answer: await project.ask(create(project, order_id, project.client)) }
    },
    [
      {
        ...statement,
        judge: ({ compared, answer }) => {
          if (answer === undefined) return notTried('a payment with every documented field was not taken')
          // A difference of every checkout is one difference, not one of each statement.
          return wasMade(answer) && answer.verdict === compared ? holds(answer.says) : taken(answer)
        },
      },
    ],
  )
}

const changed =
  (change: (order: ReturnType<typeof hosted>) => object): Create =>
  (project, order_id, client) =>
  (options) => {
    const order = hosted(project, order_id)
    return client.createPayment({ ...order, ...change(order) } as typeof order, options)
  }

const isCustomer = (name: string): boolean => name.startsWith('customer_')

const HINTS = 'What is assumed: statuses, codes, 3-D Secure options and languages are hints'

/** Hosted payments that are changed in one way each. */
export const VARIANTS: readonly Story[] = [
  variant(
    {
      id: 'customer_fields_optional',
      says: 'Customer fields may be left out.',
      assumed: 'What is assumed: customer fields',
      follow: "customerFields: 'required'",
    },
    changed((order) =>
      Object.fromEntries(
        Object.keys(order)
          .filter(isCustomer)
          .map((name) => [name, undefined]),
      ),
    ),
  ),
  variant(
    {
      id: 'hosted_auth',
      says: 'A hosted auth returns a redirect to a checkout, or a payment record.',
      assumed: 'What is assumed: a hosted auth',
      follow: 'checkoutOrigins, or rawRequest({ redirectExpected: true })',
    },
    (project, order_id, client) => async (options) => {
      const result = await client.createPayment({ ...hosted(project, order_id), method: 'auth' }, options)
      return isCheckout(result)
    },
  ),
  variant(
    {
      id: 'order_id_256',
      says: 'An order_id of 256 characters is taken.',
      assumed: 'What is assumed: order_id has at most 256 characters',
      follow: 'newOrderId, whose ids have at most 29',
    },
    changed(() => ({})),
    [],
    256,
  ),
  variant(
    {
      id: 'description_2048',
      says: 'A description of 2048 characters is taken.',
      assumed: 'What is assumed: description has at most 2048 characters',
      follow: 'a shorter description; payload takes 4000 characters',
    },
    changed(() => ({ description: 'd'.repeat(2048) })),
  ),
  ...(['always', 'never'] as const).map((bypass) =>
    variant(
      {
        id: `three_d_secure_${bypass}`,
        says: `order_3ds_bypass takes "${bypass}".`,
        assumed: HINTS,
        follow: "order_3ds_bypass: 'supported', or a value of your project: any text is sent",
      },
      changed(() => ({ order_3ds_bypass: bypass })),
    ),
  ),
  variant(
    {
      id: 'customer_lang',
      says: 'customer_lang takes "UK".',
      assumed: HINTS,
      follow: 'customer_lang of your project: any text is sent',
    },
    changed(() => ({ customer_lang: 'UK' })),
  ),
  variant(
    {
      id: 'no_retries',
      says: 'retry_attempts and retry_interval_hours of init_recurring may be 0.',
      assumed: 'What is assumed: init_recurring',
      follow: 'retry_attempts and retry_interval_hours of 1 or more, or left out',
    },
    changed(() => ({
      init_recurring: { interval_unit: 'month', interval_count: 1, retry_attempts: 0, retry_interval_hours: 0 },
    })),
  ),
  variant(
    {
      id: 'split_sum',
      says: 'The parts of a split need not add up to its amount.',
      assumed: 'What is assumed: the parts of a split',
      follow: 'splitAmount, whose parts add up',
    },
    (project, order_id, client) => (options) => {
      const { amount, subMerchant = '' } = project
      const order = { ...hosted(project, order_id), method: 'purchase' as const, amount: doubled(amount) }
      return client.createSplitPurchase({ ...order, split: [{ amount, sub_merchant_id: subMerchant }] }, options)
    },
    ['subMerchant'],
  ),
]
