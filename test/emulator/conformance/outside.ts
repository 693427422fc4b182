import { type Outside, outside } from './row.ts'

/** Sentences that cannot be seen from outside, or that say only that something is not shown and leave nothing to do. */
export const OUTSIDE: Outside[] = [
  outside(
    'intro',
    'This single document covers the whole interface of the service: creating payments (one-step, split, two-step), capturing a reserve, cancelling an unpaid hosted payment, recurring subscriptions, reading account balances, webhook notifications and re-sending them.',
    'what the document is about; each part has rows of its own',
  ),
  outside('service', 'The service is a payment gateway for merchants.', 'no rule'),
  outside('service', 'Card and alternative-method payments are accepted in two modes:', 'the two modes have rows'),
  outside(
    'service',
    'Collecting raw card data on the merchant side requires PCI DSS certification; the alternative is a tokenization widget that yields a `cc_token`.',
    'a duty of the merchant; the widget is not part of the interface',
  ),
  outside(
    'service',
    'A test project and a live project exist, each with its own credentials.',
    'the emulator is neither',
  ),
  outside(
    'service',
    "Before going live: create a live project, complete PCI DSS certification (direct mode with raw card data) or use the tokenization widget, and wait for activation of the live project by the service's compliance team; then replace the test credentials with live ones.",
    'a duty of the merchant',
  ),
  outside(
    'service',
    "Direct-mode rules (apply to the merchant's page): the page uses HTTPS; each customer's data is stable and unique across requests; the HTTP method is `POST`.",
    "about the merchant's page, not about the service",
  ),
  outside(
    'service',
    'A merchant that collects card data itself should validate the expiry date, validate the card number with the Luhn algorithm, and check that the CVV/CVC has only digits.',
    "about the merchant's page, not about the service",
  ),
  outside('fingerprint', 'It may be used in 3-D Secure 2.0 verification.', 'how it is used cannot be seen'),
  outside('fingerprint', 'Fields of `cryptogram` (Json): not shown.', 'passed through unread; its type has a row'),
  outside(
    'fingerprint',
    'Allowed values of `order_3ds_bypass` (String): not shown.',
    'every string is accepted; the card alone decides about 3-D Secure',
  ),
  outside(
    'fingerprint',
    'Supported values of `customer_lang` (checkout language): not shown.',
    'every string is accepted and shown on the page',
  ),
  outside('split-entry', 'Fields of a Product: not shown.', 'passed through unread'),
  outside('states', 'The complete set of status values: not shown.', 'the emulator uses the four that appear'),
  outside(
    'states',
    'Transitions other than those in the table: not shown.',
    'the others are assumptions, described in settle.ts and payments.ts',
  ),
  outside(
    'authentication',
    'Test and live projects have separate credentials; a merchant portal account is needed to get them.',
    'no portal here',
  ),
  outside('authentication', 'Webhook authenticity: see Events.', 'a reference'),
  outside(
    'events',
    'Source address: a single fixed IP address of the service (35.187.74.148).',
    'nothing can send from that address but the service',
  ),
  outside(
    'events',
    'Ports used: normally 443 and 8443; other ports on request to support.',
    'the emulator delivers to any port, loopback above all',
  ),
  outside('events', 'Receivers recompute and compare.', 'a duty of the receiver'),
  outside('events', 'Extra parameters can be enabled through support.', 'no support here'),
  outside(
    'resend',
    'Requests for void, refund, auth_increment, credit, p2p and lookup operations (creation): not shown.',
    'no such path is emulated; the control API makes them happen',
  ),
  outside('versioning', 'Deprecation policy and further versions: not shown.', 'nothing to emulate'),
]
