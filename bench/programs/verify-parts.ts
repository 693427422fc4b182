import { decodeBase64Text } from '../../src/lib/base64-text.ts'
import { cutCardData } from '../../src/lib/card-data.ts'
import { eventKey } from '../../src/orders/event-key.ts'
import { readRecord } from '../../src/schemas/read-event.ts'
import { parseForm, type WebhookForm } from '../../src/webhooks/form.ts'
import { verifySignature } from '../../src/webhooks/signature.ts'
import { verifyWebhook } from '../../src/webhooks/verify.ts'
import type { Contender } from './verify-contenders.ts'

/** The steps of a verification, one after the other: where its time goes on a runtime. */
const PARTS = {
  form: 'of it: the form, from the text of the body',
  signature: 'of it: the signature',
  text: 'of it: Base64 and UTF-8',
  json: 'of it: JSON.parse',
  event: 'of it: no card data, the type of each field, the event',
}
/** The work of a framework before it hands over the fields is not part of this. */
export const PARSED = 'edgetill, given the parsed form'
export const KEY = 'eventKey of the event'

export function partsOf(bodies: readonly string[], secret: string): Contender[] {
  const forms = bodies.map(parseForm)
  const texts = forms.map(({ data }) => decodeBase64Text(data) ?? '')
  const records = texts.map((text): Record<string, unknown> => JSON.parse(text))
  const events = forms.map((form) => verifyWebhook(form, secret))
  const part = (name: string, verify: Contender['verify']): Contender => ({ name, role: 'part', verify })
  const form = (index: number): WebhookForm => forms[index] as WebhookForm
  return [
    part(PARSED, (index) => verifyWebhook(form(index), secret)),
    part(PARTS.form, (index) => parseForm(bodies[index] as string)),
    part(PARTS.signature, (index) => verifySignature(form(index).data, form(index).signature, secret)),
    part(PARTS.text, (index) => decodeBase64Text(form(index).data)),
    part(PARTS.json, (index) => JSON.parse(texts[index] as string)),
    part(PARTS.event, (index) => {
      const record = records[index] as Record<string, unknown>
      cutCardData(record)
      return readRecord(record)
    }),
    part(KEY, (index) => eventKey(events[index] as ReturnType<typeof readRecord>)),
  ]
}
