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

const outsideTurn = (name: string, scenarios: readonly string[]): Change => {
  const find = 'Object.hasOwn(ONE_BY_ONE, name)'
  return [`${name} outside the turn`, scenarios, find, `${find} && name !== '${name}'`]
}

const EQUIVALENT: Readonly<Record<string, string>> = {
  'attentionDone outside the turn':
    'It reads and writes what is done with no call between; publishing also runs beside it in an alarm.',
  'each visitor opens': 'They open in turn, and the second one finds what the first one has recorded. It saves calls.',
  'the queue is looked at before the write': 'Events come in turn: nobody adds one between the look and the write.',
  'a rejected cancellation reads nothing again':
    'It answers as it would have answered had the event that came meanwhile come a moment later.',
  'webhooks in the turn of money':
    'They wait for a call of the service, and are stored all the same: what a response shows is stored in the turn of money anyway.',
  'what is due is read after the list was written':
    'What changes it marks the order as changed too, or the cron wakes the order: only the number of calls differs.',
  'a failed listing counts as listed':
    'It is listed again at the time that the failure has set, whatever was due then.',
  'the list does not learn that an event fails':
    'A time that is past has the order published at each alarm, and a replay by a person marks it as changed.',
  'a removal sets no alarm':
    'What removes a watch also writes something that sets an alarm as early, or publishes at once; an alarm that is cut off runs again.',
  'an operation stays watched': 'The next alarm finds that it has ended, and removes it. It saves that look.',
  'open operations are asked about at once':
    'An order has one open operation: another one is rejected until it is settled.',
}

const WEBHOOKS = ['webhooks at once']
const ALONE = ['one webhook']
const FOLLOWED = ['one webhook, and a second one when it was handled']
const DROPPED = ['webhooks, and the alarm is given up']
const PERSON = ['webhooks, and a person']
const BROKEN = ['webhooks that the shop cannot handle']
const ERASED = ['webhooks, and the data is removed', 'webhooks, and two remove the data']
const ERASED_BROKEN = ['webhooks that fail, and the data is removed']
const MONEY = ['one key, three times', 'a capture that is open', 'a refund that is open', 'three keys']
const VERSIONS = ['two who saw the same order']
const SETTLED = ['a person and the cron']
const TABS = ['three tabs', 'tabs after a lost opening', 'tabs after a decline']
const DAYS = ['tabs after a day']
const REVOKED = ['tabs, and the link is revoked']
const CANCELLED = ['tabs, and the order is cancelled', 'tabs after a lost opening that is cancelled']
const DECLINED = ['tabs after a decline, and the order is cancelled']
const TERMS = ['tabs of two links of other terms']
const EXPIRED = ['tabs after expiry', 'an expired link and a newer one', 'an order that all give up after expiry']
const LOST = ['tabs after a lost opening', 'an order that all give up after a lost opening']

const PRESSED = ['till: a button pressed three times']
const BUTTONS = ['till: three buttons']
const OPEN_REFUND = ['till: a refund that is open']
const FAILING = ['till: an opening, and events that fail']
const BESIDE = ['till: two buttons beside another program']
const SAW_SAME = ['till: two who saw the same order']

/** Of the processes of a till. */
const TILL_RACES: readonly Race[] = [
  ...inFile('../till/store.ts', [
    [
      'a row takes whatever number is next',
      [...SAW_SAME, ...BUTTONS],
      'order.order_key, order.next++, kind',
      `order.order_key, (await run(tables, 'SELECT coalesce(max(number), 0) + 1 AS number FROM edgetill_log WHERE order_key = ?', order.order_key))[0]!.number, (order.next++, kind)`,
    ],
    [
      'a key is not free again after nothing was sent',
      [...PRESSED, ...BUTTONS],
      "own?.outcome === 'not_sent' ? null : row.name",
      'row.name',
    ],
    ['a lost insert counts as written', BESIDE, 'if (rows.length === 0) throw LOST', ''],
  ]),
  ...inFile('../till/move-money.ts', [
    [
      'a call is made without its row',
      [...PRESSED, ...BUTTONS],
      "return append(scope, reading, { kind: 'operation', id, body: operation, name: keyHash || null, ...due })",
      'return keyHash && due ? undefined : undefined',
    ],
    [
      'a paused process sends all the same',
      [...PRESSED, ...BUTTONS],
      'Math.floor(started_at + SEND_MS - (now + Date.now() - asked_at))',
      '30_000',
    ],
    [
      'an absence counts after two minutes',
      BUTTONS,
      'const SETTLE_AFTER_MS = 600_000',
      'const SETTLE_AFTER_MS = 120_000',
    ],
    [
      'an absence counts what a pause added',
      BUTTONS,
      'settled = reading.now - started_at',
      'settled = reading.now + Date.now() - reading.asked_at - started_at',
    ],
    [
      'what was known before the call is forgotten',
      [...BUTTONS, ...OPEN_REFUND],
      'known: new Set(known)',
      'known: new Set<string>()',
    ],
  ]),
  ...inFile('../till/events.ts', [
    [
      'an event that loses its insert is gone',
      BESIDE,
      'body, name, isOpen, dueInMs })',
      'body, name, isOpen, dueInMs }).catch(() => {})',
    ],
  ]),
  ...inFile('../till/settle.ts', [
    [
      'whoever finds an event due delivers it',
      FAILING,
      'if (!claimed) continue',
      'if (!claimed) Object.assign(row, {})',
    ],
    [
      'an event is done before its call',
      FAILING,
      'if (!claimed) continue',
      "if (!claimed) continue\n    await run(scope, update('next_at = NULL'), order_key, number, claimed.next_at)",
    ],
  ]),
]

export const RACES: readonly Race[] = [
  ...TILL_RACES,
  ...inFile('order/actions.ts', [
    outsideTurn('moveMoney', MONEY),
    outsideTurn('openCheckout', REVOKED),
    outsideTurn('cancelOrder', ['a tab, and the order is cancelled']),
    outsideTurn('settleByHand', SETTLED),
    outsideTurn('revokeLink', REVOKED),
    outsideTurn('erasePersonalData', ['a tab, and the data is removed']),
    outsideTurn('attentionDone', PERSON),
  ]),
  ...inFile('gate.ts', [
    ['turns that do not wait', MONEY, 'waiting.shift()) await work()', 'waiting.shift()) void work()'],
    ['a turn that a failure ends', TABS, '.then(resolve, reject)', '.then(resolve)'],
    ['each visitor opens', TABS, 'this.openings.get(key) ?? this.run(call)', 'this.run(call)'],
    ['an opening that is kept', TABS, '.finally(() => this.openings.delete(key))'],
    ['links of one order share an opening', TERMS, 'const key = JSON.stringify(call)', 'const key = call.order_id'],
    [
      'webhooks in the turn of money',
      WEBHOOKS,
      "call.name === 'storeWebhook' ? this.scope.eventsInTurn : unordered",
      "call.name === 'storeWebhook' ? this.money : unordered",
    ],
    [
      'published beside what is due',
      BROKEN,
      `      ])
      // Last: the list then says what is due after this.
      done.push(...(await Promise.allSettled([publishDue(scope)])))
`,
      '        publishDue(scope),\n      ])\n',
    ],
    ['an erasure of the alarm outside the turn', ERASED, 'this.money(() => eraseDue(scope)),', 'eraseDue(scope),'],
    ['webhooks outside the turn', WEBHOOKS, "call.name === 'storeWebhook' ? this.scope.eventsInTurn : ", ''],
    ['a check outside the turn', DAYS, 'this.money(() => checkOpen(scope))', 'checkOpen(scope)'],
    ['no alarm before an alarm', BROKEN, 'await this.storage.setAlarm(began + LATER_MS)'],
    ['no alarm after an alarm', MONEY, '      await this.schedule(began)\n'],
    ['nothing wakes a gate', DROPPED, 'await this.wake(order_id)'],
    [
      'a change is not announced',
      DROPPED,
      'await publishSoon(this.scope, order_id, alarm ?? Number.POSITIVE_INFINITY)',
    ],
    ['no last publishing', MONEY, 'done.push(...(await Promise.allSettled([publishDue(scope)])))'],
  ]),
  ...inFile('order/tables.ts', [
    ['an alarm without what is to be published', MONEY, '\n       UNION ALL SELECT next_at FROM published)', ')'],
    ['no alarm with what is due', MONEY, 'if (alarm === null || alarm > at) await', 'if (alarm === -1) await'],
    ['an alarm that is looked at last', FOLLOWED, 'if (alarm !== null)', 'if ((await storage.getAlarm()) !== null)'],
    [
      'an alarm without what is watched',
      MONEY,
      '       UNION ALL SELECT CASE WHEN next_at > ? THEN next_at ELSE ? END FROM task\n',
      '       UNION ALL SELECT NULL WHERE ? > ?\n',
    ],
    [
      'the alarm before what is due',
      ALONE,
      '        tables.atomically(write)\n        if (alarm === null || alarm > at) await storage.setAlarm(at)\n',
      '        if (alarm === null || alarm > at) await storage.setAlarm(at)\n        tables.atomically(write)\n',
    ],
  ]),
  ...inFile('order/queue.ts', [
    ['an event is queued again', WEBHOOKS, 'OR IGNORE INTO queue', 'OR REPLACE INTO queue'],
    [
      'the queue is looked at before the write',
      WEBHOOKS,
      'store.writeDue(received_at, () => {\n    renameReports(store)\n    also?.()\n',
      `(store.all('SELECT 1 FROM queue WHERE operation = ?', reportOf(order_id, known, event)).length > 0
        ? (_: number, write: () => void) => store.writeDue(received_at, () => also?.())
        : store.writeDue)(received_at, () => {
    also?.()
    store.all('DELETE FROM queue WHERE operation = ?', reportOf(order_id, known, event))
`,
    ],
    [
      'each event of an operation is handled',
      WEBHOOKS,
      'reportKey(order_id, JSON.parse(operation), event.status)',
      'event.id',
    ],
    ['a call before its count is on disk', BROKEN, '  await store.flush()\n'],
    ['erased data comes back', ERASED_BROKEN, 'known.erased && !entry.erased ? withoutPerson(entry) : entry', 'entry'],
  ]),
  ...inFile('order/queue.ts', [
    [
      'the list does not learn that an event fails',
      BROKEN,
      'for (const { order_id } of rows) touch(store, order_id, { create: false, atOnce: true })',
      'for (const { order_id } of rows) void order_id',
    ],
  ]),
  ...inFile('order/deliver-events.ts', [
    ['a handled event stays', MONEY, '  dequeue(store, event_id)\n'],
    ['an event leaves before its call', WEBHOOKS, 'await putQueued(store, called)', 'dequeue(store, event_id)'],
    ['a call is not counted', BROKEN, '  await putQueued(store, called)\n'],
    ['a failure is not recorded', BROKEN, 'await putQueued(store, { ...failed', 'void ({ ...failed'],
    [
      'erased data is delivered',
      ERASED,
      'readEvent((getQueued(store, event_id) ?? entry).event)',
      'readEvent(entry.event)',
    ],
  ]),
  ...inFile('order/store-event.ts', [
    ['a response beside webhooks', WEBHOOKS, 'return scope.eventsInTurn(store)', 'return store()'],
    ['an event is not published', WEBHOOKS, '    touch(store, order_id)\n'],
    ['an event without its row', WEBHOOKS, 'known, putOwn)\n  else', 'known)\n  else'],
    ['KV behind the gate', WEBHOOKS, 'await putEvent(kv', 'void putEvent(kv'],
    ['an ended order is watched', WEBHOOKS, 'await unwatch(store, order_id)', 'await Promise.resolve()'],
    [
      'the gate before KV',
      WEBHOOKS,
      '  await putEvent(kv, order_id, logged, stored)\n',
      `  await store.writeDue(store.now(), () => putOwnEvent(store, order_id, logged, stored.event))
  await putEvent(kv, order_id, logged, stored)
`,
    ],
  ]),
  ...inFile('routes/webhooks.ts', [
    ['a webhook is answered before it is stored', WEBHOOKS, 'packed ? act(', 'packed ? void act('],
  ]),
  ...inFile('order/publish.ts', [
    ['KV is not waited for', ALONE, 'isNews && !isSoon ? kv.put', 'isNews && !isSoon ? void kv.put'],
    [
      'what is due is read after the list was written',
      MONEY,
      'isDone ? due_at : published.due_at',
      'isDone ? dueAt(store) : published.due_at',
    ],
    ['a failed listing counts as listed', MONEY, 'isDone ? due_at : published.due_at', 'due_at'],
    [
      'a version that was not published',
      MONEY,
      'Number(isDone && !isLate && waits === null),\n      version,',
      'Number(isDone && !isLate && waits === null),\n      version + 1,',
    ],
    ['a change beside a publication is forgotten', WEBHOOKS, 'WHEN ? AND version = ? THEN', 'WHEN ? AND ? > 0 THEN'],
  ]),
  ...inFile('books/tables.ts', [
    ['the list takes an older state', DROPPED, 'Number(known.version) > version) return', 'version < 0) return'],
  ]),
  ...inFile('order/check-open.ts', [
    [
      'open operations are asked about at once',
      MONEY,
      'for (const row of due.slice(0, ROWS_OF_AN_ALARM)) await check(scope, row)',
      'await Promise.all(due.slice(0, ROWS_OF_AN_ALARM).map((row) => check(scope, row)))',
    ],
  ]),
  ...inFile('order/checkouts.ts', [
    [
      'a checkout is watched after it is recorded',
      ['a tab that looks once'],
      `    await watch(store, { kind: 'checkout', order_id: attemptId(order_id, rest.attempts), since, listed: true })
    store.atomically(() => {
      putCheckout(store, order_id, { ...recordOfLink(link, path), opened_at: since, ...rest })
      touch(store, order_id)
    })
`,
      `    store.atomically(() => {
      putCheckout(store, order_id, { ...recordOfLink(link, path), opened_at: since, ...rest })
      touch(store, order_id)
    })
    await watch(store, { kind: 'checkout', order_id: attemptId(order_id, rest.attempts), since, listed: true })
`,
    ],
    [
      'a customer who waits is asked about again',
      ['tabs that look at the result'],
      'WHERE coalesce(asked_at, 0) <= ? RETURNING',
      'WHERE coalesce(asked_at, 0) <= ? + 9e15 RETURNING',
    ],
  ]),
  ...inFile('order/erase.ts', [['an erasure that is put off counts as done', ERASED, 'if (!isWritten) continue', '']]),
  ...inFile('order/watchlist.ts', [
    [
      'a removal sets no alarm',
      [...ALONE, ...SETTLED, ...MONEY, ...TABS, ...CANCELLED, ...REVOKED],
      'store.writeDue(store.now() + PUBLISH_MS, () => {\n    store.all("DELETE',
      'store.writeDue(9e14, () => {\n    store.all("DELETE',
    ],
    ['a removal is not published', ALONE, '    touch(store, order_id, { create: false })\n'],
    ['an unknown outcome is not watched', MONEY, 'watch(store, { ...row, listed })', 'Promise.resolve()'],
  ]),
  ...inFile('order/move-money.ts', [
    [
      'an operation stays watched',
      MONEY,
      'await unwatch(scope.store, order_id, operation.id)',
      'await Promise.resolve()',
    ],
    ['what was learnt is not read again', VERSIONS, "'request', 'looked_up'", "'request'"],
    [
      'a response is filed beside the next call',
      ['two keys, and no webhook'],
      'await storeShown(scope, event,',
      'void storeShown(scope, event,',
    ],
  ]),
  ...inFile('../money/protocol.ts', [
    [
      'an operation is watched after it is recorded',
      MONEY,
      "      { type: 'watch', operation, listed: false },\n      { type: 'store', operation },\n",
      "      { type: 'store', operation },\n      { type: 'watch', operation, listed: false },\n",
    ],
    ['an older order is captured', VERSIONS, 'version !== versionOf(order, operations)', 'version === ""'],
    ['a key is not remembered', MONEY, '  if (ended) return answer(state, answerOf(ended))\n'],
    ['an open operation does not block', MONEY, 'return open ? settle', 'return open && now < 0 ? settle'],
  ]),
  ...inFile('order/open-checkout.ts', [
    [
      'a rejected cancellation reads nothing again',
      CANCELLED,
      "if (!state || message.type === 'cancelled' || read.attempts.some(({ holdsMoney }) => holdsMoney))",
      'if (!state)',
    ],
  ]),
  ...inFile('order/protocol-checkout.ts', [
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
