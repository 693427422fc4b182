import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { browserFingerprint, browserFingerprintSnippet } from '../../src/card/index.ts'

it('run in a page, the snippet fills a form from which the fingerprint is whole', () => {
  const fields: Record<string, string>[] = []
  const page = {
    screen: { colorDepth: 24, height: 1080, width: 1920 },
    navigator: { javaEnabled: () => false, language: 'uk-UA' },
    document: {
      createElement: (tag: string) => ({ tag }),
      currentScript: { parentElement: { append: (field: Record<string, string>) => fields.push(field) } },
    },
  }
  runInNewContext(browserFingerprintSnippet.replace(/^<script>|<\/script>$/g, ''), page)
  expect(fields.every(({ tag, type }) => tag === 'input' && type === 'hidden')).toBe(true)
  const form = new URLSearchParams(fields.map(({ name = '', value = '' }) => [name, value]))
  const headers = new Headers({ accept: 'text/html', 'user-agent': 'x', 'cf-connecting-ip': '203.0.113.7' })
  expect(browserFingerprint({ headers }, form)).toMatchObject({
    browserColorDepth: '24',
    browserScreenHeight: '1080',
    browserScreenWidth: '1920',
    browserJavaEnabled: 'false',
    browserLanguage: 'uk-UA',
    browserTimeZone: expect.stringMatching(/\w/),
    browserTimeZoneOffset: expect.stringMatching(/^-?\d+$/),
  })
})
