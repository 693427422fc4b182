import { describe, expect, it } from 'vitest'
import type { Warning } from '../../src/index.ts'
import { DIRECT_OPTIONAL, DIRECT_SPLIT, HOSTED_OPTIONAL, PAN, TOKEN } from '../support/inputs.ts'
import { accepted, listed, PURCHASE_FORMS, refused } from '../support/purchase-forms.ts'

// Which parameters each table of the document lists, and which of them it requires: test/support/purchase-forms.ts has the tables.

/** One right value for each parameter of any table, and for some of other endpoints. */
const VALUES: Record<string, unknown> = {
  ...HOSTED_OPTIONAL,
  ...DIRECT_OPTIONAL,
  ...TOKEN,
  pos_id: 'ffffffff-ffff-4fff-8fff-ffffffffffff',
  cc_number: PAN,
  exp_month: 12,
  exp_year: 99,
  card_cvv: '123',
  split: DIRECT_SPLIT.split,
  init_recurring: { interval_unit: 'month', interval_count: 1 },
  products: [{}],
  order_currency: 'UAH',
  customer_city: 'Kyiv',
  ammount: 1,
}

describe.each(PURCHASE_FORMS)('$name', (form) => {
  const { mode, method, inputs, required, customer, optional } = form
  const [input] = inputs

  it('its inputs here are what the table requires, and of the rest the card data or the token alone', () => {
    for (const one of inputs) {
      expect(one).toMatchObject({ mode, method })
      const rest = Object.keys(one).filter((name) => !/^(cc_|exp_|card_)/.test(name))
      expect(rest.sort()).toEqual([...required, ...customer].sort())
    }
  })

  it.each(required)('requires %s', async (name) => {
    for (const one of inputs) expect(await refused(form, { ...one, [name]: undefined })).toEqual([name])
  })

  it.each(customer)('requires %s only with customerFields: required', async (name) => {
    for (const one of inputs) {
      const without = { ...one, [name]: undefined }
      expect((await accepted(form, without)).body).not.toHaveProperty(name)
      expect(await refused(form, without, { customerFields: 'required' })).toEqual([name])
      expect((await accepted(form, without, { customerFields: 'optional' })).body).not.toHaveProperty(name)
      expect(await refused(form, { ...one, [name]: '' }, { customerFields: 'optional' })).toEqual([name])
    }
  })

  it('by default it needs none of the customer’s fields, and a given onWarning learns in one warning which are missing', async () => {
    const none = Object.fromEntries(customer.map((name) => [name, undefined]))
    const warnings: Warning[] = []
    const onWarning = (warning: Warning) => warnings.push(warning)
    const { body } = await accepted(form, { ...input, ...none }, { onWarning })
    expect(Object.keys(body).filter((name) => name.startsWith('customer_'))).toEqual([])
    expect(warnings.map(({ code }) => code)).toEqual(['missing_customer_field'])
    expect(warnings[0]?.path.split(', ').sort()).toEqual([...customer].sort())
  })

  it.each(optional)('takes %s', async (name) => {
    // A parameter of the card belongs to the input that has it already.
    const one = inputs.find((each) => name in each) ?? input
    expect((await accepted(form, { ...one, [name]: VALUES[name] })).body[name]).toEqual(VALUES[name])
    if (name in one || name === 'pos_id') return
    expect((await accepted(form, { ...one, [name]: undefined })).body).not.toHaveProperty(name)
  })

  const unlisted = Object.keys(VALUES).filter((name) => !listed(form).includes(name))
  it.each(unlisted)('rejects %s: its table does not list it', async (name) => {
    for (const one of inputs) expect(await refused(form, { ...one, [name]: VALUES[name] })).toEqual([name])
  })

  it('the mode is looked at before anything else', async () => {
    for (const wrong of [undefined, null, '', 'Hosted', 'other', 1]) {
      expect(await refused(form, { ...input, mode: wrong, amount: 0, ammount: 1 })).toEqual(['mode'])
    }
    for (const nothing of [undefined, null, 5, []]) expect(await refused(form, nothing)).not.toEqual([])
  })
})
