/** The order that an attempt's order_id belongs to: `mugs`, also of `mugs~2~3`, which another program may have made. */
export const baseOrderId = (order_id: string): string => order_id.replace(/(?!^)(~\d+)+$/, '')

/** The order_id of the n-th attempt at paying an order. */
export const attemptId = (order_id: string, attempt: number): string =>
  attempt === 1 ? order_id : `${order_id}~${attempt}`
