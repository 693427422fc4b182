import { newOrderId } from '../../../helpers/order-id.ts'
import { isObject } from '../../../lib/kind.ts'
import { type Answer, accepted, authenticated, rejectedWith, returned } from '../answer.ts'
import { hosted, INVALID } from '../inputs.ts'
import { differs, holds, notTried } from '../judgement.ts'
import type { Project } from '../project.ts'
import { acceptedForm } from '../signatures.ts'
import { type Story, story } from '../statement.ts'

/** Whether the API responded: a wrong address is no question of credentials. The SDK accepts a 302 to a checkout. */
const isThere = ({ status = 0, verdict, location = '' }: Answer): boolean =>
  /none|accepted/.test(verdict) || location.includes('/checkout/') || ![301, 302, 307, 308, 404, 405].includes(status)

/** The response of the same path with a slash, if it is there. */
async function slash({ ask, clientWith }: Project): Promise<string | undefined> {
  const request = { ...INVALID, path: '/api/v1/payment/', authentication: 'plain' } as const
  const answer = await ask((options) => clientWith({ authentication: 'plain' }).rawRequest(request, options))
  return isThere(answer) ? answer.says : undefined
}

/** Decides which authentication every other story uses. */
const authentication = story('authentication', [], async (project) => {
  const { ask, clientWith, newOrder, state } = project
  const tryWith = async (kind: 'per-endpoint' | 'plain') => {
    const client = clientWith({ authentication: kind })
    const order_id = await newOrder('checkout')
    const input = hosted(project, order_id)
    const post = await ask((options) => client.createPayment(input, options))
    const order = state.made.find((one) => one.order_id === order_id)
    if (order && (post.verdict === 'rejected' || !isThere(post))) order.now = `never made: ${post.says}`
    const isSilent = post.verdict === 'none' && post.status === undefined
    const resend = () => ask((options) => client.resendWebhook({ order_id, operation: 'purchase' }, options))
    return { post, get: isSilent ? post : await resend() }
  }
  const signed = await tryWith('per-endpoint')
  // Without the service's own responses every other call would fail as well.
  const isLost = isThere(signed.post) && [signed.post, signed.get].every(({ verdict }) => verdict === 'none')
  const plain = isLost ? signed : await tryWith('plain')
  const tried = { 'per-endpoint': signed.post, plain: plain.post }
  const order = ['per-endpoint', 'plain'] as const
  const found = order.find((kind) => isThere(tried[kind]) && authenticated(tried[kind]).result === 'holds')
  if (found !== undefined) state.authentication = found
  const form = signed.post.status === 401 ? await acceptedForm(project) : undefined
  return { signed, plain, slashed: isThere(plain.post) ? undefined : await slash(project), form }
}).judgedBy({
  base_path: ({ plain, slashed }) => {
    const { verdict, says } = plain.post
    if (isThere(plain.post)) return verdict === 'none' ? notTried(says) : holds(says)
    return differs(`${says.split(': ')[0]} to every POST${slashed ? `; with a slash at the end: ${slashed}` : ''}`)
  },
  signed_post: ({ signed, form }) => {
    if (!isThere(signed.post)) return notTried('the API is not there')
    return form === undefined ? authenticated(signed.post) : differs(`${signed.post.says}; accepted: ${form}`)
  },
  signed_get: ({ signed }) => (isThere(signed.post) ? authenticated(signed.get) : notTried('the API is not there')),
  plain_instead: ({ plain }) => (isThere(plain.post) ? authenticated(plain.post) : notTried('the API is not there')),
})

const beyond = story('beyond', [], ({ client, ask }) =>
  ask((options) => client.listOrderOperations({ order_id: newOrderId('conform-') }, options)),
).judgedBy({ beyond_plain: authenticated, unknown_order_404: (list) => rejectedWith(list, 404) })

const rejections = story('rejections', [], async ({ client, clientWith, ask, secret }) => {
  const wrong = clientWith({ apiSecret: `${secret}-not`, authentication: 'plain' })
  return {
    invalid: await ask((options) => client.rawRequest({ ...INVALID, authentication: 'hmac' }, options)),
    wrong: await ask((options) => wrong.listOrderOperations({ order_id: newOrderId('conform-') }, options)),
  }
}).judgedBy({
  invalid_400: ({ invalid }) => rejectedWith(invalid, 400),
  error_body: ({ invalid: { verdict, body, says } }) => {
    if (verdict !== 'rejected') return notTried(says)
    const isDocumented = isObject(body) && typeof body.message === 'string' && typeof body.args === 'object'
    return isDocumented ? holds('message and args') : differs('a body of another shape')
  },
  wrong_secret_401: ({ wrong }) => rejectedWith(wrong, 401),
})

const balances = story('balances', ['apiUrl'], async ({ client, ask }) => {
  const list = await ask((options) => client.listAccounts({}, options))
  const [first] = list.value ?? []
  return { list, one: first && (await ask((options) => client.getAccount({ account_id: first.id }, options))) }
}).judgedBy({
  balances_plain: ({ list }) => authenticated(list),
  account_record: ({ list, one }) => {
    if (list.verdict !== 'accepted') return notTried(list.says)
    return one ? accepted(one) : notTried('this POS has no account')
  },
  currency_form: ({ list }) =>
    returned(list, (accounts) => {
      if (accounts.length === 0) return notTried('this POS has no account')
      return accounts.every(({ currency }) => /^[A-Z]{3}$/.test(currency)) ? holds('three capitals') : differs('others')
    }),
})

export const ACCESS: readonly Story[] = [authentication, beyond, rejections, balances]
