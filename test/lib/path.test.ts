import { expect, it } from 'vitest'
import { segment } from '../../src/lib/path.ts'

it('a URL parser leaves every segment and every query value exactly as it is', () => {
  for (let code = 0; code < 0x250; code++) {
    const text = `a${String.fromCharCode(code)}b`
    const url = `https://a.example/x/${segment(text)}?y=${segment(text)}`
    expect(new URL(url).href).toBe(url)
    expect(decodeURIComponent(new URL(url).pathname.slice(3))).toBe(text)
    expect(new URL(url).searchParams.get('y')).toBe(text)
  }
})
