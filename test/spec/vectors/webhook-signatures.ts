/**
 * Golden signatures of webhooks, `base64url(sha1(secret + data + secret))`, made by two programs that share no code with
 * this package. For each case:
 *
 *   printf %s "$SECRET$DATA$SECRET" | openssl dgst -sha1 -binary | base64 | tr +/ -_
 *
 *   python3 -c "import sys,hashlib,base64;s,d=sys.argv[1:]
 *   print(base64.urlsafe_b64encode(hashlib.sha1((s+d+s).encode()).digest()).decode())" "$SECRET" "$DATA"
 */
export interface SignatureVector {
  name: string
  secret: string
  data: string
  /** The digests that openssl and python3 both printed. */
  signature: string
  /** The text that `data` encodes, where it encodes one. */
  json?: string
}

export const SIGNATURES: readonly SignatureVector[] = [
  {
    name: 'a purchase',
    secret: 's3cr3t-of-the-test-project',
    data: 'eyJwYXltZW50X2lkIjoiNmYxZTVhOGMtMmQxYi00ZjBlLTlhNTMtN2MwZDVhMWU4YjQyIiwib3JkZXJfaWQiOiJBLTEwMDEiLCJ0cmFuc2FjdGlvbl9pZCI6IjBiNmY2YTUyLTk0YTEtNGM1OC04ZDBjLTJmOGMxZjVkN2ExMSIsInBvc19pZCI6IjNmMWMyYzFlLTZhNWMtNGI4ZS05ZDUzLTBhNGMxYzdkMmIxMSIsIm1vZGUiOiJob3N0ZWQiLCJtZXRob2QiOiJwdXJjaGFzZSIsImFtb3VudCI6MTAwLjUsImN1cnJlbmN5IjoiVUFIIiwic3RhdHVzIjoic3VjY2VzcyIsInN0YXR1c19jb2RlIjoiMTAwMCIsInN0YXR1c19kZXNjcmlwdGlvbiI6IlRyYW5zYWN0aW9uIGlzIHN1Y2Nlc3NmdWwiLCJjcmVhdGVkX2F0IjoiMjAyNi0wMS0wMVQxMDowMDowMC4wMDAiLCJwcm9jZXNzZWRfYXQiOiIyMDI2LTAxLTAxVDEwOjAwOjA1LjEyMCJ9',
    signature: 'K2R_kYBi3l8dCxJjhaBPsGQv53c=',
    json: '{"payment_id":"6f1e5a8c-2d1b-4f0e-9a53-7c0d5a1e8b42","order_id":"A-1001","transaction_id":"0b6f6a52-94a1-4c58-8d0c-2f8c1f5d7a11","pos_id":"3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11","mode":"hosted","method":"purchase","amount":100.5,"currency":"UAH","status":"success","status_code":"1000","status_description":"Transaction is successful","created_at":"2026-01-01T10:00:00.000","processed_at":"2026-01-01T10:00:05.120"}',
  },
  {
    name: 'Cyrillic, emoji and a line separator',
    secret: 's3cr3t-of-the-test-project',
    data: 'eyJtZXRob2QiOiJhdXRoIiwib3JkZXJfaWQiOiLQl9Cw0LzQvtCy0LvQtdC90L3RjyDihJY3IPCfjbUiLCJwYXlsb2FkIjoi0ZcsINKRLCDDqSwg4oCoIn0=',
    signature: '18IPv0G92K3ZJNpFiE_jpz4bPZM=',
    json: '{"method":"auth","order_id":"\u0417\u0430\u043c\u043e\u0432\u043b\u0435\u043d\u043d\u044f \u21167 \ud83c\udf75","payload":"\u0457, \u0491, \u00e9, \u2028"}',
  },
  {
    name: 'one byte short of a group, padding kept',
    secret: 'k',
    data: 'eyJhIjoxfSA=',
    signature: '2jzeiikti5Vph6DTw5_sCAsrJwU=',
    json: '{"a":1} ',
  },
  {
    name: 'the same without its padding',
    secret: 'k',
    data: 'eyJhIjoxfSA',
    signature: 'gIcZBmGt43r3nOEMJV9ILxCOSwk=',
    json: '{"a":1} ',
  },
  {
    name: 'a secret of other alphabets',
    secret: '\u0441\u0435\u043a\u0440\u0435\u0442-\ud83d\udd11+/=',
    data: 'eyJhIjoxfQ==',
    signature: 'EqedPvEfuzaJNjjXdXYt9AfHbIY=',
    json: '{"a":1}',
  },
  {
    name: 'an empty secret is no secret, but a one-letter one is',
    secret: 'x',
    data: 'e30=',
    signature: 'a8G3ufI9_zYPGkES4n7TFJ85mvU=',
    json: '{}',
  },
  {
    name: 'a signature with "-" and "_"',
    secret: 's',
    data: 'eyJtZXRob2QiOiJyZWZ1bmQiLCJuIjo3fQ==',
    signature: 'xVA37-hRtXk_FChulc3nDQCKG8Y=',
    json: '{"method":"refund","n":7}',
  },
  {
    name: 'data with "-" and "_"',
    secret: 's',
    data: 'eyJhIjoifn5-Pz8_Pj4-w7_Dv8O_In0=',
    signature: 'O-VI9RSUDiOce9oE-3qo-hy78Vo=',
    json: '{"a":"~~~???>>>\u00ff\u00ff\u00ff"}',
  },
  {
    name: 'several blocks of SHA-1',
    secret: 'ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss',
    data: 'eyJtZXRob2QiOiJwdXJjaGFzZSIsInBheWxvYWQiOiIwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkifQ==',
    signature: 'ikliy49kTtN8hVlRme2r6-4ehxE=',
    json: '{"method":"purchase","payload":"012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"}',
  },
  ...(
    [
      [53, 'NdehcxcUHPcC7v7_3iWBDOhwrfw='],
      [54, 'bNvsmSq7lBN8S5fD6cw9GDNuNEM='],
      [55, 'blDfLqf0tzCmpRZlqgPAAr96CjE='],
      [56, 'V9waROYIe2OkQ6_QEvzsmz7gH-k='],
      [63, 'IrcuCr0aSnBmilsv3AR9VtlXw8Q='],
      [64, 'cfnySKsyL-eFgZqchXKI0vtqb0o='],
      [65, 'zz9Uer-LfORZ4ew7YfSz_KQ0ObM='],
    ] as const
  ).map(([bytes, signature]) => ({
    name: `${bytes} bytes hashed: a boundary of the hash`,
    secret: 's',
    data: 'A'.repeat(bytes - 2),
    signature,
  })),
]
