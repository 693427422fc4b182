import { type Context, note } from '../context.ts'
import { declineFirstCard, finishThreeDSecure, pay } from '../domain/payments.ts'
import { statusCodeOf } from '../faults/response-faults.ts'
import { noteFaults } from '../http/request-log.ts'
import { checkForm, checkoutForm, filledForm, readForm } from '../pages/checkout-form.ts'
import { messagePage } from '../pages/layout.ts'
import { outcomePage } from '../pages/outcome.ts'
import { threeDSecurePage } from '../pages/three-d-secure.ts'
import type { LoggedRequest } from '../state/activity.ts'
import { findCard } from '../state/cards.ts'
import type { Order } from '../state/state.ts'
import { timestamp } from '../state/time.ts'

/**
 * The customer's pages: `{base_url}/api/v1/checkout/<checkout_id>/form` (API document, "Hosted request") and its 3-D
 * Secure page.
 */
export async function checkout(
  context: Context,
  request: Request,
  id: string,
  page: string,
  entry: LoggedRequest,
): Promise<Response> {
  const order = context.state.checkouts.get(id)
  entry.operation = 'checkout'
  entry.order_id = order?.order_id ?? null
  if (order === undefined) return messagePage(404, 'No such checkout', 'The link is wrong, or the emulator was reset.')
  const read = request.method === 'GET' || request.method === 'HEAD'
  if (!read && request.method !== 'POST') {
    const response = await messagePage(405, 'Not possible', 'This page is read or posted to.')
    response.headers.set('allow', 'GET, POST')
    return response
  }
  if (page === '3ds') return threeDSecure(context, order, read ? undefined : request)
  return read ? showForm(context, order, request) : submitForm(context, order, request, entry)
}

async function showForm(context: Context, order: Order, request: Request): Promise<Response> {
  if (!isOpen(order)) return nextPage(context, order)
  if (order.opened_at === null) {
    order.opened_at = timestamp(context.scheduler.now())
    note(context, order, 'checkout page opened')
  }
  const card = new URL(request.url).searchParams.get('card')
  return checkoutForm(order, context.shop, card === null ? undefined : filledForm(card, context.scheduler.now()))
}

async function submitForm(context: Context, order: Order, request: Request, entry: LoggedRequest): Promise<Response> {
  const form = readForm(await request.text())
  // After the body was read nothing is awaited until the payment has changed: two posts cannot both pay.
  if (!isOpen(order)) return nextPage(context, order)
  const errors = checkForm(form, context.scheduler.now())
  if (Object.keys(errors).length > 0) return checkoutForm(order, context.shop, form, errors)
  const card = {
    number: form.cc_number,
    month: Number(form.exp_month),
    year: Number(form.exp_year),
    cvv: form.card_cvv,
  }
  const faults = context.faults.take('checkout', 'outcome', order.order_id)
  noteFaults(context, entry, 'checkout', faults)
  const { perturbations } = context.options
  const isFirst = order.declined === undefined && faults.length === 0 && findCard(card.number).status === 'success'
  if (perturbations.includes('second_card') && isFirst) declineFirstCard(context, order)
  pay(context, order, card, statusCodeOf(faults))
  return nextPage(context, order, true)
}

async function threeDSecure(context: Context, order: Order, posted: Request | undefined): Promise<Response> {
  const outcome = new URLSearchParams(await posted?.text()).get('outcome')
  if (!order.payments[0].user_action_required) return nextPage(context, order)
  if (outcome !== 'pass' && outcome !== 'fail') return threeDSecurePage(order)
  finishThreeDSecure(context, order, outcome === 'pass')
  return nextPage(context, order, true)
}

/** A hosted payment that is neither paid nor cancelled nor declined. */
function isOpen(order: Order): boolean {
  return order.payments[0].mode === 'hosted' && order.payments[0].status === 'init'
}

/** Sends the customer on: to the bank, to the shop once it is paid, or to a page with the result. */
async function nextPage(context: Context, order: Order, justNow = false): Promise<Response> {
  const { status, user_action_required, user_action_url } = order.payments[0]
  if (user_action_required && user_action_url !== null) return redirect(user_action_url)
  const back = returnAddress(context, order)
  if (justNow && status === 'success' && back !== null) return redirect(back)
  return outcomePage(order, back)
}

/** The customer's return address; under `return_parameters` with the parameters that a public plugin reads. */
function returnAddress({ options }: Context, { order_id, payments: [{ result_url, status }] }: Order): string | null {
  if (result_url === null || !options.perturbations.includes('return_parameters')) return result_url
  const url = new URL(result_url)
  url.searchParams.set('order_id', order_id)
  url.searchParams.set('status', status)
  return url.href
}

function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { location } })
}
