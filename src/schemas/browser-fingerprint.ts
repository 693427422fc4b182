import type { BrowserFingerprint } from '../card/browser-fingerprint.ts'
import { lazy } from '../lib/lazy.ts'
import { leaf, type Schema, strictObject } from './schema.ts'
import { isText } from './values.ts'

export const browserFingerprintSchema: () => Schema<BrowserFingerprint> = /* @__PURE__ */ lazy(() => {
  const text = leaf<string>('a string', isText)
  return strictObject<BrowserFingerprint>({
    browserColorDepth: text,
    browserScreenHeight: text,
    browserScreenWidth: text,
    browserJavaEnabled: text,
    browserLanguage: text,
    browserTimeZone: text,
    browserTimeZoneOffset: text,
    browserAcceptHeader: text,
    browserIpAddress: text,
    browserUserAgent: text,
  })
})
