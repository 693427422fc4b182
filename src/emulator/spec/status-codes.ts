/** Texts of the status codes. 1000, 2122 and 6007 are described by the API document, the others by public lists. */
const DESCRIPTIONS: Record<string, string> = {
  '1000': 'Transaction is successful',
  '1002': 'Amount is authorized',
  '1004': 'Refund is successful',
  '1009': 'Void is successful',
  '2001': 'Transaction is pending',
  '2122': '3-D Secure verification is required to finish the transaction',
  '4001': 'Card is expired',
  '4005': 'Internal error',
  '4009': 'Insufficient funds',
  '4010': 'Transaction limit is exceeded',
  '4144': 'Invalid card data',
  '4147': '3-D Secure timed out',
  '4148': 'Transaction timed out',
  '4149': 'Session is expired',
  '4153': 'Transaction is rejected',
  '4154': 'Transaction is rejected by anti-fraud',
  '4155': 'Card is blacklisted',
  '4156': 'Card is not supported',
  '4157': 'Authorization failed',
  '4158': 'Transaction is rejected by the issuer',
  '6007': 'Payment has been cancelled',
}

/**
 * What a code means for the status: 1xxx success, 2xxx and 9000 pending, every other failure. Assumption: the groups are those
 * of public lists.
 */
export function statusOfCode(code: string): 'success' | 'pending' | 'failure' {
  if (code.startsWith('1')) return 'success'
  return code.startsWith('2') || code === '9000' ? 'pending' : 'failure'
}

export function describeCode(code: string): string {
  return DESCRIPTIONS[code] ?? `Status code ${code}`
}
