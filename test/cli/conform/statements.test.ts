import { createHmac } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { conformText, isClean } from '../../../src/cli/conform/index.ts'
import type { EmulatorOptions } from '../../../src/emulator/index.ts'
import { signWebhook } from '../../../src/webhooks/index.ts'
import {
  changed,
  checkout,
  type Deliver,
  elsewhere,
  idsOf,
  inKyiv,
  isCreation,
  lists,
  openConform,
  type Probe,
  type Rule,
  rejected,
  rejecting,
} from './support/project.ts'

const PAGE = 'HTML in place of the API: a login page or a firewall is in front of it, or base_url is wrong'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const isInvalid = (probe: Probe) => isCreation(probe) && probe.body.order_id === undefined
const isCancel = ({ path }: Probe) => path.endsWith('/order/{order}/cancel')

/** Changes the JSON of some responses. */
const json =
  (is: (probe: Probe) => boolean, change: (body: unknown) => unknown): Rule =>
  (probe, real) =>
    is(probe) ? changed(real(), change) : undefined

const replaced = (body: unknown, form: RegExp, by: string): unknown =>
  JSON.parse(JSON.stringify(body).replace(form, by))

const declined = ({ body }: Probe) =>
  Response.json({ ...body, payment_id: crypto.randomUUID(), status: 'failure', status_code: '4001' })

const unknownAsEmpty: Rule = async (probe, real) => {
  const response = lists(probe) ? await real() : undefined
  return response?.status === 404 ? Response.json([]) : response
}
const localTimes: Rule = (probe, real) =>
  lists(probe)
    ? changed(real(), (records: { created_at: string }[]) =>
        records.map((one) => ({ ...one, created_at: inKyiv(one.created_at) })),
      )
    : undefined
const usedAsNew: Rule = async (probe, real) => {
  const response = isCreation(probe) ? await real() : undefined
  return response?.status === 400 && (await response.clone().text()).includes('P-409') ? checkout() : response
}

/** The deviations that break one statement alone: the emulator's options, and what is done to responses. */
const RULES: readonly [id: string, options: EmulatorOptions, rule: Rule | undefined][] = [
  ['plain_instead', { authentication: 'per-endpoint' }, undefined],
  ['hosted_redirect', {}, elsewhere],
  ['customer_fields_optional', { customerFields: 'required' }, undefined],
  ['split_sum', { splitSum: 'exact' }, undefined],
  ['order_id_256', {}, rejecting((probe) => isCreation(probe) && probe.order_id.length > 200)],
  ['description_2048', {}, rejecting(({ body }) => String(body.description).length > 1000)],
  ['three_d_secure_never', {}, rejecting(({ body }) => body.order_3ds_bypass === 'never')],
  ['unknown_order_404', {}, unknownAsEmpty],
  ['timestamp_utc', {}, localTimes],
  ['invalid_400', {}, rejecting((probe) => isCreation(probe) && probe.body.order_id === undefined, 422)],
  ['refund_whole', {}, rejecting(({ path, body }) => path === '/api/v1/refund' && body.refund_amount === undefined)],
  ['used_order_id', {}, usedAsNew],
]

/** A service that takes the fee of a hold: after its release the account has less. */
function charged(): Rule {
  let voids = 0
  return (probe, real) => {
    if (probe.path === '/api/v1/void') voids++
    const less = (body: unknown) => replaced(body, /"available":[\d.]+/g, `"available":${100 - voids}`)
    return probe.path.endsWith('/accounts') ? changed(real(), less) : undefined
  }
}

const STATUS = /(?<="status":")\w+/g
/** A service that writes every JSON otherwise. */
const respelled =
  (change: (text: string) => string): Rule =>
  async (_, real) => {
    const response = await real()
    const text = await response.clone().text()
    return response.ok && /^[[{]/.test(text) ? new Response(change(text), response) : response
  }

/** The deviations that break each of the other statements. One may break more: what follows from it differs as well. */
const BREAKS: Readonly<Record<string, Rule>> = {
  base_path: () => rejected(404),
  status_words: json(
    (probe) => lists(probe) || isCancel(probe),
    (body) => replaced(body, /"status":"(\w+)"/g, '"status":"OTHER_$1"'),
  ),
  beyond_plain: rejecting(lists, 401),
  error_body: (probe) => (isInvalid(probe) ? Response.json({ error: 'no' }, { status: 400 }) : undefined),
  wrong_secret_401: async (_, real) => {
    const response = await real()
    return response.status === 401 ? rejected(404) : response
  },
  balances_plain: rejecting(({ path }) => path.endsWith('/accounts'), 401),
  account_record: ({ path }) => (/accounts\/[^/]+$/.test(path) ? Response.json({ currency: 'UAH' }) : undefined),
  currency_form: json(
    ({ path }) => path.endsWith('/accounts'),
    (body) => replaced(body, /"UAH"/g, '"₴"'),
  ),
  visible_at_once: rejecting(lists, 404),
  list_records: (probe) => (lists(probe) ? Response.json([{ anything: true }]) : undefined),
  status_init: json(lists, (body) => replaced(body, /"init"/g, '"created"')),
  amount_is_number: json(lists, (body) => replaced(body, /"amount":([\d.]+)/g, '"amount":"$1"')),
  amount_size: json(lists, (body) => replaced(body, /"amount":([\d.]+)/g, '"amount":1')),
  shape_of_records: json(
    (probe) => probe.body.mode === 'direct' || probe.path === '/api/v1/refund',
    (body) => replaced(body, /"payment_id"/g, '"paymentId"'),
  ),
  timestamp_form: json(lists, (body) => replaced(body, /("created_at":"[^".]+)\.\d+"/g, '$1"')),
  resend_record: ({ path }) => (path.endsWith('{order}/purchase') ? Response.json({ ok: true }) : undefined),
  cancel_record: json(isCancel, (body) => (body as unknown[])[0]),
  failure_is_final: json(lists, (body) => replaced(body, /"failure"/g, '"init"')),
  cancel_again_4xx: async (probe, real) => {
    const response = isCancel(probe) ? await real() : undefined
    return response?.status === 400 ? Response.json([{ status: 'failure', status_code: '6007' }]) : response
  },
  hosted_auth: rejecting(({ body }) => body.method === 'auth' && body.mode === 'hosted'),
  three_d_secure_always: rejecting(({ body }) => body.order_3ds_bypass === 'always'),
  customer_lang: rejecting(({ body }) => body.customer_lang === 'UK'),
  no_retries: rejecting(({ body }) => body.mode === 'hosted' && body.init_recurring),
  direct_record: rejecting(({ body }) => body.mode === 'direct'),
  exp_year_two_digits: (probe) => (Number(probe.body.exp_year) < 100 ? declined(probe) : undefined),
  capture_part: json(
    ({ path }) => path === '/api/v1/capture',
    (body) => ({ ...(body as object), amount: 0.02 }),
  ),
  refund_part: rejecting(({ path, body }) => path === '/api/v1/refund' && body.refund_amount, 401),
  list_complete: json(lists, (body) => (body as unknown[]).slice(0, 1)),
  void_record: rejecting(({ path }) => path === '/api/v1/void', 401),
  hold_fee: charged(),
  recurring_id: json(isCreation, (body) => ({ ...(body as object), recurring: null })),
  recurring_cancel: rejecting(({ path }) => path.endsWith('/cancel') && path.includes('recurring'), 401),
}

/** The same of webhooks: what arrives in place of each; undefined for nothing. */
const LOST: Readonly<Record<string, Deliver>> = {
  webhook_signature: ({ url }) => new Request(url, { method: 'POST', headers: FORM, body: 'data=e30&signature=no' }),
  webhook_form: ({ url }, body) =>
    new Request(url, { method: 'POST', headers: { ...FORM, 'content-encoding': 'gzip' }, body }),
  webhook_fields: ({ url }, body) => {
    const { created_at: _, ...event } = JSON.parse(atob(new URLSearchParams(body).get('data') as string))
    const { data, signature } = signWebhook(event, 'emulator-api-secret')
    return new Request(url, { method: 'POST', body: new URLSearchParams({ data, signature }) })
  },
  webhook_resent: (request, _, count) => (count > 1 ? undefined : request),
}

describe('conform, statement by statement', () => {
  it.each(RULES)('names %s alone, and its follow-up', async (id, options, rule) => {
    const report = await openConform(options, rule ? [rule] : []).run()
    expect(idsOf(report, 'differs')).toEqual([id])
    expect(report?.statements.filter(({ follow }) => follow !== undefined).map((one) => one.id)).toEqual([id])
    const text = report ? conformText(report) : ''
    expect(text).toMatch(new RegExp(`^ {2}${id}: .*\\n {4}seen: .*\\n {4}follow it with: `, 'm'))
  })

  it.each(Object.entries(BREAKS))('names %s', async (id, rule) => {
    const report = await openConform({}, [rule]).run()
    expect(idsOf(report, 'differs')).toContain(id)
    // Also without the list of operations, a run leaves nothing behind that costs money.
    if (id === 'beyond_plain') expect(report?.made.filter(({ what, open }) => open && what !== 'checkout')).toEqual([])
  })

  it.each([404, 308])(
    'says once that nothing is there (%i), and keeps no order that was never made',
    async (status) => {
      const report = await openConform({}, [() => new Response('{}', { status, headers: { location: '/a/' } })]).run()
      expect(idsOf(report, 'differs')).toEqual(['base_path'])
      expect(report?.made.filter(({ open }) => open)).toEqual([])
    },
  )

  const html = (status: number) => new Response('<html>Blocked</html>', { status })

  it.each([200, 400, 401, 403, 404, 405, 422])(
    'decides nothing by a page in place of the API (%i), and says why once',
    async (status) => {
      const { run, probes } = openConform({}, [() => html(status)])
      const report = await run()
      expect([idsOf(report, 'holds'), idsOf(report, 'differs')]).toEqual([[], []])
      expect(probes.filter(({ body }) => body.cc_number !== undefined)).toEqual([])
      const seen = report?.statements.map((one) => one.seen) ?? []
      expect(seen[0]).toBe(`HTTP ${status} with ${PAGE}`)
      const open = seen.filter((one) => !/^see \w+$|EDGETILL_|--/.test(one))
      expect(open).toEqual([seen[0], 'no call of the first statements was accepted: run edgetill doctor'])
      expect(report && isClean(report)).toBe(false)
    },
  )

  const kindOf = ({ method, path, body }: Probe) => [method, path, body.mode, body.method].join(' ')

  it('no statement differs because a single call gets a page', { timeout: 120_000 }, async () => {
    const whole = openConform()
    await whole.run()
    const kinds = [...new Set(whole.probes.map(kindOf))]
    const all = kinds.map(
      (kind): Rule =>
        (probe) =>
          kindOf(probe) === kind ? html(400) : undefined,
    )
    const each = whole.probes.map((_, n): Rule => {
      let count = 0
      return () => (count++ === n ? html(403) : undefined)
    })
    for (const [n, rule] of [...all, ...each].entries()) {
      const report = await openConform({}, [rule]).run()
      expect([n, idsOf(report, 'differs')]).toEqual([n, []])
    }
  })

  it.each<[string, (probe: Probe) => unknown, number]>([
    ['unknown_order_404', lists, 404],
    ['invalid_400', isInvalid, 400],
    ['wrong_secret_401', lists, 401],
    ['direct_record', ({ body }) => body.mode === 'direct', 403],
  ])('does not decide %s by a page', async (id, is, status) => {
    const report = await openConform({}, [(probe) => (is(probe) ? html(status) : undefined)]).run()
    const one = report?.statements.find((one) => one.id === id)
    expect(one).toMatchObject({ result: 'not tried', seen: expect.stringMatching(/^see |^HTTP 40\d with HTML/) })
    expect(report?.statements.filter(({ seen }) => seen === `HTTP ${status} with ${PAGE}`).length).toBe(1)
    // The firewall may stand behind the service: such a payment may have been made.
    const direct = report?.made.filter(({ what, now }) => what !== 'checkout' && now === 'rejected')
    expect(direct).toEqual([])
  })

  it('names the form of the signature that is accepted', async () => {
    const base64 = (body: Uint8Array, secret: string) => createHmac('sha1', secret).update(body).digest('base64')
    const report = await openConform({ authentication: 'per-endpoint', signature: base64 }).run()
    const signed = report?.statements.find(({ id }) => id === 'signed_post')
    expect(signed).toMatchObject({ result: 'differs', seen: expect.stringMatching(/HTTP 401.*accepted: base64$/) })
  })

  it('returns what was paid although the statuses are in capitals, and names the word', async () => {
    const report = await openConform({}, [
      respelled((text) => text.replaceAll(STATUS, (status) => status.toUpperCase())),
    ]).run()
    expect(idsOf(report, 'differs')).toEqual(['status_words'])
    expect(report?.made.filter(({ open }) => open)).toEqual([])
    expect(report?.undocumented.values).toContainEqual({ field: 'status', value: 'SUCCESS' })
  })

  it.each<[string, (text: string) => string]>([
    ['status_words', (text) => text.replaceAll('"success"', '"succeeded"').replaceAll('"failure"', '"failed"')],
    ['shape_of_records', (text) => text.replaceAll(/_([a-z])(?=\w*":)/g, (_, letter: string) => letter.toUpperCase())],
  ])('one difference of every response is one finding: %s', async (id, change) => {
    const rule = respelled((text) => (text.includes('"order_id"') ? change(text) : text))
    expect(idsOf(await openConform({}, [rule]).run(), 'differs')).toEqual([id])
  })

  it('looks again at a cancellation whose response has another shape', async () => {
    const rule = json(
      ({ path }) => path.includes('/order'),
      (data) => (Array.isArray(data) ? { data } : data),
    )
    const report = await openConform({}, [rule]).run()
    expect(idsOf(report, 'differs')).toEqual(['shape_of_records'])
    expect(report?.made.filter(({ open }) => open)).toEqual([])
  })

  it('names the money that may still be taken, and the call that returns it', async () => {
    const report = await openConform({}, [rejecting(({ path }) => /refund|void/.test(path), 422)]).run()
    const open = report?.made.filter((one) => one.open).map(({ now }) => now) ?? []
    expect(open).toContainEqual(
      expect.stringMatching(
        /^0\.01 UAH may be taken or held: not refunded: .*; edgetill refund conform-\S+, .*or the portal/,
      ),
    )
    expect(open).toContainEqual(
      expect.stringMatching(/^0\.01 UAH may be taken or held: not voided: rejected.* edgetill void conform-/),
    )
  })

  it('names the amount of a refund that waits, what was tried, and the call that returns it', async () => {
    const pending = (one: { method?: string }) => (one.method === 'refund' ? { ...one, status: 'pending' } : one)
    const waits = respelled((text) => {
      const body = JSON.parse(text)
      return JSON.stringify(Array.isArray(body) ? body.map(pending) : pending(body))
    })
    const report = await openConform({}, [waits]).run()
    const open = report?.made.filter((one) => one.open) ?? []
    expect(open.length).toBeGreaterThan(0)
    for (const { order_id, now } of open)
      expect(now).toBe(
        `0.01 UAH may be taken or held: a refund of 0.01 UAH is pending: nothing else was tried; edgetill refund ${order_id}, edgetill void ${order_id}, or the portal, returns it`,
      )
  })

  it.each([
    ['an empty list', () => Response.json([])],
    ['a 404', () => rejected(404)],
  ])('a payment that was sent and not rejected was not "never made" with %s', async (_, shown) => {
    const hidden: Rule = (probe) => (lists(probe) || probe.path.includes('/orders/{order}/') ? shown() : undefined)
    const returned = await openConform({}, [hidden]).run()
    const paid = (report: typeof returned) => report?.made.filter(({ what }) => what !== 'checkout') ?? []
    // Some were returned before: no response shows it any more.
    for (const { now } of paid(returned))
      expect(now).toMatch(/^(refunded|voided|0\.0[12] UAH may be taken or held: .*)$/)
    const stuck = rejecting(({ path }) => /refund|void|cancel/.test(path), 422)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const { run } = openConform({}, [stuck, hidden])
    const first = await run()
    vi.setSystemTime(Date.now() + 700_000)
    const second = await run().finally(() => vi.useRealTimers())
    for (const { order_id, now, open } of [...paid(first), ...paid(second)]) {
      const tried = 'tried cancel (rejected with HTTP 422 (X-1)), refund (rejected with HTTP 422 (X-1)), void'
      expect(now).toMatch(/^0\.0[12] UAH may be taken or held: tried/)
      expect(now).toContain(tried)
      expect(now).toContain(`edgetill refund ${order_id}, edgetill void ${order_id}, or the portal, returns it`)
      expect(open).toBe(true)
    }
  })

  it.each(Object.entries(LOST))('names %s', async (id, deliver) => {
    expect(idsOf(await openConform({}, [], deliver).run(), 'differs')).toContain(id)
  })

  it('has a rule that breaks each statement but those of the signature', async () => {
    const broken = [
      ...Object.keys(BREAKS),
      ...Object.keys(LOST),
      ...RULES.map(([id]) => id),
      'signed_post',
      'signed_get',
    ]
    expect(idsOf(await openConform().run(), 'holds')?.toSorted()).toEqual(broken.toSorted())
  })
})
