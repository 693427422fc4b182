/** The `method` of a secondary operation's record, by the function that makes it; undefined for any other function. */
export const methodOf = (operation: string): 'capture' | 'void' | 'refund' | undefined =>
  /^(capture|void|refund)(Payment|SplitPurchase)$/.exec(operation)?.[1] as 'capture' | 'void' | 'refund' | undefined
