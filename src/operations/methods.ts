/** The `method` of each secondary operation's record. */
export const METHOD_OF: Readonly<Record<string, 'capture' | 'void' | 'refund'>> = {
  capturePayment: 'capture',
  captureSplitPurchase: 'capture',
  refundPayment: 'refund',
  refundSplitPurchase: 'refund',
  voidPayment: 'void',
}
