import type { english } from './en.ts'

/** All that customers read in one language. `english` and `ukrainian` are two. */
export type Wording = typeof english

/** A shop as customers see it. */
export interface PagesOptions {
  /**
   * Your texts, one object for each language. An omitted text is the built-in text of that `lang`, else English.
   * Without this the pages are in English and Ukrainian.
   */
  texts?: readonly (Partial<Wording> & Pick<Wording, 'lang'>)[] | undefined
  /** CSS after the built-in style. */
  style?: string | undefined
  /** The address of an image: `https://…` or `data:image/…`. */
  logo?: string | undefined
  /** The colour of links, as CSS writes it, such as `#0b57d0`. */
  accent?: string | undefined
  /** How a customer reaches the shop: a phone number, an e-mail address, or any text. */
  contact?: string | undefined
}
