import { afterEach, expect, it } from 'vitest'
import { followClock, passTime, replaceTime, runTimers } from './time.ts'

let time = 0
let putBack = () => {}
afterEach(() => putBack())

function begin() {
  time = 1_000
  followClock(() => time)
  putBack = replaceTime()
  const ran: string[] = []
  const advance = (ms: number) => {
    time += ms
    runTimers()
  }
  return { ran, advance }
}

it('lets no timer run by the machine’s clock, and each by the schedule’s', async () => {
  const { ran, advance } = begin()
  setTimeout(() => ran.push(`second at ${Date.now()}`), 5)
  setTimeout(() => ran.push('first'), 3)
  clearTimeout(setTimeout(() => ran.push('cleared'), 1))
  for (const until = performance.now() + 20; performance.now() < until; )
    await new Promise((resolve) => setImmediate(resolve))
  expect([ran, Date.now()]).toEqual([[], 1_000])
  advance(4)
  expect(ran).toEqual(['first'])
  passTime(advance)
  expect(ran).toEqual(['first', 'second at 1005'])
})

it('has a turn of the event loop for a time of zero', async () => {
  begin()
  await new Promise<void>((resolve) => setTimeout(resolve, 0))
  expect(Date.now()).toBe(1_000)
})
