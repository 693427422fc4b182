import { newOrderId } from '../../../helpers/order-id.ts'
import { isObject } from '../../../lib/kind.ts'
import { authenticated, rejectedWith, returned } from '../answer.ts'
import { hosted } from '../inputs.ts'
import { differs, holds, notTried } from '../judgement.ts'
import { type Story, story } from '../statement.ts'

const SIGNATURE = 'What is assumed: the request signature'
const BEYOND = 'What is assumed: the operations beyond the API document'
const ERRORS = 'src/http/not-processed.ts'

/** Decides which authentication every other story uses. */
const authentication = story(
  'authentication',
  [],
  async (project) => {
    const { ask, clientWith, newOrder, state } = project
    const tryWith = async (kind: 'per-endpoint' | 'plain') => {
      const client = clientWith({ authentication: kind })
      const order_id = await newOrder('checkout')
      const input = hosted(project, order_id)
      return {
        post: await ask((options) => client.createPayment(input, options)),
        get: await ask((options) => client.resendWebhook({ order_id, operation: 'purchase' }, options)),
      }
    }
    const signed = await tryWith('per-endpoint')
    const plain = await tryWith('plain')
    const works = { 'per-endpoint': authenticated(signed.post), plain: authenticated(plain.post) }
    const order = ['per-endpoint', 'plain'] as const
    const found = order.find((kind) => works[kind].result === 'holds')
    if (found !== undefined) state.authentication = found
    return { signed, plain }
  },
  [
    {
      id: 'signed_post',
      says: 'A request signed with lower-case hex of HMAC-SHA1 over its exact body, keyed with the API secret, is accepted.',
      assumed: SIGNATURE,
      follow: "authentication: 'plain' (EDGETILL_AUTHENTICATION=plain), or your own signer",
      judge: ({ signed }) => authenticated(signed.post),
    },
    {
      id: 'signed_get',
      says: 'A GET is signed over an empty text.',
      assumed: SIGNATURE,
      follow: "authentication: 'plain' (EDGETILL_AUTHENTICATION=plain), or your own signer",
      judge: ({ signed }) => authenticated(signed.get),
    },
    {
      id: 'plain_instead',
      says: 'The plain scheme is accepted where the API document says HMAC.',
      assumed: SIGNATURE,
      follow: "authentication: 'per-endpoint' (the default) on every call of that kind",
      judge: ({ plain }) => authenticated(plain.post),
    },
  ],
)

const beyond = story(
  'beyond',
  [],
  ({ client, ask }) =>
    ask((options) => client.listOrderOperations({ order_id: newOrderId('conform-') }, options)).then((list) => ({
      list,
    })),
  [
    {
      id: 'beyond_plain',
      says: 'The operations beyond the API document authenticate plainly, with X-API-KEY.',
      assumed: BEYOND,
      follow: "rawRequest({ authentication: 'hmac' })",
      judge: ({ list }) => authenticated(list),
    },
    {
      id: 'unknown_order_404',
      says: 'The operations of an order that does not exist are a 404.',
      assumed: 'resolveOutcome: what is absent was not processed',
      follow: 'rawRequest in place of resolveOutcome; an empty list needs nothing, since it counts as absent too',
      judge: ({ list }) => rejectedWith(list, 404),
    },
  ],
)

const rejections = story(
  'rejections',
  [],
  async ({ client, clientWith, ask, secret }) => {
    const wrong = clientWith({ apiSecret: `${secret}-not`, authentication: 'plain' })
    return {
      invalid: await ask((options) =>
        client.rawRequest(
          {
            method: 'POST',
            path: '/api/v1/payment',
            body: { mode: 'hosted', method: 'purchase' },
            authentication: 'hmac',
          },
          options,
        ),
      ),
      wrong: await ask((options) => wrong.listOrderOperations({ order_id: newOrderId('conform-') }, options)),
    }
  },
  [
    {
      id: 'invalid_400',
      says: 'A request without required parameters is a 400: nothing was processed.',
      assumed: ERRORS,
      follow:
        'isOutcomeUnknownError and resolveOutcome, which take over at a status that does not mean "not processed"',
      judge: ({ invalid }) => rejectedWith(invalid, 400),
    },
    {
      id: 'error_body',
      says: 'The body of a rejection is { message, args }.',
      assumed: 'ApiError: apiMessage, apiCode and violations',
      follow: 'body of the ApiError, which keeps what came',
      judge: ({ invalid: { verdict, body, says } }) => {
        if (verdict !== 'rejected') return notTried(says)
        const isDocumented = isObject(body) && typeof body.message === 'string' && typeof body.args === 'object'
        return isDocumented ? holds('message and args') : differs('a body of another shape')
      },
    },
    {
      id: 'wrong_secret_401',
      says: 'A wrong API secret is a 401.',
      assumed: ERRORS,
      follow: 'status of the ApiError',
      judge: ({ wrong }) => rejectedWith(wrong, 401),
    },
  ],
)

const balances = story(
  'balances',
  ['apiUrl'],
  async ({ client, ask }) => {
    const list = await ask((options) => client.listAccounts({}, options))
    const [first] = list.value ?? []
    return { list, one: first && (await ask((options) => client.getAccount({ account_id: first.id }, options))) }
  },
  [
    {
      id: 'balances_plain',
      says: 'Balances are read plainly, without X-API-KEY.',
      assumed: 'the API document, "Authentication"',
      follow: "rawRequest({ base: 'apiUrl', authentication: 'hmac' })",
      judge: ({ list }) => authenticated(list),
    },
    {
      id: 'account_record',
      says: 'An account has id, currency and balances, alone and in the list.',
      assumed: 'the API document, "Balances"',
      follow: "rawRequest({ base: 'apiUrl' })",
      judge: ({ list, one }) => {
        if (list.verdict !== 'accepted') return notTried(list.says)
        if (one === undefined) return notTried('this POS has no account')
        return one.verdict === 'accepted' ? holds(one.says) : differs(one.says)
      },
    },
    {
      id: 'currency_form',
      says: 'A currency is three capitals.',
      assumed: 'What is assumed: shapes of ours',
      follow: 'rawRequest, which checks no field',
      judge: ({ list }) =>
        returned(list, (accounts) => {
          if (accounts.length === 0) return notTried('this POS has no account')
          return accounts.every(({ currency }) => /^[A-Z]{3}$/.test(currency))
            ? holds('three capitals')
            : differs('others')
        }),
    },
  ],
)

export const ACCESS: readonly Story[] = [authentication, beyond, rejections, balances]
