import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { siteFor } from '../../pages/language.ts'
import { type Words, wordsIn } from './words.ts'

const LANGUAGE_COOKIE = 'edgetill_lang'

/** The language of a request: the language of `?lang=`, else the browser's preference. */
export function wordsOf(c: Context): Words {
  const { wording } = siteFor(undefined, c, c.req.query('lang') ?? getCookie(c, LANGUAGE_COOKIE))
  return wordsIn(wording.lang === 'uk' ? 'uk' : 'en')
}

/** The words for a name of the service or the engine; a newer name, as it is. */
export const wordFor = (texts: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(texts, name) ? (texts[name] as string) : name

/** The name of an actor: a person, or a program. */
export const actorOf = ({ record }: Words, by: string): string => (by === 'api' ? record.api : by)

/** Keeps the language that was chosen, for a year. */
export function keepLanguage(c: Context, { lang }: Words): void {
  const cookie = { httpOnly: true, sameSite: 'Lax', maxAge: 31_536_000 } as const
  if (c.req.query('lang') !== undefined) setCookie(c, LANGUAGE_COOKIE, lang, cookie)
}
