import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './support/pack.ts'

const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

const [, ...sections] = text.split(/^## /m)
const releases = sections.map((section) => {
  const [heading = '', ...lines] = section.split('\n')
  return { heading, entries: lines.filter((line) => line.startsWith('- ')) }
})
const HEADING = /^(\d+)\.(\d+)\.(\d+) \((unreleased|\d{4}-\d{2}-\d{2})\)$/

describe('CHANGELOG.md', () => {
  it("begins with the package's version", () => {
    expect(releases[0]?.heading.split(' ')[0]).toBe(version)
  })

  it('gives every version a date, but for the first one, and at least one entry', () => {
    for (const [index, { heading, entries }] of releases.entries()) {
      expect(heading).toMatch(HEADING)
      if (index > 0) expect(heading).not.toContain('unreleased')
      expect([heading, entries.length > 0]).toEqual([heading, true])
    }
  })

  it('goes from the newest version to the oldest', () => {
    const order = releases.map(({ heading }) => (HEADING.exec(heading) ?? []).slice(1, 4).map(Number))
    const sorted = order.toSorted((a, b) => {
      const at = a.findIndex((part, index) => part !== b[index])
      return at < 0 ? 0 : (b[at] ?? 0) - (a[at] ?? 0)
    })
    expect(order).toEqual(sorted)
    expect(new Set(order.map(String)).size).toBe(order.length)
  })
})
