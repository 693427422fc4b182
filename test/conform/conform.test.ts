import { describe, expect, it } from 'vitest'
import { openConform } from './support/project.ts'

describe('conform, on the emulator', () => {
  it('finds that every statement holds', async () => {
    const { run } = openConform()
    const report = await run()
    console.log(JSON.stringify(report, null, 1))
  })
})
