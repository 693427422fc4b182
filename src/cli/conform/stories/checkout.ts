import { isObject } from '../../../lib/kind.ts'
import { type Answer, accepted, rejectedWith, returned, wasMade } from '../answer.ts'
import { hosted } from '../inputs.ts'
import { ANOTHER_WORD, differs, holds, type Judgement, notTried } from '../judgement.ts'
import { type Story, story } from '../statement.ts'

const PAUSES_MS = [0, 2_000, 5_000]

/** The life of an unpaid payment: created, looked at, cancelled. Others are compared with its creation. */
export const CHECKOUT: Story = story('checkout', [], async (project) => {
  const { client, ask, newOrder, state, pause } = project
  const order_id = await newOrder('checkout')
  const create = () => ask((options) => client.createPayment(hosted(project, order_id), options))
  const look = () => ask((options) => client.listOrderOperations({ order_id }, options))
  const cancel = () => ask((options) => client.cancelPayment({ order_id }, options))
  const created = await create()
  const isMade = wasMade(created)
  if (isMade) state.hosted = created.verdict
  const absent: Answer<never> = { verdict: 'none', at: 0, says: 'the payment was not created' }
  let listed: Answer<unknown[]> = absent
  let waited = 0
  for (const ms of isMade ? PAUSES_MS : []) {
    await pause(ms)
    waited += ms
    listed = await look()
    if (listed.verdict === 'accepted' && listed.value?.length !== 0) break
  }
  const after = async <T>(call: () => Promise<Answer<T>>) => (isMade ? await call() : absent)
  return {
    amount: project.amount,
    created,
    listed,
    waited,
    resent: await after(() => ask((options) => client.resendWebhook({ order_id, operation: 'purchase' }, options))),
    again: await after(create),
    cancelled: await after(cancel),
    ended: await after(look),
    twice: await after(cancel),
  }
}).judgedBy({
  hosted_redirect: ({ created }) => accepted(created),
  visible_at_once: ({ created, listed, waited }) => {
    if (/none|other/.test(listed.verdict) || !wasMade(created)) return notTried(listed.says)
    const isShown = listed.verdict === 'accepted' && listed.value?.length !== 0
    return isShown ? holds(`after ${waited / 1000} s`) : differs(`not after ${waited / 1000} s: ${listed.says}`)
  },
  list_records: ({ listed }) => returned(listed, (events) => kindsOf(events, 'purchase')),
  status_init: ({ listed }) => field(listed, 'status', is('init'), 'init', 'another status'),
  status_words: ({ listed, cancelled, ended }) => {
    const words = [listed, cancelled, ended].map((answer) => fieldOf(answer, 'status'))
    const odd = words.filter((word) => typeof word === 'string' && !/^(init|pending|success|failure)$/.test(word))
    if (words.every((word) => word === undefined)) return notTried('there was no status')
    return odd.length === 0 ? holds('these words') : differs(`others: ${[...new Set(odd)].map(word).join(', ')}`)
  },
  amount_is_number: ({ listed }) =>
    field(listed, 'amount', (amount) => typeof amount === 'number', 'a number', 'not a number'),
  amount_size: ({ listed, amount }) =>
    field(listed, 'amount', (seen) => Number(seen) === amount, 'the amount that was sent', sizeOf(listed, amount)),
  timestamp_form: ({ listed }) =>
    field(listed, 'created_at', isExact, 'that form', formOf(fieldOf(listed, 'created_at'))),
  timestamp_utc: zoneOf,
  resend_record: ({ resent }) => returned(resent, (event) => kindsOf([event], 'purchase')),
  used_order_id: ({ again }) => rejectedWith(again, 400, 409),
  cancel_record: ({ cancelled }) =>
    returned(cancelled, ({ status, status_code }) => {
      const isArray = Array.isArray(cancelled.body) && cancelled.body.length === 1
      if (!isArray) return differs('not an array of one record')
      if (!isWord(status)) return notTried(ANOTHER_WORD)
      if (status_code == null) return differs('in another shape: status_code: is missing')
      return is('failure')(status) && status_code === '6007' ? holds('failure 6007') : differs('another status or code')
    }),
  failure_is_final: ({ cancelled, ended }) =>
    ifCancelled(cancelled, () => {
      const isKnown = isWord(fieldOf(ended, 'status') ?? 'failure')
      return isKnown ? field(ended, 'status', is('failure'), 'failure', 'another status') : notTried(ANOTHER_WORD)
    }),
  cancel_again_4xx: ({ cancelled, twice }) => ifCancelled(cancelled, () => rejectedWith(twice, 400, 404, 409)),
})

const ifCancelled = ({ verdict }: Answer, judge: () => Judgement): Judgement =>
  /rejected|none/.test(verdict) ? notTried('the payment was not cancelled: see cancel_record') : judge()
const isWord = (status: unknown): boolean => /^(init|pending|success|failure)$/i.test(String(status))
/** Only status_words judges capitals. */
const is = (word: string) => (status: unknown) => String(status).toLowerCase() === word

/** A word of the service; anything longer may be data. */
const word = (text: unknown): string => (/^\w{1,24}$/.test(String(text)) ? String(text) : '*')

function kindsOf(events: readonly unknown[], kind: string): Judgement {
  const isRecord = events.length > 0 && events.every((event) => (event as { kind?: unknown } | null)?.kind === kind)
  if (!isRecord) return differs('in another shape: not such a record')
  return holds(`${events.length} record${events.length === 1 ? '' : 's'}`)
}

/** A field of the first record as it came. */
function fieldOf({ body }: Answer, name: string): unknown {
  const [first] = Array.isArray(body) ? body : [body]
  return isObject(first) ? first[name] : undefined
}

function field(answer: Answer, name: string, is: (value: unknown) => boolean, yes: string, no: string): Judgement {
  if (answer.verdict !== 'accepted') return notTried(answer.says)
  const value = fieldOf(answer, name)
  if (value === undefined || value === null) return notTried(`there was no ${name}`)
  return is(value) ? holds(yes) : differs(no)
}

const isExact = (value: unknown): boolean => isTimestamp(value) && /\.\d{3}$/.test(value)

/** The form of a time in words, without its value. */
function formOf(value: unknown): string {
  if (typeof value === 'number' || /^\d+$/.test(String(value))) return 'seconds or milliseconds since 1970'
  if (isTimestamp(value)) return /\./.test(value) ? 'another number of digits of a second' : 'without milliseconds'
  return /(Z|[+-]\d{2}:?\d{2})$/.test(String(value)) ? 'with a zone' : 'another form'
}

function sizeOf(listed: Answer, amount: number): string {
  const seen = Number(fieldOf(listed, 'amount'))
  return Math.round(amount * 100) === seen ? 'a hundred times as much: minor units' : 'another amount'
}

const isTimestamp = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?$/.test(value)

/** How far the service's times are from UTC, in quarters of an hour. */
function zoneOf({ created, listed }: { created: Answer; listed: Answer }): Judgement {
  const time = fieldOf(listed, 'created_at')
  if (listed.verdict !== 'accepted' || !isTimestamp(time)) return notTried('the response has no time in that form')
  const minutes = Math.round((Date.parse(`${time}Z`) - created.at) / 900_000) * 15
  if (minutes === 0) return holds('within minutes of this machine')
  // No zone is farther from UTC.
  if (Math.abs(minutes) > 14 * 60) return notTried("the service's clock is not this machine's")
  const at = new Date(Math.abs(minutes) * 60_000).toISOString().slice(11, 16)
  return differs(`${minutes < 0 ? '-' : '+'}${at} from this machine's clock in UTC`)
}
