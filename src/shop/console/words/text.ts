/** A text in English and in Ukrainian. */
export type Text = readonly [en: string, uk: string]
/** A text with values in it. */
export type Say<Values extends unknown[]> = readonly [en: (...of: Values) => string, uk: (...of: Values) => string]
