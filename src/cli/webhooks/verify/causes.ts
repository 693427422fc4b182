/** Why a signature does not match, each with what to do about it. */
export const CAUSES = {
  wrong_secret:
    'The signature was made with another secret, or data was changed after it was signed; the two look the same. ' +
    'Check that the API secret is of the same project, test or live.',
  secret_white_space:
    'The secret has white space around it, often a copied line break: without it the signature matches. Remove it ' +
    'where the secret is configured.',
  secret_quotes:
    'The secret has quotes around it: without them the signature matches. Remove them where it is configured.',
  standard_base64:
    'A field is in the alphabet of standard Base64; Base64Url has "-" and "_" for "+" and "/". Something between the ' +
    'service and here decodes and encodes the field.',
  plus_became_space:
    'A "+" became a space when the form was decoded: the field is standard Base64 and was sent unescaped. The sender ' +
    'must escape it as %2B, or use Base64Url.',
  reencoded:
    'data was re-encoded: decoded and encoded again, which changes its bytes. Verify the text of data as it was ' +
    'received, before anything parses it.',
  encoded_twice: 'The form was encoded twice. Pass the fields on as they were received, decoded once.',
  swapped_fields: 'data and signature are swapped: data is the long one.',
  lost_padding: 'The padding "=" at the end of a field was lost. Pass the fields on as they were received.',
  white_space: 'A field has a line break or a tab in it. Pass the fields on as they were received.',
  hexadecimal: 'The signature is hexadecimal; it has to be Base64Url of the same 20 bytes.',
  not_a_form:
    'The body is not a form: it has to be application/x-www-form-urlencoded with the fields data and signature.',
  missing_field: 'A field is missing or empty: the form has to have data and signature.',
  duplicate_field: 'A field appears more than once, so it is not clear which one was signed.',
  signature_length: 'The signature is not 28 characters long: it was cut off, or made with another digest than SHA-1.',
  damaged_data: 'data is damaged: it is not Base64Url of a JSON object in UTF-8. It was changed or cut off on the way.',
} as const

export type Cause = keyof typeof CAUSES

export const causesText = (causes: readonly Cause[]): string => causes.join(', ').replaceAll('_', ' ')
