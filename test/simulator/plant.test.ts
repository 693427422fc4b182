import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isLong } from '../support/environment.ts'

// Without a part of an id, all of them; a change is judged by the same schedules as the one before it.
it('the simulator finds races that are planted', { timeout: 7_200_000 }, () => {
  const parts = isLong ? [] : ['a key is not remembered', 'KV behind the log']
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, 'plant.ts'), ...parts], {
    encoding: 'utf8',
    env: { ...process.env, ...(!isLong && { EDGETILL_SEED: '1' }) },
  })
  if (isLong) for (const line of stdout.trim().split('\n')) console.log(`measured: ${line}`)
  expect([status, stdout]).toEqual([0, stdout])
  expect(stdout).toMatch(/With nothing planted, 0 of these [1-9]\d* schedules are wrong\./)
})
