import * as v from 'valibot'
import { lazy } from '../lib/lazy.ts'
import { isText, leaf } from './values.ts'

/** What 3-D Secure 2 may use of the customer's browser. All ten are strings, and all must be sent in direct mode. */
export interface BrowserFingerprint {
  /** Bits per colour, such as `24`. */
  browserColorDepth: string
  /** Pixels. */
  browserScreenHeight: string
  /** Pixels. */
  browserScreenWidth: string
  /** `true` or `false`. */
  browserJavaEnabled: string
  /** Such as `uk-UA`. */
  browserLanguage: string
  /** Such as `Europe/Kyiv`. */
  browserTimeZone: string
  /** Minutes, such as `-120`. */
  browserTimeZoneOffset: string
  /** The browser's `Accept` header. */
  browserAcceptHeader: string
  /** The customer's IP address. */
  browserIpAddress: string
  /** The browser's `User-Agent` header. */
  browserUserAgent: string
}

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
