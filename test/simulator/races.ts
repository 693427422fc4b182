// Races, each planted by a change of the engine's text: what the simulator has to find. `find` stands in the file once.

export interface Race {
  id: string
  /** Under src/shop. */
  file: string
  find: string
  replace: string
  /** The scenarios that concern it; without them all are played. */
  scenarios?: readonly string[]
  /** Why nobody can notice it. */
  equivalent?: string
}

const race = (id: string, file: string, find: string, replace: string, more: Partial<Race> = {}): Race => ({
  ...{ id, file, find, replace },
  ...more,
})
const outsideTurn = (name: string, more?: Partial<Race>): Race =>
  race(
    `${name} outside the turn`,
    'actions.ts',
    'Object.hasOwn(ONE_BY_ONE, name)',
    `Object.hasOwn(ONE_BY_ONE, name) && name !== '${name}'`,
    more,
  )

const WEBHOOKS = { scenarios: ['webhooks at once'] }
const DROPPED = { scenarios: ['webhooks, and the alarm is given up'] }
const PERSON = { scenarios: ['webhooks, and a person'] }
const BROKEN = { scenarios: ['webhooks that the shop cannot handle'] }
const ERASED = { scenarios: ['webhooks, and the data is removed'] }
const MONEY = { scenarios: ['a capture that is open', 'a refund that is open', 'three keys'] }
const VERSIONS = { scenarios: ['two who saw the same order'] }
const SETTLED = { scenarios: ['a person and the cron'] }
const TABS = { scenarios: ['three tabs', 'tabs after a lost opening', 'tabs after a decline'] }
const DAYS = { scenarios: ['tabs after a day'] }
const CANCELLED = { scenarios: ['tabs, and the order is cancelled', 'tabs after a lost opening that is cancelled'] }

export const RACES: readonly Race[] = [
  outsideTurn('moveMoney', MONEY),
  outsideTurn('openCheckout', { scenarios: ['tabs, and the link is revoked', 'tabs after a decline'] }),
  outsideTurn('cancelOrder', CANCELLED),
  outsideTurn('settleByHand', {
    ...SETTLED,
    equivalent:
      'Every flow reads an open operation again after its last call, and writes it with no call between; while one is open, none begins.',
  }),
  outsideTurn('revokeLink', { scenarios: ['tabs, and the link is revoked'] }),
  outsideTurn('erasePersonalData', {
    ...ERASED,
    equivalent:
      'Between a read of its rows and the write that follows there is no call, and it removes only what came before it: what is stored beside it is as if it came later.',
  }),
  outsideTurn('attentionDone', {
    ...PERSON,
    equivalent: 'It reads and writes what is done without a call between; publishing also runs beside it in an alarm.',
  }),
  race('turns that do not wait', 'gate.ts', 'waiting.shift()) await work()', 'waiting.shift()) void work()', MONEY),
  race(
    'a turn that a failure ends',
    'gate.ts',
    'const turn = () => work().then(resolve, reject)',
    'const turn = () => work().then(resolve)',
    { scenarios: ['one key, three times'] },
  ),
  race('each visitor opens', 'gate.ts', 'this.openings.get(key) ?? this.run(call)', 'this.run(call)', {
    ...TABS,
    equivalent: 'They open in turn, and the second one finds what the first one has recorded. It saves calls alone.',
  }),
  race(
    'an opening that is kept',
    'gate.ts',
    'this.run(call).finally(() => this.openings.delete(key))',
    'this.run(call)',
    TABS,
  ),
  race(
    'webhooks outside the turn',
    'gate.ts',
    "call.name === 'storeWebhook' ? this.events : unordered",
    'unordered',
    WEBHOOKS,
  ),
  race(
    'a response beside webhooks',
    'flows/store-event.ts',
    'await scope.eventsInTurn(store)',
    'await store()',
    WEBHOOKS,
  ),
  race('a check outside the turn', 'gate.ts', 'this.money(() => checkOpen(scope))', 'checkOpen(scope)', DAYS),
  race('no alarm before an alarm', 'gate.ts', 'await this.storage.setAlarm(scope.now() + LATER_MS)', '', {
    ...BROKEN,
    equivalent:
      'The runtime repeats an alarm that was cut off, six times, each call of `onEvent` is counted together with an alarm, and the cron wakes a gate that is late.',
  }),
  race('no alarm after an alarm', 'gate.ts', '      await this.schedule()\n', '', MONEY),
  race('nothing wakes a gate', 'gate.ts', "if (call.order_id !== '') await this.wake()", '', DROPPED),
  race('no last publishing', 'gate.ts', 'done.push(...(await Promise.allSettled([publishDue(scope)])))', '', MONEY),
  race(
    'an alarm without what is to be published',
    'store/order-store.ts',
    '\n       UNION ALL SELECT next_at FROM published)',
    ')',
    MONEY,
  ),
  race(
    'no alarm with what is due',
    'store/order-store.ts',
    'if (alarm === null || alarm > at) await storage',
    'if (alarm === -1) await storage',
    MONEY,
  ),
  race(
    'an alarm that is looked at last',
    'store/order-store.ts',
    'else if (alarm !== null) await storage',
    'else if ((await storage.getAlarm()) !== null) await storage',
    { scenarios: ['one key, three times'] },
  ),
  race(
    'the alarm before what is due',
    'store/order-store.ts',
    '        tables.atomically(write)\n        if (alarm === null || alarm > at) await storage.setAlarm(at)\n',
    '        if (alarm === null || alarm > at) await storage.setAlarm(at)\n        tables.atomically(write)\n',
    WEBHOOKS,
  ),
  race(
    'an event is queued again',
    'store/outbox.ts',
    'INSERT OR IGNORE INTO queue',
    'INSERT OR REPLACE INTO queue',
    WEBHOOKS,
  ),
  race(
    'the queue is looked at before the write',
    'store/outbox.ts',
    `      store.writeDue(received_at, () => {
        also?.()
        const entry: OutboxEntry = { ...stored, event_id, received_at, failures: 0, next_at: received_at }
        store.all(
          'INSERT OR IGNORE`,
    `      store.all('SELECT 1 FROM queue WHERE operation = ?', operationOf(event_id, stored)).length > 0 ? store.writeDue(received_at, () => also?.()) : store.writeDue(received_at, () => {
        also?.()
        const entry: OutboxEntry = { ...stored, event_id, received_at, failures: 0, next_at: received_at }
        store.all(
          'INSERT OR REPLACE`,
    { ...WEBHOOKS, equivalent: 'Events come in turn: nobody adds one between the look and the write.' },
  ),
  race(
    'an erased event is delivered',
    'flows/deliver-events.ts',
    '    const entry = await scope.outbox.get(event_id)\n',
    '    const entry = due.find((one) => one.event_id === event_id)\n',
    ERASED,
  ),
  race('an erased event comes back', 'store/outbox.ts', ' AND entry IS NOT NULL RETURNING', ' RETURNING', ERASED),
  race('a handled event stays', 'flows/deliver-events.ts', '  await outbox.remove(event_id)\n', '', MONEY),
  race(
    'an event leaves before its call',
    'flows/deliver-events.ts',
    'await outbox.put(called)',
    'await outbox.remove(event_id)',
    WEBHOOKS,
  ),
  race('a call is not counted', 'flows/deliver-events.ts', '  await outbox.put(called)\n', '', BROKEN),
  race(
    'a call before its count is on disk',
    'store/outbox.ts',
    "      await orStorageError('write', () => storage.sync())\n",
    '',
    BROKEN,
  ),
  race(
    'a failure is not recorded',
    'flows/deliver-events.ts',
    'await outbox.put({ ...failed',
    'void ({ ...failed',
    BROKEN,
  ),
  race('an event is not published', 'flows/store-event.ts', '    touch(store, order_id, now)\n', '', WEBHOOKS),
  race('an event without its row', 'flows/store-event.ts', 'now, putOwn)\n  else', 'now)\n  else', WEBHOOKS),
  race(
    'a webhook is answered before it is stored',
    'routes/webhooks.ts',
    'if (packed) await act(',
    'if (packed) void act(',
    WEBHOOKS,
  ),
  race('KV behind the gate', 'flows/store-event.ts', 'await putEvent(kv', 'void putEvent(kv', WEBHOOKS),
  race(
    'the gate before KV',
    'flows/store-event.ts',
    '  await putEvent(kv, orderKey, logged, stored)\n',
    '  await store.writeDue(now, () => putOwnEvent(store, orderKey, logged, stored.event))\n  await putEvent(kv, orderKey, logged, stored)\n',
    WEBHOOKS,
  ),
  race(
    'KV is not waited for',
    'flows/publish-order.ts',
    'if (hash !== written) await kv.put',
    'if (hash !== written) void kv.put',
    MONEY,
  ),
  race(
    'a change beside a publication is forgotten',
    'flows/publish-order.ts',
    'CASE WHEN ? AND version = ? THEN',
    'CASE WHEN ? AND ? > 0 THEN',
    WEBHOOKS,
  ),
  race(
    'the list takes an older state',
    'store/shop-tables.ts',
    'if (known && known.version > version) return',
    'if (known && version < 0) return',
    PERSON,
  ),
  race(
    'an ended order is watched',
    'flows/store-event.ts',
    'await scope.watchlist.remove(order_id)',
    'await Promise.resolve()',
    WEBHOOKS,
  ),
  race(
    'what was learnt is not read again',
    'flows/move-money.ts',
    "new Set(['request', 'looked_up', 'by_hand'])",
    "new Set(['request', 'by_hand'])",
    VERSIONS,
  ),
  race(
    'what was listed is not read again',
    'flows/move-money.ts',
    "new Set(['request', 'looked_up', 'by_hand'])",
    "new Set(['request', 'looked_up'])",
    {
      ...SETTLED,
      equivalent: 'After the list, a settlement by hand looks at its own operation alone, which only its turn changes.',
    },
  ),
  race('an older order is captured', 'protocol.ts', 'version !== versionOf(order.totals)', 'version === ""', VERSIONS),
  race(
    'a key is not remembered',
    'protocol.ts',
    '  if (ended) return answer(state, ended.response as RecordedResponse)\n',
    '',
    MONEY,
  ),
  race(
    'an open operation does not block',
    'protocol.ts',
    'return open ? settle({ ...state, waiting: wanted }, open, true, now) : begin',
    'return begin',
    MONEY,
  ),
  race(
    'a removal is not published',
    'store/tasks.ts',
    '        touch(store, order_id, now(), { create: false })\n',
    '',
    { scenarios: ['an order that all give up', 'webhooks at once'] },
  ),
  race(
    'an operation stays watched',
    'flows/schedule.ts',
    'await watchlist.remove(order_id, id)',
    'await Promise.resolve()',
    MONEY,
  ),
  race(
    'an unknown outcome is not watched',
    'flows/schedule.ts',
    'await watch(scope, { kind',
    'await Promise.resolve({ kind',
    MONEY,
  ),
  race(
    'a rejected cancellation reads nothing again',
    'flows/open-checkout.ts',
    "if (!state || message.type === 'cancelled')",
    'if (!state)',
    {
      ...CANCELLED,
      equivalent: 'It answers as it would have answered had the event that came meanwhile come a moment later.',
    },
  ),
  race(
    'a next attempt before it is announced',
    'protocol-checkout.ts',
    "        { type: 'announce', attempt: attempt + 1 },\n        { type: 'create'",
    "        { type: 'create'",
    { scenarios: ['tabs after a decline, and the order is cancelled'] },
  ),
  race(
    'a payment of a cancelled order stays open',
    'protocol-checkout.ts',
    "  if (status === 'init') return [{ type: 'cancel', attempt, why: 'closed' }]\n",
    '',
    CANCELLED,
  ),
]
