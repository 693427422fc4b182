// `npm run dev`: the shop, the worker and the emulator, left running until Ctrl-C.

import { fillDay } from '../../src/cli/service/dev/fill-day.ts'
import { startShop } from './start.ts'

const shop = await startShop({ log: true, ports: { shop: 4020, worker: 4000, emulator: 4010 } }).catch(
  async (error: unknown) => {
    const inUse = (error as { code?: unknown }).code === 'EADDRINUSE'
    if (!inUse) throw error
    console.log('One of the default ports is in use. Using free ports instead.')
    return startShop({ log: true })
  },
)

let stopping = false
// Ctrl-C in a terminal also reaches workerd, which then exits at once: not a failure while everything stops.
for (const failure of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(failure, (error: unknown) => {
    if (stopping) return
    console.error(error)
    process.exit(1)
  })
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // wrangler's own listener would end the process before the servers are closed.
  process.removeAllListeners(signal)
  process.on(signal, () => {
    if (stopping) return
    stopping = true
    const stopped = () => {
      console.log('\nStopped.')
      process.exit(0)
    }
    shop.stop().then(stopped, stopped)
  })
}

await fillDay(shop.worker, shop.adminToken, shop.emulator)

// Printed last, so that a Ctrl-C after this text always finds its listener.
console.log(`
  shop      ${shop.shop}/             a page with a "Pay" button
  orders    ${shop.shop}/orders/ID    the order page, read from KV through the worker
  worker    ${shop.worker}/health
  service   ${shop.service}/_emulator     the emulator's view: orders, webhooks

  The worker's log is printed below. A change in worker/ reloads the worker; its data is lost when this stops.
  Ctrl-C stops everything.

  console   ${shop.worker}/console
            Sign in as admin with ${shop.adminToken}, which is the admin token of the worker's /api too.`)
