/** An assumption about the service: where it is made, and the setting for a service that differs. */
export type Statement = Record<'id' | 'says' | 'assumed' | 'follow', string>

/** `id: statement`, and below it `assumed | follow`. */
const STATEMENTS = `
base_path: The API is at base_url, and its paths have no slash at the end.
  the API document, "Create payment" | EDGETILL_BASE_URL as the merchant portal shows it; rawRequest
signed_post: A signature is lower-case hex of HMAC-SHA1 over the exact body, keyed with the API secret.
  What is assumed: the request signature | authentication: 'plain' (EDGETILL_AUTHENTICATION=plain), or your own signer
signed_get: A GET is signed over an empty text.
  What is assumed: the request signature | authentication: 'plain' (EDGETILL_AUTHENTICATION=plain), or your own signer
plain_instead: The plain scheme is accepted where the API document says HMAC.
  What is assumed: the request signature | authentication: 'per-endpoint' (the default) on every call of that kind
beyond_plain: The operations beyond the API document authenticate plainly, with X-API-KEY.
  What is assumed: the operations beyond the API document | rawRequest({ authentication: 'hmac' })
unknown_order_404: A request for the operations of an unknown order gets a 404.
  resolveOutcome: an absent operation was not processed | rawRequest; an empty list counts as absent too
invalid_400: A request without required parameters is a 400: nothing was processed.
  guides/errors.md: an error status that means that nothing was processed | resolveOutcome after any other status
error_body: The body of a rejection is { message, args }.
  ApiError: apiMessage, apiCode and violations | body of the ApiError, which has the whole response
wrong_secret_401: A wrong API secret is a 401.
  guides/errors.md: an error status that means that nothing was processed | status of the ApiError
balances_plain: Balances are read with plain authentication, without X-API-KEY.
  the API document, "Authentication" | rawRequest({ base: 'apiUrl', authentication: 'hmac' })
account_record: An account has id, currency and balances, alone and in the list.
  the API document, "Balances" | rawRequest({ base: 'apiUrl' })
currency_form: A currency is three capital letters.
  What is assumed: shapes of ours | rawRequest, which checks no field
hosted_redirect: A hosted purchase returns a redirect to the documented path, or a 303 to the origin of baseUrl.
  What is assumed: a checkout is a redirect | checkoutOrigins for another address; rawRequest for a body
visible_at_once: A payment is shown as soon as it is made.
  What is assumed: settleAfterMs of resolveOutcome | settleAfterMs, or --settle-after on the command line
list_records: The list of an order's operations is an array of the API document's records.
  What is assumed: the operations beyond the API document | resendWebhook: resolveOutcome uses it at a 404
status_init: An unpaid hosted payment has the status init.
  What is assumed: other statuses are hints | isFinal and isSuccess, which no other status passes
status_words: A status is init, pending, success or failure, in lower case.
  the API document, "States and transitions" | isFinal and isSuccess are false for any other word: report it
amount_is_number: An amount is a JSON number.
  the API document, "Common types"; a text is read as well | the fields of the event, not of its record
amount_size: An amount is in units of the currency, as it was sent: 0.01, not 1.
  the API document, "Common types" | toMinorUnits and fromMinorUnits, around every amount of this service
timestamp_form: A time is yyyy-MM-ddTHH:mm:ss.SSS without a zone.
  the API document, "Common types"; compareTimestamps | created_at as text, without compareTimestamps
timestamp_utc: Times are in UTC.
  the emulator; the SDK assumes no zone | the zone of timestampToDate(timestamp, zone)
resend_record: A re-sent webhook returns the parameters of the operation.
  the API document, "Re-send a webhook for an operation" | listOrderOperations, or the record of the event
used_order_id: A second payment with the same order_id is rejected.
  What is not promised: order_id is the only idempotency key | newOrderId, resolveOutcome before a new try
cancel_record: A cancellation returns an array of one record with status failure and code 6007.
  the API document, "Cancel a created, unpaid payment" | status of the payment, or listOrderOperations
failure_is_final: A cancelled payment stays a failure: that status is final.
  What is assumed: success and failure are final | foldOrder, whose flag status_conflict shows a change
cancel_again_4xx: Cancelling a cancelled payment is rejected with a 400, 404 or 409.
  the emulator; the API document shows no response | listOrderOperations before a cancellation is repeated
customer_fields_optional: Customer fields may be left out.
  What is assumed: customer fields | customerFields: 'required'
hosted_auth: A hosted auth returns a redirect to a checkout, or a payment record.
  What is assumed: a hosted auth | checkoutOrigins, or rawRequest({ redirectExpected: true })
order_id_256: An order_id of 256 characters is accepted.
  What is assumed: order_id has at most 256 characters | newOrderId, whose ids have at most 29
description_2048: A description of 2048 characters is accepted.
  What is assumed: description has at most 2048 characters | a shorter description; payload takes 4000 characters
three_d_secure_always: order_3ds_bypass accepts "always".
  What is assumed: statuses, codes, 3-D Secure options and languages are hints | any text
three_d_secure_never: order_3ds_bypass accepts "never".
  What is assumed: statuses, codes, 3-D Secure options and languages are hints | any text
customer_lang: customer_lang accepts "UK".
  What is assumed: statuses, codes, 3-D Secure options and languages are hints | any text
no_retries: retry_attempts and retry_interval_hours of init_recurring may be 0.
  What is assumed: init_recurring | retry_attempts and retry_interval_hours of 1 or more, or left out
split_sum: The parts of a split need not add up to its amount.
  What is assumed: the parts of a split | splitAmount, whose parts add up
direct_record: A direct auth returns a payment record.
  the API document, "Create payment" | rawRequest
shape_of_records: Records have the fields of the API document, by their names and of their types.
  the API document, "Resources and their fields" | rawRequest, which checks no field
exp_year_two_digits: exp_year has two digits.
  What is assumed: exp_year is sent with two digits | rawRequest, which sends four digits as they are
capture_part: A capture of a part, plainly authenticated, returns a record with its amount.
  the API document, "Capture a reserve" | rawRequest({ authentication: 'hmac' })
refund_part: A refund of a part, plainly authenticated, returns a record with its amount.
  What is assumed: the operations beyond the API document | rawRequest({ authentication: 'hmac' })
list_complete: The list of operations has the payment and its later operations.
  What is assumed: the operations beyond the API document | known of resolveOutcome, and resendWebhook
refund_whole: A refund without refund_amount refunds the whole payment.
  What is assumed: the operations beyond the API document | refund_amount in every refund
void_record: A void, plainly authenticated, returns a record of the whole authorization.
  What is assumed: the operations beyond the API document | rawRequest({ authentication: 'hmac' })
hold_fee: A hold that is released costs no fee: no account has changed.
  What is assumed: the fee of an authorization is not taken | the accounts, not totals.fee_minor, for what was earned
recurring_id: A direct purchase with init_recurring returns recurring.id.
  the API document, "Recurring payments": the path of a direct one is not shown | a hosted purchase
recurring_cancel: cancelRecurring, plainly authenticated at api_url, returns recurring_status canceled.
  What is assumed: the operations beyond the API document | rawRequest({ base: 'apiUrl' })
by_hand_refund: A payment that was made on the page is refunded in part.
  What is assumed: the operations beyond the API document | rawRequest({ authentication: 'hmac' })
by_hand_list: The list of operations has a payment that was made on the page, and its refund.
  What is assumed: the operations beyond the API document | known of resolveOutcome, and resendWebhook
webhook_signature: A change of status sends a webhook whose signature is base64url(sha1(secret + data + secret)).
  the API document, "Events" | secrets of createWebhookHandler; edgetill verify names the difference
webhook_form: A webhook is a form that is not compressed.
  What is assumed: a webhook's body is not unpacked | your framework, which unpacks the body before the handler
webhook_fields: A webhook also has the required parameters that decide nothing: pos_id, mode and created_at.
  What is assumed: required webhook parameters may be absent | nothing to set: they are optional in every event
webhook_resent: resendWebhook sends the webhook again.
  the API document, "Re-send a webhook for an operation" | the event that resendWebhook returns, which is the same
cryptogram_without_cvv: card_cvv may be left out with cryptogram.
  What is assumed: card_cvv | rawRequest
validation_url_http: validation_url is an http(s) URL.
  What is assumed: validation_url | rawRequest
split_without_recurring: init_recurring is not part of a split purchase.
  What is assumed: init_recurring | rawRequest
null_is_absent: null means absent, everywhere.
  What is assumed: null means absent | record of the event, which is unchanged
sender_address: A webhook's sender has a fixed address, which is not checked.
  What is assumed: the sender address | a rule of your firewall
webhook_retries: A webhook that gets no 2xx is sent again.
  the option retryDelaysMs of the emulator | reconciliation by listOrderOperations
`

/** The statement of a judge. A long text goes on in the next line, indented by four. */
export function statementOf(id: string): Statement {
  const lines = STATEMENTS.replaceAll('\n    ', ' ').split('\n')
  const at = lines.findIndex((line) => line.startsWith(`${id}: `))
  const [says = '', more = ''] = lines.slice(at, at + 2)
  const [assumed, follow] = more.trim().split(' | ')
  if (!assumed || !follow) throw new Error(`There is no statement ${id}.`)
  return { id, says: says.slice(id.length + 2), assumed, follow }
}
