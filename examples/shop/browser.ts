// Stands in for the customer's browser: it reads the forms of a page and submits them, and does not follow redirects.

/** A form of a page. */
export interface Form {
  action: string
  method: string
  /** Names and values of the fields, hidden ones included. */
  fields: Map<string, string>
}

const attribute = (tag: string, name: string) =>
  new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(tag)?.[1]?.replaceAll('&amp;', '&').replaceAll('&quot;', '"')

/** The first form of a page. */
export function formOf(page: string, address: string): Form {
  const [, tag, content] = /<form\b([^>]*)>([\s\S]*?)<\/form>/i.exec(page) ?? []
  if (tag === undefined || content === undefined) throw new Error(`The page at ${address} has no form.`)
  const fields = new Map<string, string>()
  for (const [input] of content.matchAll(/<(?:input|select|button|textarea)\b[^>]*>/gi)) {
    const name = attribute(input, 'name')
    if (name !== undefined && !fields.has(name)) fields.set(name, attribute(input, 'value') ?? '')
  }
  return {
    action: new URL(attribute(tag, 'action') || address, address).href,
    method: (attribute(tag, 'method') ?? 'get').toUpperCase(),
    fields,
  }
}

/** Submits a form as a browser does. Throws for a value whose field the form does not have. */
export function submit(form: Form, values: Record<string, string>): Promise<Response> {
  for (const name of Object.keys(values)) {
    if (!form.fields.has(name))
      throw new Error(`The form has no field "${name}", only ${[...form.fields.keys()].join(', ')}.`)
  }
  return fetch(form.action, {
    method: form.method,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...Object.fromEntries(form.fields), ...values }).toString(),
    redirect: 'manual',
  })
}

/** The address that a response redirects the browser to. */
export function location(response: Response, from: string): string {
  const target = response.headers.get('location')
  if (!target) throw new Error(`${from} responded with ${response.status} and no redirect.`)
  return new URL(target, from).href
}
