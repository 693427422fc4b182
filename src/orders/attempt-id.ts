/** The order that an attempt's order_id belongs to: `mugs`, also of `mugs~2~3`, which another program may have made. */
export function baseOrderId(order_id: string): string {
  // From the end: a pattern would try each number of a long text again.
  let end = order_id.length
  for (let at = order_id.lastIndexOf('~'); at > 0 && /^~\d+$/.test(order_id.slice(at, end)); ) {
    end = at
    at = order_id.lastIndexOf('~', end - 1)
  }
  return order_id.slice(0, end)
}

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
