// Races, each planted by a change of the engine's text: what the simulator has to find. `find` stands in the file once.

export interface Race {
  id: string
  /** Under src/shop. */
  file: string
  find: string
  replace: string
}

const outsideTurn = (name: string): Race => ({
  id: `${name} outside the turn`,
  file: 'actions.ts',
  find: 'Object.hasOwn(ONE_BY_ONE, name)',
  replace: `Object.hasOwn(ONE_BY_ONE, name) && name !== '${name}'`,
})
const slip = (id: string, file: string, find: string, replace: string): Race => ({ id, file, find, replace })

export const RACES: readonly Race[] = [
  ...['moveMoney', 'openCheckout', 'cancelOrder', 'settleByHand', 'revokeLink', 'erasePersonalData'].map(outsideTurn),
  slip('webhooks outside the turn', 'gate.ts', "call.name === 'storeWebhook' ? this.events : unordered", 'unordered'),
  slip('a response beside webhooks', 'flows/store-event.ts', 'await scope.eventsInTurn(store)', 'await store()'),
  slip('a check outside the turn', 'gate.ts', 'this.money(() => checkOpen(scope))', 'checkOpen(scope)'),
  slip('no alarm before an alarm', 'gate.ts', 'await this.storage.setAlarm(scope.now() + LATER_MS)', ''),
  slip('no alarm after an alarm', 'gate.ts', '      await this.schedule()\n', ''),
  slip('nothing wakes a gate', 'gate.ts', "if (call.order_id !== '') await this.wake()", ''),
  slip('no last publishing', 'gate.ts', 'done.push(...(await Promise.allSettled([publishDue(scope)])))', ''),
  slip(
    'a turn that a failure ends',
    'gate.ts',
    'const turn = () => work().then(resolve, reject)',
    'const turn = () => work().then(resolve)',
  ),
  slip('an event is queued again', 'store/outbox.ts', 'INSERT OR IGNORE INTO queue', 'INSERT OR REPLACE INTO queue'),
  slip('a handled event stays', 'flows/deliver-events.ts', '  await outbox.remove(event_id)\n', ''),
  slip('a call is not counted', 'flows/deliver-events.ts', '  await outbox.put(called)\n', ''),
  slip('a failure is not recorded', 'flows/deliver-events.ts', 'await outbox.put({ ...failed', 'void ({ ...failed'),
  slip('an event is not published', 'flows/store-event.ts', '    touch(store, order_id, now)\n', ''),
  slip('an event without its row', 'flows/store-event.ts', 'now, putOwn)\n  else', 'now)\n  else'),
  slip(
    'an ended order is watched',
    'flows/store-event.ts',
    'await scope.watchlist.remove(order_id)',
    'await Promise.resolve()',
  ),
  slip('KV behind the gate', 'flows/store-event.ts', 'await putEvent(kv', 'void putEvent(kv'),
  slip(
    'no alarm with what is due',
    'store/order-store.ts',
    'if (alarm === null || alarm > at) await storage',
    'if (alarm === -1) await storage',
  ),
  slip(
    'what was learnt is not read again',
    'flows/move-money.ts',
    "new Set(['request', 'looked_up', 'by_hand'])",
    "new Set(['request', 'by_hand'])",
  ),
  slip(
    'a removal is not published',
    'store/tasks.ts',
    '        touch(store, order_id, now(), { create: false })\n',
    '',
  ),
  slip(
    'an operation stays watched',
    'flows/schedule.ts',
    'await watchlist.remove(order_id, id)',
    'await Promise.resolve()',
  ),
  slip(
    'an unknown outcome is not watched',
    'flows/schedule.ts',
    'await watch(scope, { kind',
    'await Promise.resolve({ kind',
  ),
]
