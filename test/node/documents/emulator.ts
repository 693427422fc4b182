import { describe, expect, it, vi } from 'vitest'
import { createEmulator } from '../../../src/emulator/index.ts'
import { Document, quoted } from '../support/document.ts'
import { load } from '../support/program.ts'

export default function tests(): void {
  describe('guides/emulator.md', () => {
    const emulatorGuide = Document.of('guides/emulator.md')
    const program = emulatorGuide.program('In a test')

    it('has a program that prints what it says', async () => {
      const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
      await load(program)
      const lines = logged.mock.calls.map((words) => words.join(' '))
      const printed = quoted(/^The program prints ([\s\S]*?)\.$/m.exec(emulatorGuide.text)?.[1] ?? '')
      expect(printed).toHaveLength(4)
      expect(lines).toEqual(printed)
    })

    it('names only members that an emulator has', () => {
      const members = emulatorGuide
        .rows('Control it')
        .flatMap(([, cell = '']) => quoted(cell))
        .filter((code) => !/^\.|^[A-Z]/.test(code))
      expect(members.length).toBeGreaterThan(20)
      for (const code of members) {
        expect(createEmulator()).toHaveProperty(
          code.replace(/\(.*$/, ''),
          code.includes('(') ? expect.any(Function) : expect.anything(),
        )
      }
    })
  })
}
