import { newOrderId } from '../../../helpers/order-id.ts'
import { isObject } from '../../../lib/kind.ts'
import { type Answer, authenticated, rejectedWith, returned } from '../answer.ts'
import { hosted } from '../inputs.ts'
import { differs, holds, notTried } from '../judgement.ts'
import type { Project } from '../project.ts'
import { acceptedForm } from '../signatures.ts'
import { type Story, story } from '../statement.ts'

const SIGNATURE = 'What is assumed: the request signature'
const BEYOND = 'What is assumed: the operations beyond the API document'
const ERRORS = 'guides/errors.md: an error status that means that nothing was processed'

/** Whether anything of the API was met: a wrong base address or path is not a matter of credentials. */
const isThere = ({ status = 0, verdict }: Answer): boolean =>
  verdict === 'none' || ![301, 302, 307, 308, 404, 405].includes(status)

/** The response of the same path with a slash, if it is there. Nothing is made: every amount is missing. */
async function slash({ ask, clientWith }: Project): Promise<string | undefined> {
  const request = { method: 'POST', path: '/api/v1/payment/', body: { mode: 'hosted', method: 'purchase' } } as const
  const client = clientWith({ authentication: 'plain' })
  const answer = await ask((options) => client.rawRequest({ ...request, authentication: 'plain' }, options))
  return isThere(answer) ? answer.says : undefined
}

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
      const post = await ask((options) => client.createPayment(input, options))
      const made = state.made.find((one) => one.order_id === order_id)
      if (made && (post.verdict === 'rejected' || !isThere(post))) made.now = `never made: ${post.says}`
      return {
        post,
        get: await ask((options) => client.resendWebhook({ order_id, operation: 'purchase' }, options)),
      }
    }
    const signed = await tryWith('per-endpoint')
    const plain = await tryWith('plain')
    const tried = { 'per-endpoint': signed.post, plain: plain.post }
    const order = ['per-endpoint', 'plain'] as const
    const found = order.find((kind) => isThere(tried[kind]) && authenticated(tried[kind]).result === 'holds')
    if (found !== undefined) state.authentication = found
    const form = signed.post.status === 401 ? await acceptedForm(project) : undefined
    return { signed, plain, slashed: isThere(plain.post) ? undefined : await slash(project), form }
  },
  [
    {
      id: 'base_path',
      says: 'The API is at base_url, and its paths have no slash at the end.',
      assumed: 'the API document, "Create payment"',
      follow:
        'EDGETILL_BASE_URL: the address that the merchant portal names, with its path; or rawRequest with that slash',
      judge: ({ plain, slashed }) => {
        if (plain.post.verdict === 'none') return notTried(plain.post.says)
        if (isThere(plain.post)) return holds(plain.post.says)
        return differs(`${plain.post.says} to every POST${slashed ? `; with a slash at the end: ${slashed}` : ''}`)
      },
    },
    {
      id: 'signed_post',
      says: 'A request signed with lower-case hex of HMAC-SHA1 over its exact body, keyed with the API secret, is accepted.',
      assumed: SIGNATURE,
      follow: "authentication: 'plain' (EDGETILL_AUTHENTICATION=plain), or your own signer",
      judge: ({ signed, form }) => {
        if (!isThere(signed.post)) return notTried('the API is not there')
        return form === undefined ? authenticated(signed.post) : differs(`${signed.post.says}; accepted: ${form}`)
      },
    },
    {
      id: 'signed_get',
      says: 'A GET is signed over an empty text.',
      assumed: SIGNATURE,
      follow: "authentication: 'plain' (EDGETILL_AUTHENTICATION=plain), or your own signer",
      judge: ({ signed }) => (isThere(signed.post) ? authenticated(signed.get) : notTried('the API is not there')),
    },
    {
      id: 'plain_instead',
      says: 'The plain scheme is accepted where the API document says HMAC.',
      assumed: SIGNATURE,
      follow: "authentication: 'per-endpoint' (the default) on every call of that kind",
      judge: ({ plain }) => (isThere(plain.post) ? authenticated(plain.post) : notTried('the API is not there')),
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
