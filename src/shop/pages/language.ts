import type { Context } from 'hono'
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

/** The tags of an `Accept-Language` header, the most preferred first. */
function preferred(header = ''): string[] {
  const tags = header.split(',').map((part) => {
    const [tag = '', q = 1] = part.split(/;\s*q=/i)
    return { tag, q: Number(q) }
  })
  const accepted = tags.filter(({ q }) => q > 0)
  return accepted.sort((a, b) => b.q - a.q).map(({ tag }) => tag)
}

/**
 * A page's shop and language: the language that the link requests for the checkout, if the pages have it; else the
 * language that the browser prefers.
 *
 * @param chosen `customer_lang`, such as `UK`.
 */
export function siteFor(pages: PagesOptions | undefined = {}, c: Context, chosen = ''): Site {
  const wordings = wordingsOf(pages)
  const find = (tag: string) => wordings.find(({ lang }) => lang === codeOf(tag))
  const [wording = wordings[0]] = [chosen, ...preferred(c.req.header('accept-language'))].flatMap(
    (tag) => find(tag) ?? [],
  )
  return { env: c.env, pages, wording }
}
