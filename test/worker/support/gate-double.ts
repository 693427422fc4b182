import { createOrderGate } from '../../../src/shop/gate.ts'
import type { Deps } from '../../../src/shop/scope.ts'
import { createGateDouble as createDouble, type GateDouble as Double } from '../../../src/testing/gate-double.ts'
import type { Kill } from './kill.ts'

/** The gates of one world: the double of the test kit, over the engine's own gates. */
export interface GateDouble extends Omit<Double, 'restart'> {
  /** Loses what is in memory: every object begins anew over its storage, over which `kill` rules when it is given. */
  restart(next?: { deps: Deps; kill: Pick<Kill, 'call'> & Partial<Kill> }): void
}

export function createGateDouble(deps: Deps, waitUntil: (work: Promise<unknown>) => void): GateDouble {
  const double = createDouble({ Gate: createOrderGate(deps), now: deps.now }, waitUntil)
  const { restart } = double
  return Object.assign(double, {
    restart: (next?: Parameters<GateDouble['restart']>[0]) =>
      restart(next && { Gate: createOrderGate(next.deps), call: next.kill.call, answer: next.kill.answer }),
  })
}
