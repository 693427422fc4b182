/** The API document's "Limits", and limits of our own for the rest. */

/** Characters of `payload`. */
export const PAYLOAD_LENGTH = 4000
/** Characters of `description`: the API document's limit for responses, taken for requests too. */
export const DESCRIPTION_LENGTH = 2048
/** Characters of `order_id`: the API document's limit for responses, taken for requests too. */
export const ORDER_ID_LENGTH = 256
/** Characters of the `comment` of a capture. */
export const COMMENT_LENGTH = 2048
/** Characters of the `order_id` of a capture. */
export const CAPTURE_ORDER_ID_LENGTH = 32

/** Bytes of a response that are read: 1 MiB. Ours; the largest documented response is a few kB. */
export const RESPONSE_BYTES = 1_048_576
/** Bytes of a webhook's body that are read: 64 KiB. Ours. */
export const WEBHOOK_BYTES = 65_536

/** How much of a webhook's body that is too long is read and dropped before it is rejected. */
export const DRAINED_BYTES: number = 8 * 2 ** 20
