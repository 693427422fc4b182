import { getCookie } from 'hono/cookie'
import { siteFor } from '../../shop/pages/language.ts'
import type { C } from '../../shop/scope.ts'
import { english, type Words } from './en.ts'
import { ukrainian } from './uk.ts'

const LANGUAGE_COOKIE = 'edgetill_lang'

/** The language of a request: what was chosen by `?lang=`, else what the browser prefers. */
export function wordsOf(c: C): { words: Words; cookie?: string } {
  const chosen = c.req.query('lang')
  const asked = chosen ?? getCookie(c, LANGUAGE_COOKIE)
  const { wording } = siteFor(undefined, c.env, asked, c.req.header('accept-language'))
  const words = wording.lang === 'uk' ? ukrainian : english
  if (chosen === undefined) return { words }
  return { words, cookie: `${LANGUAGE_COOKIE}=${words.lang}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000` }
}
