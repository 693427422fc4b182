// Checks of card data

export { isCvv } from './cvv.ts'
export { isExpiry } from './expiry.ts'
export { maskCardNumber } from './mask.ts'
export { isCardNumber } from './number.ts'

// 3-D Secure

export type {
  BrowserFingerprint,
  BrowserFingerprintField,
  BrowserFingerprintValues,
  BrowserRequest,
} from './browser-fingerprint.ts'
export { browserFingerprint, browserFingerprintSnippet } from './browser-fingerprint.ts'
