/** A path of the API document, and the same path with its parameters, such as `{order_id}`, filled in. */
export function pathOf(template: string, values: object): { template: string; path: string } {
  const path = template.replace(/{(\w+)}/g, (_, name: string) => segment(String(values[name as keyof typeof values])))
  return { template, path }
}

/** One segment of a path, or one value of a query, encoded so that a URL parser leaves it exactly as it is. */
export function segment(text: string): string {
  // The apostrophe is the one character that encodeURIComponent leaves and the parser encodes, in a query only.
  return encodeURIComponent(text).replaceAll("'", '%27')
}
