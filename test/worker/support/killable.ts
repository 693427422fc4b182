import { expect } from 'vitest'
import { operationKey } from '../../../src/orders/index.ts'
import { readEvent } from '../../../src/webhooks/index.ts'
import type { Kill } from './kill.ts'
import { World, type WorldOptions } from './world.ts'

/** A world whose `onEvent` is one of the calls that a kill can stop; `handled` has the operations for which it ran to its end. */
export function killable(options: WorldOptions): { world: World; handled: Set<string> } {
  const handled = new Set<string>()
  return { world: new World({ ...options, onEvent: ({ event }) => void handled.add(operationKey(event)) }), handled }
}

/** Every event was handled at least once, and waits for nothing more. */
export async function expectEachHandled(world: World, handled: Set<string>): Promise<void> {
  const stored = [...(await world.stored('event/')).values()] as { event: Record<string, unknown> }[]
  expect(stored.length).toBeGreaterThan(0)
  expect(handled).toEqual(new Set(stored.map(({ event }) => operationKey(readEvent(event)))))
  expect(world.waiting()).toEqual([])
}

/** Runs a part of the worker, and what it goes on with after its answer, until the kill stops it. */
export async function armed<T>(world: World, kill: Kill, work: () => Promise<T>): Promise<T | undefined> {
  world.begin(kill)
  const answer = await kill.answer(work()).catch(() => undefined)
  await kill.answer(world.emulator.deliveries.idle()).catch(() => {})
  world.begin()
  return answer
}
