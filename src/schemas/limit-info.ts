import { lazy } from '../lib/lazy.ts'
import { looseObject, maybe, type Schema, unless } from './schema.ts'
import { isText, type Timestamp, textField } from './values.ts'

/** The limit that caused a decline (document, "Payment (primary operation) record"). */
export interface LimitInfo {
  /** Recommended time of the next attempt; no zone. */
  retry_after?: Timestamp | null
  /** The limit, in words. */
  description?: string | null
}

/** The document's parameter table types it String, and it is delivered as an object: both are understood. */
export const limitInfoSchema: () => Schema<LimitInfo | string> = /* @__PURE__ */ lazy(() => {
  const asObject = looseObject<LimitInfo>({ retry_after: maybe(textField()), description: maybe(textField()) })
  return unless(isText, asObject)
})
