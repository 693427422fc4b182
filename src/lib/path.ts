/** One segment of a path, or one value of a query, encoded so that a URL parser leaves it exactly as it is. */
export function segment(text: string): string {
  // The apostrophe is the one character that encodeURIComponent leaves and the parser encodes, in a query only.
  return encodeURIComponent(text).replaceAll("'", '%27')
}
