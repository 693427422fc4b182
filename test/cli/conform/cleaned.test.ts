import { expect, it } from 'vitest'
import { conformText } from '../../../src/cli/conform/index.ts'
import { checkout, openConform, type Rule } from './support/project.ts'

const CREDENTIALS = {
  posId: 'c0ffee00-1111-4222-8333-444455556666',
  apiKey: 'canary-api-key-7Qx',
  apiSecret: 'canary-api-secret-9Zk',
  endpointsKey: 'canary-endpoints-key-3Wv',
}
const CARD = { cc_number: '4111111111111111', exp_month: 11, exp_year: 2097, card_cvv: '8264' }

/** Texts that a service may put into its answers about a customer, a card and a shop; each text is there once. */
const PERSONAL = {
  ...{ customer_id: 'canary-id-1', customer_fname: 'canary-Oksana', customer_lname: 'canary-Bila' },
  ...{ customer_patronym: 'canary-Petrivna', customer_email: 'canary@example.org', customer_phone: '+380997654321' },
  ...{ customer_ip: '198.51.100.77', customer_city: 'canary-city', customer_birthday: '1981-07-13' },
  ...{ customer_tax_id: '3216549870', cc_mask: '537541******4242', cc_token: 'canary-token', eci: 'canary-eci' },
  ...{ receipt_url: 'https://receipts.example.org/canary', payload: 'canary-payload', gateway_order_id: 'canary-gw' },
  bank_pay: { sender_iban: 'UA213223130000026007233566001', sender_name: 'canary-sender', sender_card: 'canary-deep' },
  fee: { amount: 0.01, currency: 'UAH', note: 'canary-fee' },
  bonus: { level: 'canary-bonus', 'canary.key@example.org': { '380501112233': true }, canary_19991231: 1 },
  'canary.name@example.org': 1,
  canary_380501234567: 'canary-text',
  status_description: 'canary-description',
}

/** Every record has more than the API document shows; some are rejected, in words, and some lead elsewhere. */
const leaky: Rule = async ({ path, body }, real) => {
  if (body.customer_lang === 'UK') return checkout('https://canary-host.example.org/canary-login')
  if (body.order_3ds_bypass === 'always') {
    const args = { code: 'canary-code', cc_number: CARD.cc_number }
    return Response.json({ message: `canary-message ${CREDENTIALS.apiSecret}`, args }, { status: 400 })
  }
  if (body.order_3ds_bypass === 'never') return new Response('canary-html', { status: 500 })
  if (path === '/api/v1/void') return Response.json({ 'canary-field': CREDENTIALS.apiKey, status: 'reversed' })
  const response = await real()
  if (response.status !== 200) return response
  const add = (record: object) => ({ ...record, ...PERSONAL, merchant: { key: CREDENTIALS.apiKey } })
  const json = (await response.json()) as object | object[]
  return Response.json(Array.isArray(json) ? json.map(add) : add(json))
}

it('has no secret, no card and nothing of a person in its report and in its state, and says what is new', async () => {
  const { run, given, store } = openConform({ credentials: CREDENTIALS }, [leaky])
  const report = await run({ card: CARD })
  if (report === undefined) throw new Error('interrupted')
  const written = [JSON.stringify(report), conformText(report), ...store.kept].join('\n')
  const sent = ['conform.probe@example.com', '+380440000000', 'Testivna', '192.0.2.7', 'shop.example.com']
  const canaries = [
    ...leaves(PERSONAL),
    ...Object.values(CREDENTIALS),
    ...leaves(CARD),
    ...sent,
    'canary',
    '380501112233',
  ]
  const isShort = (text: string) => text.length < 4 || ['UAH', 'true'].includes(text) || text === '0.01'
  expect(canaries.filter((text) => !isShort(text) && written.includes(text))).toEqual([])
  expect(given.config.apiSecret).toBe(CREDENTIALS.apiSecret)
  const fields = report.undocumented.fields.filter((one) => one.in === 'listOrderOperations')
  expect(fields).toEqual([
    { in: 'listOrderOperations', path: 'bank_pay.sender_card', type: 'string' },
    { in: 'listOrderOperations', path: 'fee.note', type: 'string' },
    { in: 'listOrderOperations', path: 'bonus', type: 'object' },
    { in: 'listOrderOperations', path: '*', type: 'number' },
    { in: 'listOrderOperations', path: '*', type: 'string' },
    { in: 'listOrderOperations', path: 'merchant', type: 'object' },
  ])
  const result = (id: string) => report.statements.find((one) => one.id === id)
  expect(result('customer_lang')).toMatchObject({ result: 'differs', seen: 'HTTP 303 to an address of another form' })
  expect(result('three_d_secure_always')).toMatchObject({ result: 'differs', seen: 'rejected with HTTP 400' })
  expect(result('three_d_secure_never')).toMatchObject({ result: 'not tried', seen: 'HTTP 500' })
  expect(result('void_record')).toMatchObject({ result: 'differs', seen: expect.stringContaining('in another shape') })
})

const leaves = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [String(value)]
