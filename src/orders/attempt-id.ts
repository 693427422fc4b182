/**
 * The order that an attempt's order_id belongs to: `mugs`, also of `mugs~2~3`, which another program may have made. An
 * order_id has at most 256 characters: the pattern would be slow in a longer text.
 */
export const baseOrderId = (order_id: string): string =>
  order_id.length > 512 ? order_id : order_id.replace(/(?!^)(~\d+)+$/, '')

/** The order_id of the n-th attempt at paying an order. */
export const attemptId = (order_id: string, attempt: number): string =>
  attempt === 1 ? order_id : `${order_id}~${attempt}`

/**
 * The order, and the number of the attempt at paying it: `mugs~2` is the second one of `mugs`. Any other id that ends
 * like that, such as `mugs~1` or `mugs~2~3`, is an order of another program.
 */
export function attemptOf(order_id: string): { base_id: string; attempt: number } {
  const [, base_id, attempt] = /^(.+)~([2-9]|[1-9]\d)$/s.exec(order_id) ?? []
  return base_id !== undefined && baseOrderId(base_id) === base_id
    ? { base_id, attempt: Number(attempt) }
    : { base_id: order_id, attempt: 1 }
}

/**
 * Whether every database can store an id unchanged, and index it: Postgres stores no NUL and indexes no text of 2,700
 * bytes, and no database stores half of a surrogate pair.
 */
export const isOrderId = (id: unknown): id is string =>
  typeof id === 'string' && id !== '' && id.length <= 512 && !/[\0\p{Cs}]/u.test(id)

/** The id that a row of this order has: empty, which no row has, if no database can store it. */
export const storedId = (order_id: string): string => (isOrderId(order_id) ? order_id : '')
