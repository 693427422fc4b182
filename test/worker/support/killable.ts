import { expect } from 'vitest'
import type { Kill } from './kill.ts'
import { World, type WorldOptions } from './world.ts'

/** A world whose `onEvent` is one of the calls that a kill can stop; `handled` has the events for which it ran to its end. */
export function killable(options: WorldOptions): { world: World; handled: Set<string> } {
  const handled = new Set<string>()
  const world: World = new World({
    ...options,
    onEvent: ({ id }) => world.call(async () => void handled.add(id)),
  })
  return { world, handled }
}

/** Every event was handled at least once, is written down as done, and waits for nothing more. */
export async function expectEachHandled(world: World, handled: Set<string>): Promise<void> {
  const idsOf = async (prefix: string) => new Set((await world.keys(prefix)).map((key) => key.split('/').at(-1)))
  const ids = await idsOf('event/')
  expect(ids.size).toBeGreaterThan(0)
  expect(handled).toEqual(ids)
  expect(await idsOf('done/')).toEqual(ids)
  expect(await idsOf('retry/')).toEqual(new Set())
}

/** Runs a part of the worker until it answers or the kill strikes. */
export async function armed<T>(world: World, kill: Kill, work: () => Promise<T>): Promise<T | undefined> {
  world.kill = kill
  try {
    return await kill.answer(work())
  } catch {
    return undefined
  } finally {
    world.kill = undefined
    world.gate?.restart()
  }
}
