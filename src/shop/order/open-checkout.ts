import type { CheckoutLink } from '../../checkout-link/index.ts'
import { isApiError, isInvalidInputError, isOutcomeUnknownError } from '../../errors.ts'
import { wasUsed } from '../../money/calls.ts'
import { resendWebhook } from '../../operations/resend-webhook.ts'
import { holdsMoney } from '../../orders/fold.ts'
import { recordOf } from '../../schemas/read.ts'
import type { WebhookEvent } from '../../webhooks/index.ts'
import { clientConfig } from '../env.ts'
import { attemptId } from '../lib/attempt-id.ts'
import { resultLink, webhookAddress } from '../lib/links.ts'
import { describeError, logError } from '../lib/log.ts'
import { ifPossible } from '../lib/storage-error.ts'
import {
  announce,
  announcedIds,
  areClosed,
  closeLinks,
  expectedOf,
  expire,
  getCheckout,
  isRevoked,
  type LinkedOrder,
  orderOf,
  remember,
} from './checkouts.ts'
import { cancelAtService, makePayment } from './money-calls.ts'
import { getStatus } from './order.ts'
import {
  type CheckoutAnswer,
  type CheckoutCommand,
  type CheckoutMessage,
  type CheckoutState,
  type Visit as LinkTerms,
  stepCheckout,
} from './protocol-checkout.ts'
import { noteCreated, takeStock } from './rebuild.ts'
import type { OrderScope } from './scope.ts'
import { storeShown } from './store-event.ts'
import { unwatch } from './watchlist.ts'

/** The result of opening a link: to the payment, or to the result; else the page to show. */
export type Opening =
  | { kind: 'redirect'; url: string }
  | { kind: Exclude<CheckoutAnswer['kind'], 'redirect' | 'result' | 'cancelled' | 'rejected' | 'link_closed'> }

export interface Visit {
  link: CheckoutLink
  /** The link's own path, for another try after a decline. */
  path: string
}

/**
 * Brings a link's customer to the checkout: the existing one, or a new one. There is one payment however often and however
 * concurrently a link is opened.
 */
export async function openCheckout(scope: OrderScope, order_id: string, visit: Visit): Promise<Opening> {
  const run: Run = { scope, order_id, linked: { ...visit, scope } }
  try {
    const answer = await play(run, { type: 'open' })
    if (answer.kind === 'failed' || answer.kind === 'unusable') throw run.error
    if (answer.kind !== 'result') return answer as Opening
    return { kind: 'redirect', url: await resultOf(run.linked as LinkedOrder, answer.attempt) }
  } catch (error) {
    logError('checkout_not_opened', { order_id, ...describeError(error), fields: fieldsOf(error) })
    return isInvalidInputError(error) ? { kind: 'unusable' } : { kind: 'failed' }
  }
}

/** Cancels the open payment of an order, and closes its link. @param named The order, or an attempt at paying it. */
export async function cancelOrder(scope: OrderScope, named: string): Promise<Record<string, unknown>> {
  const order_id = orderOf(scope.store, named)
  const run: Run = { scope, order_id }
  const answer = await play(run, { type: 'cancel' })
  if (answer.kind === 'cancelled') return run.cancelled as Record<string, unknown>
  if (answer.kind === 'link_closed') return { order_id: attemptId(order_id, answer.attempt), link: 'closed' }
  throw run.error
}

/** The state that is kept while a message and all that follow from it are played. */
interface Run {
  scope: OrderScope
  order_id: string
  /** The link that is being opened. */
  linked?: LinkedOrder
  /** The service's response to the last cancellation. */
  cancelled?: object
  /** Of the last call that failed. */
  error?: unknown
}

async function play(run: Run, first: CheckoutMessage): Promise<CheckoutAnswer> {
  const { scope, linked } = run
  let state: CheckoutState | undefined
  for (let message: CheckoutMessage | undefined = first; message; ) {
    // While the service was called an event may have said that the order is paid, or why a cancellation was rejected.
    const read = await readState(run)
    if (!state || message.type === 'cancelled' || read.attempts.some(({ holdsMoney }) => holdsMoney)) state = read
    const commands = stepCheckout(state, message, scope.now(), linked && visitOf(linked))
    message = undefined
    for (const command of commands) {
      if (command.type === 'answer') return command.answer
      message = (await carryOut(run, command)) ?? message
    }
  }
  throw new Error('The protocol gave no answer.')
}

const visitOf = ({ link }: LinkedOrder): LinkTerms => ({
  ...expectedOf(link),
  ...{ method: link.order.method, expires_at: link.expiresAt },
})

async function readState({ scope, order_id, linked }: Run): Promise<CheckoutState> {
  const { store } = scope
  await takeStock(scope, order_id)
  const checkout = getCheckout(store, order_id)
  return {
    checkout,
    isClosed: areClosed(store, order_id),
    isRevoked: linked !== undefined && isRevoked(store, linked.path),
    attempts: announcedIds(store, order_id, checkout ?? {}).map((id) => {
      const status = getStatus(store, id)
      return { ...status, holdsMoney: status && holdsMoney(status.totals) }
    }),
  }
}

/** Cancels an attempt at paying an order that another one has paid. @returns Whether nobody can pay it any more. */
export async function cancelBeside(scope: OrderScope, order_id: string): Promise<boolean> {
  try {
    await cancelAtService(scope, order_id)
    return true
  } catch (error) {
    return isApiError(error) && error.status === 404
  }
}

/** @returns The message that follows from a command. */
async function carryOut(
  run: Run,
  command: Exclude<CheckoutCommand, { type: 'answer' }>,
): Promise<CheckoutMessage | undefined> {
  const { scope, order_id } = run
  // Of a link; the shop's cancellation has no such commands.
  const linked = run.linked as LinkedOrder
  switch (command.type) {
    case 'ask':
      return { ...command, type: 'asked', status: await askStatus(linked, command.attempt) }
    case 'create':
      return create(run, linked, command)
    case 'cancel':
      try {
        run.cancelled = { ...(await cancelAtService(scope, attemptId(order_id, command.attempt))) }
        return { ...command, type: 'cancelled' }
      } catch (error) {
        if (!isApiError(error)) throw error
        run.error = error
        return { ...command, type: 'cancelled', rejectedWith: error.status }
      }
    case 'announce':
      return void announce(linked, command.attempt)
    case 'remember': {
      const { type: _, attempt: attempts, ...rest } = command
      return void (await remember(linked, { attempts, ...rest }))
    }
    case 'expire':
      return void expire(linked, command.attempt)
    case 'close':
      if (command.mayFail) ifPossible(() => closeLinks(scope.store, order_id))
      else closeLinks(scope.store, order_id)
      return undefined
    case 'unwatch':
      return void (await unwatch(scope.store, attemptId(order_id, command.attempt)))
  }
}

/** Asks the service for the status of an attempt's payment, and stores what it says. */
async function askStatus({ scope, link }: LinkedOrder, attempt: number): Promise<unknown> {
  const { env, fetch } = scope
  const order_id = attemptId(link.order.order_id, attempt)
  let event: WebhookEvent
  try {
    event = await resendWebhook(clientConfig(env, fetch), { order_id, operation: link.order.method })
  } catch (error) {
    if (!(isApiError(error) && error.status === 404)) throw error
    return undefined
  }
  await storeShown(scope, event, { expected: expectedOf(link) })
  return recordOf(event).status ?? null
}

async function create(
  run: Run,
  linked: LinkedOrder,
  { attempt, isNew }: Extract<CheckoutCommand, { type: 'create' }>,
): Promise<CheckoutMessage> {
  const { scope, link } = linked
  const secret = scope.env.LINK_SECRET
  const order_id = attemptId(link.order.order_id, attempt)
  try {
    const result_url = await resultOf(linked, attempt)
    const url = await makePayment(scope, {
      ...link.order,
      order_id,
      server_url: link.order.server_url ?? (await webhookAddress(link.origin, order_id, expectedOf(link), secret)),
      result_url,
    })
    if (attempt === 1) ifPossible(() => noteCreated(scope.store))
    return { type: 'created', attempt, url: url ?? result_url }
  } catch (error) {
    run.error = error
    const how = wasUsed(error)
      ? 'used'
      : isOutcomeUnknownError(error)
        ? 'unknown'
        : isInvalidInputError(error)
          ? 'unusable'
          : 'failed'
    return { type: 'not_created', attempt, isNew, how }
  }
}

const resultOf = async ({ link, scope }: LinkedOrder, attempt: number): Promise<string> =>
  link.order.result_url ??
  (await resultLink(link.origin, attemptId(link.order.order_id, attempt), scope.env.LINK_SECRET))

/** The names of the fields that are wrong; never what they contain. */
function fieldsOf(error: unknown): string[] | undefined {
  if (isInvalidInputError(error)) return error.issues.map(({ path }) => path)
  // The service's text: anything but a name may repeat what a customer entered.
  const isName = (text: string) => /^[a-z_][\w.[\]]{0,63}$/i.test(text)
  return isApiError(error) ? error.violations.map(({ field_name }) => field_name).filter(isName) : undefined
}
