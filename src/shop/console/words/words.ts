import { acts } from './acts.ts'
import { attention } from './attention.ts'
import { links } from './links.ts'
import { lists } from './lists.ts'
import { order } from './order.ts'
import { shell } from './shell.ts'
import type { Say, Text } from './text.ts'

type Column<T> = T extends Text ? string : T extends Say<infer Values> ? (...of: Values) => string : Columns<T>
type Columns<T> = { readonly [Name in keyof T]: Column<T[Name]> }

/** All texts of the console in one language. */
export type Words = Columns<typeof shell & typeof lists & typeof order & typeof acts & typeof attention & typeof links>

const columnOf = (texts: object, column: 0 | 1): object =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, Array.isArray(text) ? text[column] : columnOf(text, column)]),
  )

/** The texts in a language. */
export const wordsIn = (lang: 'en' | 'uk'): Words =>
  columnOf({ ...shell, ...lists, ...order, ...acts, ...attention, ...links }, lang === 'uk' ? 1 : 0) as Words
