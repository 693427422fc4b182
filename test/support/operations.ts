import type { Client } from '../../src/index.ts'
import * as inputs from './inputs.ts'

/** One call of an operation. */
export interface OperationCase {
  /** Tells the cases of one operation apart. */
  form?: string
  /** Whether it is a GET, which may be sent again. */
  isGet?: boolean
  call(client: Client, card?: CardData): Promise<unknown>
}

/** Card data that a call sends; the secrecy test looks for it afterwards. */
const TEST_CARD = { pan: '4242424242424242', cvv: '123', token: 'rcr:token-1', cryptogram: 'AAAB' }
type CardData = typeof TEST_CARD
const fields = ({ pan, cvv, cryptogram }: CardData) => {
  return { cc_number: pan, card_cvv: cvv, cryptogram: { data: [cryptogram], eci: '5' } }
}

/**
 * Every operation of the client: the one list that the secrecy test, the test of what holds for every operation and the
 * bench read. A new method of the client that is missing here does not compile.
 */
export const OPERATIONS = {
  createPayment: [
    { form: 'hosted', call: (client) => client.createPayment(inputs.HOSTED) },
    { form: 'card', call: (client, card = TEST_CARD) => client.createPayment({ ...inputs.CARD, ...fields(card) }) },
    {
      form: 'token',
      call: (client, { token, cryptogram } = TEST_CARD) =>
        client.createPayment({ ...inputs.TOKEN, cc_token: token, cryptogram: { data: cryptogram } }),
    },
    {
      form: 'hosted, with card data passed through',
      call: (client, { pan, cvv, token } = TEST_CARD) =>
        client.createPayment(inputs.HOSTED, {
          passThrough: { extra: { cc_number: pan, card_cvv: cvv, cc_token: token } },
        }),
    },
  ],
  createSplitPurchase: [
    { form: 'hosted', call: (client) => client.createSplitPurchase({ ...inputs.HOSTED_SPLIT, amount: 1 }) },
    {
      form: 'card',
      call: (client, card = TEST_CARD) => client.createSplitPurchase({ ...inputs.DIRECT_SPLIT, ...fields(card) }),
    },
  ],
  capturePayment: [{ call: (client) => client.capturePayment(inputs.CAPTURE) }],
  cancelPayment: [{ call: (client) => client.cancelPayment({ order_id: 'A-1' }) }],
  listAccounts: [{ isGet: true, call: (client) => client.listAccounts() }],
  getAccount: [{ isGet: true, call: (client) => client.getAccount({ account_id: inputs.ACCOUNT_ID }) }],
  resendWebhook: [{ isGet: true, call: (client) => client.resendWebhook({ order_id: 'A-1', operation: 'purchase' }) }],
  refundPayment: [{ call: (client) => client.refundPayment(inputs.REFUND) }],
  voidPayment: [{ call: (client) => client.voidPayment(inputs.VOID) }],
  captureSplitPurchase: [{ call: (client) => client.captureSplitPurchase(inputs.SPLIT_CAPTURE) }],
  refundSplitPurchase: [{ call: (client) => client.refundSplitPurchase(inputs.SPLIT_REFUND) }],
  listOrderOperations: [{ isGet: true, call: (client) => client.listOrderOperations({ order_id: 'A-1' }) }],
  cancelRecurring: [{ call: (client) => client.cancelRecurring({ recurring_id: 'r-1' }) }],
  rawRequest: [
    {
      form: 'POST',
      call: (client, { pan, cvv, token, cryptogram } = TEST_CARD) =>
        client.rawRequest({
          method: 'POST',
          path: '/api/v1/refund',
          authentication: 'plain',
          body: { deep: [{ cc_number: pan, card_cvv: cvv, cc_token: token, cryptogram: { a: cryptogram } }] },
        }),
    },
    {
      form: 'GET',
      isGet: true,
      call: (client) => client.rawRequest({ method: 'GET', path: '/api/v1/state', authentication: 'plain' }),
    },
  ],
} as const satisfies Record<keyof Client, readonly [OperationCase, ...OperationCase[]]>

/** The same as rows of a table of tests. */
export const OPERATION_CASES: (readonly [name: string, operation: OperationCase])[] = Object.entries(
  OPERATIONS,
).flatMap(([operation, cases]) =>
  cases.map((one: OperationCase) => [one.form ? `${operation}, ${one.form}` : operation, one] as const),
)

const ACCOUNT = { id: inputs.ACCOUNT_ID, name: 'Main', currency: 'UAH', balances: { available: 5, rolling_reserve: 0 } }

/** The result of an operation. */
interface OperationRecord {
  record: Record<string, unknown>
  /** A field of another type than the API document's, which does not decide. */
  odd: Record<string, unknown>
  /** The carrier of the record. */
  wrap: (record: object) => unknown
}

const alone = (record: object) => record
const listed = (record: object) => [record]

/** The record that each operation returns; a hosted purchase returns a checkout, and rawRequest() whatever came. */
const RECORDS: Record<Exclude<keyof Client, 'rawRequest'>, OperationRecord> = {
  createPayment: { record: inputs.PAYMENT_RECORD, odd: { eci: 5 }, wrap: alone },
  createSplitPurchase: { record: inputs.PAYMENT_RECORD, odd: { eci: 5 }, wrap: alone },
  capturePayment: { record: inputs.CAPTURE_RECORD, odd: { status_code: 1000 }, wrap: alone },
  captureSplitPurchase: { record: inputs.CAPTURE_RECORD, odd: { status_code: 1000 }, wrap: alone },
  refundPayment: { record: inputs.REFUND_RECORD, odd: { status_code: 1004 }, wrap: alone },
  refundSplitPurchase: { record: inputs.REFUND_RECORD, odd: { status_code: 1004 }, wrap: alone },
  voidPayment: { record: inputs.VOID_RECORD, odd: { status_code: 1009 }, wrap: alone },
  cancelPayment: { record: inputs.PAYMENT_RECORD, odd: { mcc: 5812 }, wrap: listed },
  getAccount: { record: ACCOUNT, odd: { name: 5 }, wrap: alone },
  listAccounts: { record: ACCOUNT, odd: { name: 5 }, wrap: (record) => ({ accounts: [record] }) },
  resendWebhook: { record: inputs.PAYMENT_RECORD, odd: { status_code: 2122 }, wrap: alone },
  listOrderOperations: { record: inputs.PAYMENT_RECORD, odd: { eci: 5 }, wrap: listed },
  // It has one field that the SDK knows, which decides.
  cancelRecurring: { record: { recurring_status: 'canceled' }, odd: {}, wrap: alone },
}

/** The cases whose response is a record. */
export const RECORD_CASES: typeof OPERATION_CASES = OPERATION_CASES.filter(([name]) => !/hosted|rawRequest/.test(name))

/** The result of a case's operation. */
export const recordOf = (name: string): OperationRecord => RECORDS[name.split(',')[0] as keyof typeof RECORDS]
