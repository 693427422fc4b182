import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Document, quoted } from './support/document.ts'
import { root } from './support/runtimes.ts'

const contributing = new Document('CONTRIBUTING.md')

describe('CONTRIBUTING.md', () => {
  it('names only paths that exist', () => {
    const words = quoted(contributing.text).flatMap((text) => text.split(' '))
    const paths = words.filter((word) => /^\.?[\w-]+\/|^[\w.-]+\.(ts|md|json|toml)$/.test(word))
    expect(paths.length).toBeGreaterThan(30)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('leads from each of ten tasks to files', () => {
    const tasks = contributing.rows('I want to …')
    expect(tasks.map(([, files = '']) => quoted(files).length > 0)).toEqual(Array(10).fill(true))
  })

  it('is one page', () => {
    expect(contributing.text.split('\n').length).toBeLessThanOrEqual(100)
  })
})
