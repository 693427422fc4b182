import type { ShopEnv } from '../env.ts'
import { english } from './en.ts'
import type { Site } from './layout.ts'
import type { PagesOptions, Wording } from './options.ts'
import { ukrainian } from './uk.ts'

/** The first one is shown to a visitor who asks for none of them. */
const BUILT_IN: readonly Wording[] = [english, ukrainian]

function wordingsOf({ texts = [] }: PagesOptions): readonly Wording[] {
  const own = texts.map((each) => ({ ...(BUILT_IN.find(({ lang }) => lang === each.lang) ?? english), ...each }))
  return [...own, ...BUILT_IN.filter(({ lang }) => !own.some((each) => each.lang === lang))]
}

/**
 * Who a page is from, and in which language: the one that the link asks the checkout for, where the pages have it; else the
 * one that the browser prefers.
 *
 * @param asked `customer_lang`, such as `UK`. @param accepted The header `Accept-Language`, such as `uk-UA,en;q=0.8`.
 */
export function siteFor(
  pages: PagesOptions | undefined,
  env: ShopEnv,
  asked: string | undefined,
  accepted: string | undefined,
): Site {
  const wordings = wordingsOf(pages ?? {})
  const find = (tag: string): Wording | undefined => {
    const code = /^[a-z]+/.exec(tag.trim().toLowerCase())?.[0]
    // `UK` and `UA` are both in use for Ukrainian.
    return wordings.find(({ lang }) => lang === (code === 'ua' ? 'uk' : code))
  }
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
  return { env, pages: pages ?? {}, wording: find(asked ?? '') ?? preferred ?? (wordings[0] as Wording) }
}
