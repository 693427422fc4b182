// Races, each planted by a change of the engine's text: what the simulator has to find.

export interface Race {
  id: string
  /** Under src/shop. */
  file: string
  /** Stands in the file once. */
  find: string
  replace: string
  /** The scenarios that concern it. */
  scenarios: readonly string[]
  /** Why nobody can notice it. */
  equivalent?: string
}

type Change = [id: string, scenarios: readonly string[], find: string, replace?: string]

const inFile = (file: string, changes: readonly Change[]): Race[] =>
  changes.map(([id, scenarios, find, replace = '']) => {
    const equivalent = EQUIVALENT[id]
    return { id, file, find, replace, scenarios, ...(equivalent && { equivalent }) }
  })

const EQUIVALENT: Readonly<Record<string, string>> = {
  'a next attempt before it is announced':
    'create() writes the row of an attempt before its call. The announcement protects a cancellation.',
  'an event is not published': 'It is due with its row: the cron publishes it within two minutes.',
}

const WEBHOOKS = ['webhooks at once']
const ALONE = ['one webhook']
const PERSON = ['webhooks, and two people']
const DIES = ['webhooks, and the worker dies']
const BROKEN = ['webhooks that the shop cannot handle']
const MONEY = ['one key, three times', 'a capture that is open', 'a refund that is open', 'three keys']
const VERSIONS = ['two people who saw the same order']
const REVOKED = ['tabs, and the link is revoked']
const CANCELLED = ['tabs, and the order is cancelled', 'tabs after a lost opening that is cancelled']
const DECLINED = ['tabs after a decline, and the order is cancelled']
const EXPIRED = ['tabs after expiry', 'an expired link and a newer one', 'an order that all give up after expiry']
const LOST = ['tabs after a lost opening', 'an order that all give up after a lost opening']

const PRESSED = ['till: a button pressed three times']
const BUTTONS = ['till: three buttons']
const OPEN_REFUND = ['till: a refund that is open']
const FAILING = ['till: an opening, and events that fail']
const BESIDE = ['till: two buttons beside another program']
const STRANGER = ['till: buttons beside another merchant']
const RESTORED = ['till: a restored backup']
const SAW_SAME = ['till: two people who saw the same order']
const LIMITED = ['till: two attempts under a limit']
const BACK = ['till: customers who come back']
const BACK_CANCELLED = ['till: customers who come back, and a cancellation']

/** Of the processes of a till. */
const TILL_RACES: readonly Race[] = [
  ...inFile('../till/store.ts', [
    [
      'a row takes whatever number is next',
      [...SAW_SAME, ...BUTTONS],
      'base_id, order.next++, attempt',
      `base_id, (await run(tables, 'SELECT coalesce(max(number), 0) + 1 AS number FROM edgetill_log WHERE order_id = ?', base_id))[0]!.number, (order.next++, attempt)`,
    ],
    [
      'a key is not free again after nothing was sent',
      [...PRESSED, ...BUTTONS],
      "own?.outcome === 'not_sent' ? null : name",
      'name',
    ],
    [
      'a limit is of one attempt',
      LIMITED,
      'state.order.refundedElsewhere = beside',
      'state.order.refundedElsewhere = 0 * beside',
    ],
    [
      'a lost insert counts as written',
      BESIDE,
      'if (!written) throw LOST',
      'if (!written) return [{ order_id: base_id, number: order.next - 1, written_at: 0 }] as never',
    ],
    [
      'an operation after the backup counts as explained',
      RESTORED,
      'at <= Number(backup_at)).concat(',
      'at <= Number(recovered_at)).concat(',
    ],
  ]),
  ...inFile('../till/move-money.ts', [
    [
      'a call is made without its row',
      [...PRESSED, ...BUTTONS],
      "return append(scope, reading, { kind: 'operation', id, body, name: keyHash || null, ...due })",
      'return keyHash && due ? undefined : undefined',
    ],
    ['a paused process still sends', [...PRESSED, ...BUTTONS], 'timeToSend(read_at + started_at - now)', '30_000'],
    ['an absence counts too early', BUTTONS, 'const SETTLE_AFTER_MS = 600_000', 'const SETTLE_AFTER_MS = 120_000'],
    [
      'an absence counts what a pause added',
      BUTTONS,
      'reading.now - started_at >=',
      'reading.now + Date.now() - reading.read_at - started_at >=',
    ],
    [
      'what was known before the call is forgotten',
      [...BUTTONS, ...OPEN_REFUND],
      'known: new Set(known)',
      'known: new Set<string>()',
    ],
  ]),
  ...inFile('../till/open-payment.ts', [
    ['an opening is not waited for', FAILING, 'now - Number(payment.written_at) < OPENING_MS', 'now < OPENING_MS'],
    ['a cancelled order is opened', BACK_CANCELLED, '    isClosed,\n', '    isClosed: false,\n'],
    [
      'the address is written beside the response',
      FAILING,
      'await runAll(scope, [[sql, values], ...(scope',
      'void runAll(scope, [[sql, values], ...(scope',
    ],
  ]),
  ...inFile('../till/store.ts', [
    ['the tables serve whoever comes', STRANGER, 'if (owner !== own && owner', 'if (owner === own + owner && owner'],
  ]),
  ...inFile('../till/events.ts', [
    [
      'an event that loses its insert is gone',
      BESIDE,
      'append(scope, read, entry, beside)',
      'append(scope, read, entry, beside).catch(() => [{ written_at: 0 }] as never)',
    ],
  ]),
  ...inFile('../till/settle.ts', [
    [
      'whoever finds an event due delivers it',
      FAILING,
      'const [claimed] = await run(scope, claim',
      'const [claimed = row] = await run(scope, claim',
    ],
    [
      'an event is done before its call',
      FAILING,
      '  const later = nextOf(scope, row)\n',
      "  const later = nextOf(scope, row)\n  await run(scope, update('next_at = NULL', ONE), row.order_id, row.number)\n",
    ],
  ]),
]

export const RACES: readonly Race[] = [
  ...TILL_RACES,
  ...inFile('routes/webhooks.ts', [
    [
      'a webhook is answered before it is stored',
      WEBHOOKS,
      "onEvent: (event) => store(scope, event, req.query('expected'))",
      "onEvent: (event) => void store(scope, event, req.query('expected'))",
    ],
  ]),
  ...inFile('engine/hooks.ts', [
    ['KV behind the log', WEBHOOKS, 'await putEvent(copies', 'void putEvent(copies'],
    [
      'an event is not published',
      WEBHOOKS,
      "      later(scope, 'order_not_published', order_id, () => publish(scope, order_id, after, copies?.[0] as Row))\n",
    ],
    [
      'an event whose isolate dies is not published',
      ['one webhook, and the worker dies'],
      '    beside: (order_id) => [claimCopy(scope, order_id)],\n',
    ],
  ]),
  ...inFile('../till/events.ts', [
    [
      'the log before KV',
      WEBHOOKS,
      'if (!isKept) await scope.keep?.(event, summary, order_id)',
      'setTimeout(() => isKept || scope.keep?.(event, summary, order_id), 1)',
    ],
    [
      'each event of an operation is handled',
      WEBHOOKS,
      'JSON.stringify([operation, summary.status])',
      'JSON.stringify([operation, summary.status, summary.id])',
    ],
    ['an event is not due', DIES, 'attempts * (pauseAfter(1) + ON_EVENT_MS)', '9e9'],
  ]),
  ...inFile('../till/settle.ts', [
    ['a call is not counted', BROKEN, '`attempts = attempts + 1, next_at', '`next_at'],
    ['no failure is recorded', BROKEN, 'CASE WHEN body = ? THEN ? END', 'CASE WHEN body = ? AND ? IS NULL THEN 1 END'],
    ['a handled event stays', MONEY, "isOver ? 'NULL' : later", "isOver && row.kind !== 'event' ? 'NULL' : later"],
    ['a claim ends before its call', BROKEN, 'ON_EVENT_MS}`\n', '0}`\n'],
  ]),
  ...inFile('engine/publish.ts', [
    ['KV is not waited for', [...ALONE, ...DIES], 'await scope.copies?.put(`order/', 'void scope.copies?.put(`order/'],
    [
      'a change beside a publication is forgotten',
      WEBHOOKS,
      'due_at = ? AND NOT EXISTS (SELECT 1 FROM edgetill_log WHERE order_id = ?\n    AND number >= ?)',
      "? > 0 AND ? > '' AND ? > 0",
    ],
    ['a begun publication is written', DIES, 'now + RETRY_MS]', 'null]'],
  ]),
  ...inFile('cron.ts', [
    ['nothing publishes what is due', [...ALONE, ...DIES], '  await attempt(scope, publishDue)\n'],
    [
      'nobody looks at what is due',
      MONEY,
      "(['event', 'operation', 'payment'] as const) : (['event'] as const)",
      '([] as const) : ([] as const)',
    ],
  ]),
  ...inFile('../till/listed.ts', [
    [
      'the list takes an older state',
      PERSON,
      'WHERE edgetill_order.token = ? RETURNING',
      'WHERE edgetill_order.token = ? OR 1 = 1 RETURNING',
    ],
    [
      'what came meanwhile counts as listed',
      PERSON,
      'AND number < ? AND unlisted <= ?',
      'AND number < ? + 9 AND unlisted <= ? + 9e9',
    ],
  ]),
  ...inFile('tables.ts', [
    [
      'a customer who waits is asked about again',
      ['tabs that look at the result'],
      'WHERE edgetill_alert.at <= ?',
      'WHERE edgetill_alert.at <= 9e15 + ?',
    ],
  ]),
  ...inFile('../till/open-payment.ts', [
    ['a revoked link is opened', REVOKED, 'if (visit && (await visit.isRevoked())) {', 'if (visit === null) {'],
    ['a cancelled link is opened', CANCELLED, '    isClosed,\n', '    isClosed: false,\n'],
  ]),
  ...inFile('../till/protocol.ts', [
    ['an older order is captured', VERSIONS, 'version !== versionOf(order, operations)', 'version === ""'],
    ['a key is not remembered', MONEY, '  if (ended) return answer(state, answerOf(ended))\n'],
    ['an open operation does not block', RESTORED, 'return open ? settle', 'return open && now < 0 ? settle'],
  ]),
  ...inFile('../till/protocol-checkout.ts', [
    [
      'another attempt of a till without a question',
      BACK,
      "return byShop ? answer({ kind: 'result', attempt: first }) : lookUp(first)",
      "return byShop ? answer({ kind: 'result', attempt: first }) : next(first)",
    ],
    [
      'expired after its cancellation',
      EXPIRED,
      "    { type: 'expire', attempt },\n    { type: 'cancel', attempt, why: 'expired' },\n",
      "    { type: 'cancel', attempt, why: 'expired' },\n    { type: 'expire', attempt },\n",
    ],
    [
      'announced after the cancellation',
      LOST,
      "goOn(attempt, { type: 'cancel', attempt, why: 'replaced' })",
      "goOn(attempt, { type: 'cancel', attempt, why: 'replaced' }).reverse()",
    ],
    [
      'a next attempt before it is announced',
      DECLINED,
      "goOn(attempt, { type: 'create', attempt: attempt + 1, isNew: false })",
      "goOn(attempt, { type: 'create', attempt: attempt + 1, isNew: false }).slice(-1)",
    ],
  ]),
]
