import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { deadLinks } from '../../site/links.ts'
import { temporaryFolder } from './support/fixtures.ts'

it('the site finds each link that leads nowhere, and none that leads somewhere', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'guides'))
  const good = ['guides/a.html', 'guides/a.html#part', '#top', 'https://example.com/', 'data:,', 'guides/%61.html']
  const dead = [
    'guides/b.html',
    'guides/a.html#none',
    '#none',
    '/index.html',
    'guides/',
    '../x.html',
    'javascript:1',
    'http://',
  ]
  const links = [...good, ...dead].map((to) => `<a href="${to}">`).join('')
  writeFileSync(join(folder, 'index.html'), `<h1 id="top">${links}<img src="none.png"><script src="guides/a.html">`)
  writeFileSync(join(folder, 'guides/a.html'), '<h2 id="part">')
  expect(deadLinks(folder)).toEqual([...dead, 'none.png'].map((to) => `index.html: ${to}`))
})
