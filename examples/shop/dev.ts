// `npm run dev`: the shop, the worker and the emulator, left running until Ctrl-C.

import { startShop } from './start.ts'

const shop = await startShop({ log: true, ports: { shop: 4020, worker: 4000, emulator: 4010 } }).catch(
  async (error: unknown) => {
    const inUse = (error as { code?: unknown }).code === 'EADDRINUSE'
    if (!inUse) throw error
    console.log('A usual port is in use: free ones are taken instead.')
    return startShop({ log: true })
  },
)

let stopping = false
// A terminal's Ctrl-C reaches workerd as well: that it ends at once is no failure while everything is being stopped.
for (const failure of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(failure, (error: unknown) => {
    if (stopping) return
    console.error(error)
    process.exit(1)
  })
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // wrangler's own listener would end the process before the others are closed.
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

// Only now: a Ctrl-C that comes between the text and the listeners would be lost.
console.log(`
  shop      ${shop.shop}/             a page with a "Pay" button
  orders    ${shop.shop}/orders/ID    the order page, read from KV through the worker
  worker    ${shop.worker}/health
  service   ${shop.service}/_emulator     what the emulator saw: orders, webhooks

  Admin token of the worker's /api: ${shop.adminToken}
  What the worker logs is printed below. After a change in worker/, start this again: nothing is kept.
  Ctrl-C stops everything.`)
