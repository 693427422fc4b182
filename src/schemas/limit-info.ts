import * as v from 'valibot'
import { lazy } from '../lib/lazy.ts'
import { leaf, maybe, type Timestamp, textField } from './values.ts'

/** The limit that caused a decline (document, "Payment (primary operation) record"). */
export interface LimitInfo {
  /** Recommended time of the next attempt; no zone. */
  retry_after?: Timestamp | null
  /** The limit, in words. */
  description?: string | null
}

/** The document's parameter table types it String, and it is delivered as an object: both are understood. */
export const limitInfoSchema: () => v.GenericSchema<unknown, LimitInfo | string> = lazy(() =>
  v.union([
    leaf<string>('a string or an object', (value) => typeof value === 'string'),
    v.looseObject({ retry_after: maybe(textField()), description: maybe(textField()) }),
  ]),
)
