import { type Section, sentenceOf } from './row.ts'

const outside = (section: Section, beginning: string, why: string) => ({
  section,
  sentence: sentenceOf(section, beginning),
  why,
})

/** Sentences that cannot be seen from outside, or that say only that something is not shown and leave nothing to do. */
export const OUTSIDE: ReturnType<typeof outside>[] = [
  outside('intro', 'This single document covers', 'what the document is about; each part has separate rows'),
  outside('service', 'The service is a payment', 'no rule'),
  outside('service', 'Card and alternative-method', 'the two modes have rows'),
  outside('service', 'Collecting raw card data', 'a duty of the merchant; the widget is not part of the interface'),
  outside('service', 'A test project and a live', 'the emulator is neither'),
  outside('service', 'Before going live: create', 'a duty of the merchant'),
  outside('service', 'Direct-mode rules (apply', "about the merchant's page, not about the service"),
  outside('service', 'A merchant that collects', "about the merchant's page, not about the service"),
  outside('fingerprint', 'It may be used in 3-D Secure', 'how it is used cannot be seen'),
  outside('fingerprint', 'Fields of `cryptogram`', 'passed through unread; its type has a row'),
  outside('fingerprint', 'Allowed values of', 'every string is accepted; the card alone decides about 3-D Secure'),
  outside('fingerprint', 'Supported values of `customer_lang`', 'every string is accepted and shown on the page'),
  outside('split-entry', 'Fields of a Product: not', 'passed through unread'),
  outside('states', 'The complete set of status', 'the emulator uses the four that appear'),
  outside('states', 'Transitions other than', 'the others are assumptions, described in settle.ts and payments.ts'),
  outside('authentication', 'Test and live projects', 'no portal here'),
  outside('authentication', 'Webhook authenticity: see', 'a reference'),
  outside('events', 'Source address: a single', 'nothing can send from that address but the service'),
  outside('events', 'Ports used: normally 443', 'the emulator delivers to any port, loopback above all'),
  outside('events', 'Receivers recompute and', 'a duty of the receiver'),
  outside('events', 'Extra parameters can be', 'no support here'),
  outside('resend', 'Requests for void, refund', 'no such path is emulated; the control API makes them happen'),
  outside('versioning', 'Deprecation policy and', 'nothing to emulate'),
]
