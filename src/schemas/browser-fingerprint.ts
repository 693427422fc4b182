import * as v from 'valibot'
import type { BrowserFingerprint } from '../card/browser-fingerprint.ts'
import { lazy } from '../lib/lazy.ts'
import { isText, leaf } from './values.ts'

export const browserFingerprintSchema: () => v.GenericSchema<unknown, BrowserFingerprint> = lazy(() => {
  const text = leaf<string>('a string', isText)
  return v.strictObject({
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
