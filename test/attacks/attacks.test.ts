import { expect, it } from 'vitest'
import { payment } from '../worker/support/events.ts'
import { ADMIN_TOKEN, newOrderId, ORIGIN, World } from '../worker/support/world.ts'

// An attack on the whole Worker that found nothing: it has to find nothing again.

/** Other ways to write a path that routes might take for the same one. */
const spellings = (path: string): string[] => [
  ...[path, `${path}/`, `/${path}`, `${path}//`, `/.${path}`, `/x/..${path}`, `${path}?x=1`, `${path}#x`, `${path}%00`],
  ...['/%61pi', '/api/.', '/api%2f', '/api;x'].map((api) => path.replace('/api', api)),
  path.toUpperCase(),
]

// What else is not the token: test/worker/api.test.ts.
it('/api lets nobody in without the token, however the path of a call is written', async () => {
  const world = new World()
  const id = newOrderId()
  await world.deliver(payment(id))
  const idempotency = { 'idempotency-key': 'k' }
  const calls = ['GET ', 'HEAD ', 'POST /refund', 'DELETE /personal-data'].map((call) => call.split(' '))
  for (const [method = '', call = ''] of calls) {
    for (const path of spellings(`/api/orders/${id}${call}`)) {
      for (const authorization of ['', ADMIN_TOKEN, `Bearer ${ADMIN_TOKEN.slice(0, -1)}`, `Bearer:${ADMIN_TOKEN}`]) {
        const response = await world.fetch(
          new Request(ORIGIN + path, { method, headers: { ...idempotency, authorization } }),
        )
        expect([401, 404], `${method} ${path} ${authorization}`).toContain(response.status)
        expect(await response.text()).not.toContain('captured')
      }
    }
  }
  expect((await world.order(id))?.totals).toMatchObject({ captured: 10_050, refunded: 0 })
})
