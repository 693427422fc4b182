/** Texts of the status codes. 1000, 2122 and 6007 are described by the API document, the others by public lists. */
const DESCRIPTIONS: Record<string, string> = {
  '1000': 'Transaction is successful',
  '1002': 'Amount is authorized',
  '1004': 'Refund is successful',
  '1009': 'Void is successful',
  '2000': 'Transaction is accepted',
  '2001': 'Transaction is pending',
  '2012': 'Anti-fraud check is under way',
  '2102': 'One-time password is required',
  '2112': 'Verification by QR code is required',
  '2119': 'Transaction is processing',
  '2122': '3-D Secure verification is required to finish the transaction',
  '2123': 'Redirect to the checkout page is awaited',
  '2124': 'Transaction waits to continue',
  '2125': 'Further action is awaited',
  '2126': 'Clearing is awaited',
  '2201': 'Transaction is being clarified',
  '4000': 'Invalid data',
  '4001': 'Card is expired',
  '4005': 'Internal error',
  '4009': 'Insufficient funds',
  '4010': 'Transaction limit is exceeded',
  '4012': 'Amount limit is exceeded',
  '4119': 'This order_id already exists',
  '4124': 'Invalid currency',
  '4128': 'No exchange rate',
  '4139': 'Invalid amount',
  '4144': 'Invalid card data',
  '4147': '3-D Secure timed out',
  '4148': 'Transaction timed out',
  '4149': 'Session is expired',
  '4150': 'Invalid operation',
  '4151': 'Invalid input fields',
  '4152': 'Invalid configuration',
  '4153': 'Transaction is rejected',
  '4154': 'Transaction is rejected by anti-fraud',
  '4155': 'Card is blacklisted',
  '4156': 'Card is not supported',
  '4157': 'Authorization failed',
  '4158': 'Transaction is rejected by the issuer',
  '4159': 'Wrong one-time password',
  '4160': 'Transaction could not be created',
  '4161': 'Balance limit is exceeded',
  '6001': 'Customer limit is exceeded',
  '6007': 'Payment has been cancelled',
  '9000': 'Unknown error, contact support',
}

/**
 * The status that a code means: 1xxx success, 2xxx and 9000 pending, every other failure. Assumption: the groups are
 * those of public lists.
 */
export function statusOfCode(code: string): 'success' | 'pending' | 'failure' {
  if (code.startsWith('1')) return 'success'
  return code.startsWith('2') || code === '9000' ? 'pending' : 'failure'
}

export function describeCode(code: string): string {
  return DESCRIPTIONS[code] ?? `Status code ${code}`
}
