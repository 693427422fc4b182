import type { World } from './world.ts'

/** Holds the service's response to the next call. */
export function holdCall(world: World): { isMade: Promise<void>; respond: () => void } {
  let respond = (): void => {}
  const held = new Promise<void>((resolve) => {
    respond = resolve
  })
  const isMade = new Promise<void>((resolve) => {
    world.intercept = (url, init) => {
      world.intercept = undefined
      resolve()
      return held.then(() => world.emulator.fetch(url, init as RequestInit))
    }
  })
  return { isMade, respond }
}

/** Lets everything else go on as far as it gets. A check that needs more turns than this would pass, never fail, by mistake. */
export async function goOn(turns = 50): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((done) => setTimeout(done))
}
