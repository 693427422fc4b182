// What the suite uses of `vitest`, for a Node that Vitest 5 does not run on: Vitest 4's own runner, matchers and spies.

import {
  ASYMMETRIC_MATCHERS_OBJECT,
  chai,
  type ExpectStatic,
  GLOBAL_EXPECT,
  getState,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  type MatcherState,
  setState,
} from '@vitest/expect'
import { fn, isMockFunction, restoreAllMocks, spyOn } from '@vitest/spy'

export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from '@vitest/runner'

chai.use(JestExtend)
chai.use(JestChaiExpect)
chai.use(JestAsymmetricMatchers)

export const expect = ((value: unknown, message?: string) => chai.expect(value, message)) as ExpectStatic
Object.assign(expect, chai.expect)
Object.assign(expect, (globalThis as Record<symbol, unknown>)[ASYMMETRIC_MATCHERS_OBJECT])
expect.getState = () => getState<MatcherState>(expect)
expect.setState = (state) => setState(state, expect)
Object.assign(globalThis, { [GLOBAL_EXPECT]: expect })

/** Tries again until it no longer throws, for a second at most. */
async function waitFor<T>(attempt: () => T | Promise<T>): Promise<T> {
  for (const until = Date.now() + 1000; ; ) {
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

const stubbed = new Map<string, PropertyDescriptor | undefined>()

function stubGlobal(name: string, value: unknown): void {
  if (!stubbed.has(name)) stubbed.set(name, Object.getOwnPropertyDescriptor(globalThis, name))
  Object.defineProperty(globalThis, name, { value, configurable: true, enumerable: true, writable: true })
}

function unstubAllGlobals(): void {
  for (const [name, own] of stubbed) {
    if (own) Object.defineProperty(globalThis, name, own)
    else Reflect.deleteProperty(globalThis, name)
  }
  stubbed.clear()
}

/** The packed package is loaded once. */
const resetModules = (): void => {}

export const vi = { fn, spyOn, isMockFunction, restoreAllMocks, waitFor, stubGlobal, unstubAllGlobals, resetModules }

// Types are compared by the compiler; at run time any chain of this leads to nothing, as it does in Vitest.
const chain: unknown = new Proxy(() => undefined, { get: () => chain, apply: () => chain })
export const expectTypeOf = () => chain
