import { notTried } from '../judgement.ts'
import { type Story, story } from '../statement.ts'

/** Assumptions that no probe can decide, with the reason. */
const UNTRIED: readonly (readonly [id: string, says: string, assumed: string, why: string, follow: string])[] = [
  [
    'cryptogram_without_cvv',
    'card_cvv may be left out with cryptogram.',
    'What is assumed: card_cvv',
    'it takes the cryptogram of a wallet',
    'rawRequest',
  ],
  [
    'validation_url_http',
    'validation_url is an http(s) URL.',
    'What is assumed: validation_url',
    'its preflight request has to be answered by a page of yours, in a form that is not shown',
    'rawRequest',
  ],
  [
    'split_without_recurring',
    'init_recurring is not part of a split purchase.',
    'What is assumed: init_recurring',
    'it could start a subscription that cannot be ended',
    'rawRequest',
  ],
  [
    'null_is_absent',
    'null means absent, everywhere.',
    'What is assumed: null means absent',
    'no response shows what was meant by it',
    'record of the event, which has what came',
  ],
  [
    'sender_address',
    "A webhook's sender has a fixed address, which is not checked.",
    'What is assumed: the sender address',
    'a tunnel or a proxy stands before the receiver',
    'a rule of your firewall',
  ],
  [
    'webhook_retries',
    'A webhook that gets no 2xx is sent again.',
    'the option retryDelaysMs of the emulator',
    'it can take a day',
    'reconciliation by listOrderOperations',
  ],
]

/** Each is said, so that nobody takes its absence for an agreement. */
export const STAYS_UNTRIED: Story = story(
  'untried',
  [],
  async () => undefined,
  UNTRIED.map(([id, says, assumed, why, follow]) => ({ id, says, assumed, follow, judge: () => notTried(why) })),
)
