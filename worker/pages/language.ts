import { english, type Wording } from './en.ts'
import { ukrainian } from './uk.ts'

/** The first one is shown to who asks for none of them. */
const LANGUAGES: readonly Wording[] = [english, ukrainian]

/** `UK` and `UA` are both in use for Ukrainian. */
const find = (tag: string): Wording | undefined => {
  const code = /^[a-z]+/.exec(tag.trim().toLowerCase())?.[0]
  return LANGUAGES.find(({ lang }) => lang === (code === 'ua' ? 'uk' : code))
}

/**
 * The wording of a page: the language that the link asks the checkout for, where these pages have it; else the one that
 * the browser prefers.
 *
 * @param asked `customer_lang`, such as `UK`. @param accepted The header `Accept-Language`, such as `uk-UA,en;q=0.8`.
 */
export function wordingFor(asked: string | undefined, accepted: string | undefined): Wording {
  const preferred = (accepted ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';')
      const q = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find(Boolean)
      return { tag, q: q === undefined ? 1 : Number(q) }
    })
    .filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q)
    .map(({ tag }) => find(tag))
    .find((wording) => wording !== undefined)
  return find(asked ?? '') ?? preferred ?? english
}
