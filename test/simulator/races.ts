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
}

const WEBHOOKS = ['webhooks at once']
const ALONE = ['one webhook']
const DROPPED = ['webhooks, and the alarm is given up']
const PERSON = ['webhooks, and a person']
const BROKEN = ['webhooks that the shop cannot handle']
const ERASED = ['webhooks, and the data is removed']
const ERASED_BROKEN = ['webhooks that fail, and the data is removed']
const MONEY = ['one key, three times', 'a capture that is open', 'a refund that is open', 'three keys']
const VERSIONS = ['two who saw the same order']
const SETTLED = ['a person and the cron']
const TABS = ['three tabs', 'tabs after a lost opening', 'tabs after a decline']
const DAYS = ['tabs after a day']
const REVOKED = ['tabs, and the link is revoked']
const CANCELLED = ['tabs, and the order is cancelled', 'tabs after a lost opening that is cancelled']
const DECLINED = ['tabs after a decline, and the order is cancelled']

export const RACES: readonly Race[] = [
  ...inFile('actions.ts', [
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
    ['webhooks outside the turn', WEBHOOKS, "call.name === 'storeWebhook' ? this.events : unordered", 'unordered'],
    ['a check outside the turn', DAYS, 'this.money(() => checkOpen(scope))', 'checkOpen(scope)'],
    ['no alarm before an alarm', BROKEN, 'await this.storage.setAlarm(scope.now() + LATER_MS)'],
    ['no alarm after an alarm', MONEY, '      await this.schedule()\n'],
    ['nothing wakes a gate', DROPPED, "if (call.order_id !== '') await this.wake()"],
    ['no last publishing', MONEY, 'done.push(...(await Promise.allSettled([publishDue(scope)])))'],
  ]),
  ...inFile('store/order-store.ts', [
    ['an alarm without what is to be published', MONEY, '\n       UNION ALL SELECT next_at FROM published)', ')'],
    ['no alarm with what is due', MONEY, 'if (alarm === null || alarm > at) await', 'if (alarm === -1) await'],
    ['an alarm that is looked at last', WEBHOOKS, 'if (alarm !== null)', 'if ((await storage.getAlarm()) !== null)'],
    [
      'the alarm before what is due',
      ALONE,
      '        tables.atomically(write)\n        if (alarm === null || alarm > at) await storage.setAlarm(at)\n',
      '        if (alarm === null || alarm > at) await storage.setAlarm(at)\n        tables.atomically(write)\n',
    ],
  ]),
  ...inFile('store/outbox.ts', [
    ['an event is queued again', WEBHOOKS, 'OR IGNORE INTO queue', 'OR REPLACE INTO queue'],
    [
      'the queue is looked at before the write',
      WEBHOOKS,
      'store.writeDue(received_at, () => {\n        also?.()\n',
      `(store.all('SELECT 1 FROM queue WHERE operation = ?', operationOf(event_id, stored)).length > 0
        ? (_, write) => store.writeDue(received_at, () => also?.())
        : store.writeDue)(received_at, () => {
        also?.()
        store.all('DELETE FROM queue WHERE operation = ?', operationOf(event_id, stored))
`,
    ],
    ['a call before its count is on disk', BROKEN, "      await orStorageError('write', () => storage.sync())\n"],
    ['an erased event comes back', ERASED_BROKEN, ' AND entry IS NOT NULL RETURNING', ' RETURNING'],
  ]),
  ...inFile('flows/deliver-events.ts', [
    ['a handled event stays', MONEY, '  await outbox.remove(event_id)\n'],
    ['an event leaves before its call', WEBHOOKS, 'await outbox.put(called)', 'await outbox.remove(event_id)'],
    ['a call is not counted', BROKEN, '  await outbox.put(called)\n'],
    ['a failure is not recorded', BROKEN, 'await outbox.put({ ...failed', 'void ({ ...failed'],
    [
      'an erased event is delivered',
      ERASED,
      '= await scope.outbox.get(event_id)\n    if (entry) await',
      '= due.find((one) => one.event_id === event_id)\n    if (entry) await',
    ],
  ]),
  ...inFile('flows/store-event.ts', [
    ['a response beside webhooks', WEBHOOKS, 'await scope.eventsInTurn(store)', 'await store()'],
    ['an event is not published', WEBHOOKS, '    touch(store, order_id, now)\n'],
    ['an event without its row', WEBHOOKS, 'now, putOwn)\n  else', 'now)\n  else'],
    ['KV behind the gate', WEBHOOKS, 'await putEvent(kv', 'void putEvent(kv'],
    ['an ended order is watched', WEBHOOKS, 'await scope.watchlist.remove(order_id)', 'await Promise.resolve()'],
    [
      'the gate before KV',
      WEBHOOKS,
      '  await putEvent(kv, orderKey, logged, stored)\n',
      `  await store.writeDue(now, () => putOwnEvent(store, orderKey, logged, stored.event))
  await putEvent(kv, orderKey, logged, stored)
`,
    ],
  ]),
  ...inFile('routes/webhooks.ts', [
    ['a webhook is answered before it is stored', WEBHOOKS, 'if (packed) await act(', 'if (packed) void act('],
  ]),
  ...inFile('flows/publish-order.ts', [
    ['KV is not waited for', MONEY, 'if (hash !== written) await kv.put', 'if (hash !== written) void kv.put'],
    ['a change beside a publication is forgotten', WEBHOOKS, 'WHEN ? AND version = ? THEN', 'WHEN ? AND ? > 0 THEN'],
  ]),
  ...inFile('store/shop-tables.ts', [
    ['the list takes an older state', DROPPED, 'known.version > version) return', 'version < 0) return'],
  ]),
  ...inFile('store/tasks.ts', [
    ['a removal is not published', ALONE, '        touch(store, order_id, now(), { create: false })\n'],
  ]),
  ...inFile('flows/schedule.ts', [
    ['an operation stays watched', MONEY, 'await watchlist.remove(order_id, id)', 'await Promise.resolve()'],
    ['an unknown outcome is not watched', MONEY, 'await watch(scope, { kind', 'await Promise.resolve({ kind'],
  ]),
  ...inFile('flows/move-money.ts', [
    ['what was learnt is not read again', VERSIONS, "'request', 'looked_up'", "'request'"],
  ]),
  ...inFile('../money/protocol.ts', [
    ['an older order is captured', VERSIONS, 'version !== versionOf(order.totals)', 'version === ""'],
    ['a key is not remembered', MONEY, '  if (ended) return answer(state, ended.answer as MoneyAnswer)\n'],
    ['an open operation does not block', MONEY, 'return open ? settle', 'return open && now < 0 ? settle'],
  ]),
  ...inFile('flows/open-checkout.ts', [
    [
      'a rejected cancellation reads nothing again',
      CANCELLED,
      "if (!state || message.type === 'cancelled')",
      'if (!state)',
    ],
  ]),
  ...inFile('protocol-checkout.ts', [
    [
      'a next attempt before it is announced',
      DECLINED,
      "{ type: 'announce', attempt: attempt + 1 },\n        { type: 'create'",
      "{ type: 'create'",
    ],
  ]),
]
