import { expectTypeOf, it } from 'vitest'
import { createShop, type ShopEnv } from '../../src/shop/index.ts'
import type { RecordedResponse } from '../../src/shop/lib/money-answers.ts'
import { act, storeWebhook, wake } from '../../src/shop/order/actions.ts'
import { moveMoney } from '../../src/shop/order/move-money.ts'
import { showOrder } from '../../src/shop/order/order-page.ts'
import { API } from '../../src/shop/routes/api.ts'
import type { Call } from '../../src/shop/routes/results.ts'
import { type Routes, route } from '../../src/shop/routes/route.ts'
import type { Scope } from '../../src/shop/scope.ts'

const scope = {} as Scope

it('a gate takes its actions alone, each with its argument', () => {
  const request = { kind: 'capture', idempotencyKey: 'k', fields: {} } as const
  // Compiled, not called.
  const calls = () => {
    expectTypeOf(act(scope, 'A-1', moveMoney, request)).resolves.toEqualTypeOf<RecordedResponse>()
    expectTypeOf(act(scope, 'A-1', wake)).resolves.toEqualTypeOf<void>()
    // @ts-expect-error: no name of an action
    act(scope, 'A-1', 'moveMoney', request)
    // @ts-expect-error: the argument is missing
    act(scope, 'A-1', moveMoney)
    // @ts-expect-error: another action's argument
    act(scope, 'A-1', storeWebhook, request)
    // @ts-expect-error: it takes none
    act(scope, 'A-1', wake, 'now')
    expectTypeOf(act(scope, 'A-1', showOrder)).resolves.not.toBeAny()
  }
  expectTypeOf(calls).returns.toBeVoid()
})

it('a route has its row, which returns what is described', () => {
  // Compiled, not called.
  const rows = () => {
    const { 'GET /api/days': days, ...rest } = API
    // @ts-expect-error: a row is missing
    const missing: Routes<Call> = rest
    const wrong: Routes<'GET /api/strays/:id'> = {
      // @ts-expect-error: it returns something else
      'GET /api/strays/:id': route({ needs: 'stored', run: async () => ({ datum: 'x' }) }),
    }
    return [days, missing, wrong]
  }
  expectTypeOf(rows).returns.toBeArray()
})

it('onEvent gets the shop’s own bindings', () => {
  interface Env extends ShopEnv {
    SHOP_TOKEN: string
  }
  // Compiled, not called.
  const calls = () => {
    createShop<Env>({ onEvent: (_, __, env) => void expectTypeOf(env.SHOP_TOKEN).toEqualTypeOf<string>() })
    // @ts-expect-error: not a binding
    createShop({ onEvent: (_, __, env) => void env.SHOP_TOKEN })
  }
  expectTypeOf(calls).returns.toBeVoid()
})
