import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import { english } from './en.ts'
import type { Site } from './layout.ts'
import type { PagesOptions, Wording } from './options.ts'
import { ukrainian } from './uk.ts'

/** The first language is shown to a visitor without a matching preference. */
const BUILT_IN: readonly Wording[] = [english, ukrainian]

/** The texts of the pages, the shop's own ones first. */
function wordingsOf({ texts = [] }: PagesOptions = {}): [Wording, ...Wording[]] {
  const own = texts.map((each) => ({ ...(BUILT_IN.find(({ lang }) => lang === each.lang) ?? english), ...each }))
  return [...own, ...BUILT_IN.filter(({ lang }) => !own.some((each) => each.lang === lang))] as [Wording]
}

/** `UK` and `UA` are both in use for Ukrainian. */
const codeOf = (tag: string): string => /^[a-z]*/.exec(tag.trim().toLowerCase())?.[0].replace(/^ua$/, 'uk') ?? ''

/**
 * A page's shop and language: the language that the link requests for the checkout, if the pages have it; else the
 * language that the browser prefers.
 *
 * @param chosen `customer_lang`, such as `UK`.
 */
export function siteFor(pages: PagesOptions | undefined = {}, c: Context, chosen = ''): Site {
  const wordings = wordingsOf(pages)
  const find = (tag: string) => wordings.find(({ lang }) => lang === codeOf(tag))
  const lang = accepts(c, {
    ...{ header: 'Accept-Language', supports: [], default: '' },
    match: (all) =>
      all
        .filter(({ q }) => q > 0)
        .sort((a, b) => b.q - a.q)
        .find(({ type }) => find(type))?.type ?? '',
  })
  return { env: c.env, pages, wording: find(chosen) ?? find(lang) ?? wordings[0] }
}
