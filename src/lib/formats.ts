/** Formats that were made: to make one takes a hundred times as long as to use it, and memory that is freed late. */
const MADE = /* @__PURE__ */ new Map<string, unknown>()

function once<Format>(make: () => Format, ...of: unknown[]): Format {
  const key = JSON.stringify(of)
  const format = (MADE.get(key) as Format | undefined) ?? make()
  MADE.set(key, format)
  return format
}

/** How a language writes a time in a zone. @throws {RangeError} for an unknown zone. */
export const dateFormat = (locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  once(() => new Intl.DateTimeFormat(locale, options), locale, options)

/** How a language writes an amount. @throws {RangeError} for a currency that cannot be one. */
export const numberFormat = (locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat =>
  once(() => new Intl.NumberFormat(locale, options), locale, options)
