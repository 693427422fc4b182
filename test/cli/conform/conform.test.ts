import { describe, expect, it, vi } from 'vitest'
import { isClean } from '../../../src/cli/conform/index.ts'
import { testCard } from '../../../src/emulator/index.ts'
import { VOID_RECORD } from '../../support/inputs.ts'
import { changed, elsewhere, idsOf, openConform, type Rule, rejected, rejecting } from './support/project.ts'

const UNTRIED =
  'by_hand_refund by_hand_list cryptogram_without_cvv validation_url_http split_without_recurring null_is_absent sender_address webhook_retries'.split(
    ' ',
  )

const VOID_DECLINED = {
  what: 'authorization',
  now: expect.stringMatching(/^0\.01 UAH may be taken or held: not voided: it was declined or is pending; edgetill/),
}
const GOES_ON = { what: 'purchase', now: expect.stringMatching(/^its subscription goes on: rejected/) }

const declined = ({ order_id }: Record<string, unknown>) =>
  Response.json({ ...VOID_RECORD, order_id, status: 'failure', status_code: '4001' })

it('conform finds that every statement holds on the emulator, and leaves nothing behind', async () => {
  const { run, store, emulator } = openConform()
  const report = await run()
  expect(idsOf(report, 'differs')).toEqual([])
  expect(idsOf(report, 'not tried')).toEqual(UNTRIED)
  expect(idsOf(report, 'holds')?.length).toBeGreaterThan(40)
  expect(report?.undocumented).toEqual({ fields: [], values: [] })
  expect(report?.made.every(({ now, open }) => now !== undefined && !open)).toBe(true)
  expect(emulator.orders.list().filter(({ status }) => status === 'init')).toEqual([])
  expect([store.text, report && isClean(report)]).toEqual([undefined, true])
})

/** Redirects with a 302 to a path. */
const found302: Rule = async (_, real) => {
  const response = await real()
  const location = response.headers.get('location')
  if (response.status !== 303 || location === null) return response
  const { pathname, search } = new URL(location)
  return new Response(null, { status: 302, headers: { location: pathname + search } })
}

type Shown = { amount?: number }
/** Shows each amount in minor units. */
const minorUnits: Rule = (_, real) => {
  const shown = (one: Shown) => (one.amount === undefined ? one : { ...one, amount: Math.round(one.amount * 100) })
  return changed(real(), (json: Shown | Shown[]) => (Array.isArray(json) ? json.map(shown) : shown(json)))
}

describe('conform, on a service that is otherwise', () => {
  it.each([
    ['a 302 to a path', found302, []],
    ['minor units', minorUnits, ['amount_size']],
  ] as const)('leaves nothing taken, held or unpaid with %s', async (_, rule, differs) => {
    const { run, emulator } = openConform({}, [rule])
    const report = await run()
    expect(idsOf(report, 'differs')).toEqual(differs)
    expect(report?.made.filter(({ open, now }) => open || now === undefined)).toEqual([])
    const left = emulator.orders.list().filter(({ status, payments, operations }) => {
      const of = (...methods: string[]) =>
        [...payments, ...operations].filter((one) => one.status === 'success' && methods.includes(one.method))
      const sum = (...methods: string[]) => of(...methods).reduce((total, { amount }) => total + amount, 0)
      const isHeld = of('auth').length > of('void', 'capture').length
      return status === 'init' || isHeld || sum('purchase', 'capture') > sum('refund')
    })
    expect(left).toEqual([])
  })

  it('names the amount that was sent, if a refund in minor units is refused', async () => {
    const { run } = openConform({}, [rejecting(({ path }) => path === '/api/v1/refund'), minorUnits])
    const open = (await run())?.made.filter((one) => one.open)
    expect(open?.length).toBeGreaterThan(0)
    for (const { order_id, now } of open ?? [])
      expect(now).toMatch(RegExp(`^0.01 UAH may be taken or held: .*; edgetill refund ${order_id}, .*or the portal`))
  })

  it('uses the authentication that works, and names the option', async () => {
    const { run } = openConform({ authentication: 'plain' })
    const report = await run()
    expect(idsOf(report, 'differs')).toEqual(['signed_post', 'signed_get'])
    expect(idsOf(report, 'not tried')).toEqual(UNTRIED)
    expect(report?.statements[1]?.follow).toContain("authentication: 'plain'")
    const signed = openConform({ signature: () => 'another', authentication: 'per-endpoint' })
    const differs = await signed.run({ config: { ...signed.given.config, signer: () => 'another' } })
    expect(idsOf(differs, 'differs')).toEqual(['plain_instead'])
  })

  it('goes on when a person has paid on the page', async () => {
    const { run, emulator } = openConform()
    const report = await run({ payByHand: (url) => emulator.pay(url) })
    expect(idsOf(report, 'holds')).toEqual(expect.arrayContaining(['by_hand_refund', 'by_hand_list']))
    expect(report?.made.filter(({ open }) => open)).toEqual([])
  })

  it('does not take a clock that was moved by days for a zone', async () => {
    const { run } = openConform({ clock: { now: () => Date.now() + 3 * 86_400_000 } })
    const report = await run()
    expect([idsOf(report, 'differs'), idsOf(report, 'not tried')?.[0]]).toEqual([[], 'timestamp_utc'])
  })

  it('does not name checkoutOrigins that are set', async () => {
    const { run, given } = openConform({}, [elsewhere])
    const report = await run({ config: { ...given.config, checkoutOrigins: ['https://checkout.example.com'] } })
    expect([idsOf(report, 'differs'), idsOf(report, 'not tried')]).toEqual([[], UNTRIED])
  })

  it('tries nothing more when no authentication is accepted', async () => {
    const { run, given, probes } = openConform()
    const report = await run({ config: { ...given.config, apiSecret: 'wrong' } })
    expect(idsOf(report, 'differs')).toEqual(['signed_post', 'signed_get', 'plain_instead'])
    const seen = report?.statements.map((one) => one.seen) ?? []
    expect(seen.filter((one) => one.includes('doctor'))).toEqual([
      'no call of the first statements was accepted: run edgetill doctor',
    ])
    expect(seen.at(-1)).toBe('see beyond_plain')
    expect(probes.length).toBeLessThan(12)
  })

  it.each([
    ['three_d_secure', /^it is pending \(2122\): use a card without 3-D Secure$/],
    ['insufficient_funds', /^the card was declined \(4009\)$/],
  ] as const)('says why the card %s shows nothing of captures and refunds', async (card, why) => {
    const { run, given } = openConform()
    const report = await run({ card: { ...given.card, cc_number: testCard(card) } as typeof given.card })
    expect(idsOf(report, 'differs')).toEqual([])
    for (const id of ['capture_part', 'refund_part', 'refund_whole', 'void_record']) {
      expect(report?.statements.find((one) => one.id === id)).toMatchObject({
        result: 'not tried',
        seen: expect.stringMatching({ capture_part: why, refund_part: /^see capture_part$/ }[id] ?? /^see \w+$/),
      })
    }
  })

  it('says what it would need, and does the rest', async () => {
    const { run, given } = openConform()
    const { apiUrl: _, ...config } = given.config
    const report = await run({ config, card: undefined, subMerchant: undefined, webhooks: undefined })
    const why = new Set(report?.statements.filter(({ result }) => result === 'not tried').map(({ seen }) => seen))
    expect(
      [...why].filter((seen) => /EDGETILL_|--/.test(seen)).map((seen) => /(EDGETILL_|--)[\w-]+/.exec(seen)?.[0]),
    ).toEqual(['EDGETILL_API_URL', '--sub-merchant', 'EDGETILL_TEST_CARD', '--pay-by-hand', '--webhook-url'])
    expect(idsOf(report, 'holds')?.length).toBeGreaterThan(25)
  })

  it('sends nothing to a project that nobody called the test project', async () => {
    const { run, given, probes } = openConform()
    const away = { ...given.config, baseUrl: 'https://pay.example.com' }
    await expect(run({ config: away, project: undefined })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('--test-project'),
    })
    expect(probes).toEqual([])
    expect(idsOf(await run({ config: away }), 'holds')).not.toEqual([])
    // On this machine it can only be an emulator.
    expect(idsOf(await run({ project: undefined }), 'differs')).toEqual([])
  })

  it('finds nothing and is not content when the service cannot be reached', async () => {
    const { run, given } = openConform()
    const fetch = () => Promise.reject(new TypeError('no route'))
    const report = await run({ config: { ...given.config, fetch } })
    expect([idsOf(report, 'holds'), idsOf(report, 'differs')]).toEqual([[], []])
    expect(report?.statements[0]?.seen).toBe('no response (interrupted)')
    expect(report && isClean(report)).toBe(false)
  })

  it('names a certificate that is not trusted', async () => {
    const { run, given } = openConform()
    const cause = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }))
    const report = await run({ config: { ...given.config, fetch } })
    expect(report?.statements[0]?.seen).toBe(
      'no response: the certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); set NODE_EXTRA_CA_CERTS to its PEM file',
    )
  })

  it('names a rate limit that does not end', async () => {
    const { run, given } = openConform()
    const fetch = async () => Response.json({ message: 'no' }, { status: 429 })
    const report = await run({ config: { ...given.config, fetch, maxRetries: 0 } })
    expect([idsOf(report, 'holds'), idsOf(report, 'differs')]).toEqual([[], []])
    expect(report?.statements[0]?.seen).toBe('HTTP 429: a rate limit')
  })

  it('says after 5 s that it waits', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { run, given } = openConform()
      const [notes, stop] = [[] as string[], new AbortController()]
      let hung = (): void => {}
      const isHung = new Promise<void>((resolve) => (hung = resolve))
      const fetch = () => {
        hung()
        return new Promise<Response>(() => {})
      }
      const onWait = (says: string) => notes.push(says)
      const running = run({ config: { ...given.config, fetch }, onWait, signal: stop.signal })
      await isHung
      await vi.advanceTimersByTimeAsync(4_999)
      expect(notes).toEqual([])
      await vi.advanceTimersByTimeAsync(1)
      expect(notes).toEqual(['the service has not responded for 5 s'])
      stop.abort()
      expect(await running).toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })

  it.each<[Rule, object]>([
    [({ path, body }) => (path === '/api/v1/void' ? declined(body) : undefined), VOID_DECLINED],
    [rejecting(({ path }) => path.includes('recurring')), GOES_ON],
  ])('says what is open after a void that is declined, and after a subscription that goes on', async (rule, open) => {
    const report = await openConform({}, [rule]).run()
    expect(report?.made.filter((one) => one.open)).toContainEqual(expect.objectContaining(open))
  })

  it('says what it could not undo, and tries it again the next time', async () => {
    let isDown = true
    const rule: Rule = ({ path }) => (isDown && path === '/api/v1/void' ? rejected() : undefined)
    const { run, store } = openConform({}, [rule])
    const first = await run()
    const open = first?.made.filter((one) => one.open)
    expect(open).toMatchObject([
      {
        what: 'authorization',
        now: expect.stringMatching(
          /^0\.01 UAH may be taken or held: not voided: rejected with HTTP 400 \(X-1\); edgetill/,
        ),
      },
    ])
    expect([first && isClean(first), store.text === undefined]).toEqual([false, false])
    isDown = false
    const second = await run()
    expect(second?.made.filter((one) => one.open)).toEqual([])
    expect(second?.made[0]).toMatchObject({ order_id: open?.[0]?.order_id, now: 'voided' })
    expect([idsOf(second, 'differs'), store.text]).toEqual([[], undefined])
  })
})
