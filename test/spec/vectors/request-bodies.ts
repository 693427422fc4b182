/**
 * Bodies as they must travel, byte for byte, and what the default signer must answer for them under the secret
 * "api-secret-1": lower-case hex of HMAC-SHA1, made by two programs that share no code with this package:
 *
 *   printf %s "$BODY" | openssl dgst -sha1 -hmac api-secret-1
 *   python3 -c "import sys,hmac;print(hmac.new(b'api-secret-1',sys.argv[1].encode(),'sha1').hexdigest())" "$BODY"
 *
 * That the service computes it so is an assumption; that this package computes what it says is not.
 */
export interface RequestVector {
  body: string
  signature: string
}

export const REQUESTS = {
  hosted: {
    body: '{"pos_id":"3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11","mode":"hosted","amount":100.5,"currency":"UAH","description":"Дві чашки","order_id":"A-1","order_3ds_bypass":"supported","customer_patronym":"Ivanivna","customer_email":"olena@example.com","customer_phone":"+380441234567","method":"purchase"}',
    signature: '04fcc3532f68b6605864442125e5a9fbbcc1a94e',
  },
  hostedWithEverything: {
    body: '{"pos_id":"3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11","mode":"hosted","amount":100.5,"currency":"UAH","description":"Дві чашки","order_id":"A-1","order_3ds_bypass":"supported","customer_id":"c-1","customer_country":"UA","customer_birthday":"1990-02-28","customer_tax_id":"1234567890","server_url":"https://shop.example.com/webhooks","result_url":"https://shop.example.com/thanks?order=A-1","merchant_mcc":"5812","payload":"{\\"cart\\":7}","validation_url":"https://shop.example.com/preflight","customer_fname":"Olena","customer_lname":"Bila","customer_patronym":"Ivanivna","customer_email":"olena@example.com","customer_phone":"+380441234567","customer_lang":"UK","method":"purchase","customer_referrer":"https://shop.example.com/cart","init_recurring":{"interval_unit":"month","interval_count":1,"retry_attempts":3,"retry_interval_hours":24,"start_date":"2026-02-01","expiry_date":"2027-02-01","time":"10:30:00","notification_url":"https://shop.example.com/recurring","amount":50}}',
    signature: 'fcb80d94f854eeac653942e2fc66a9eb4e2e61a5',
  },
  directAuthWithEverything: {
    body: '{"pos_id":"3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11","mode":"direct","amount":100.5,"currency":"UAH","description":"Дві чашки","order_id":"A-1","order_3ds_bypass":"supported","customer_id":"c-1","customer_country":"UA","customer_birthday":"1990-02-28","customer_tax_id":"1234567890","server_url":"https://shop.example.com/webhooks","result_url":"https://shop.example.com/thanks?order=A-1","merchant_mcc":"5812","payload":"{\\"cart\\":7}","validation_url":"https://shop.example.com/preflight","cc_number":"4242424242424242","exp_month":9,"exp_year":99,"card_cvv":"123","customer_fname":"Olena","customer_lname":"Bila","customer_patronym":"Ivanivna","customer_email":"olena@example.com","customer_phone":"+380441234567","customer_ip":"203.0.113.7","customer_referrer":"https://shop.example.com/cart","browser_fingerprint":{"browserColorDepth":"24","browserScreenHeight":"1080","browserScreenWidth":"1920","browserJavaEnabled":"false","browserLanguage":"uk-UA","browserTimeZone":"Europe/Kyiv","browserTimeZoneOffset":"-120","browserAcceptHeader":"text/html","browserIpAddress":"203.0.113.7","browserUserAgent":"Mozilla/5.0"},"cryptogram":{"eci":"05","value":"AAAB"},"method":"auth"}',
    signature: '62c715b6559e8124c7364a0bd294d15bcd19a91d',
  },
  token: {
    body: '{"pos_id":"3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11","mode":"direct","amount":100.5,"currency":"UAH","description":"Дві чашки","order_id":"A-1","order_3ds_bypass":"supported","cc_token":"rcr:token-1","customer_fname":"Olena","customer_lname":"Bila","customer_email":"olena@example.com","customer_phone":"+380441234567","customer_ip":"203.0.113.7","browser_fingerprint":{"browserColorDepth":"24","browserScreenHeight":"1080","browserScreenWidth":"1920","browserJavaEnabled":"false","browserLanguage":"uk-UA","browserTimeZone":"Europe/Kyiv","browserTimeZoneOffset":"-120","browserAcceptHeader":"text/html","browserIpAddress":"203.0.113.7","browserUserAgent":"Mozilla/5.0"},"method":"purchase"}',
    signature: '738225b40145642d73a9316f290391a06c97231a',
  },
  hostedSplit: {
    body: '{"pos_id":"3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11","mode":"hosted","amount":100.5,"currency":"UAH","description":"Дві чашки","order_id":"A-1","order_3ds_bypass":"supported","customer_patronym":"Ivanivna","customer_email":"olena@example.com","customer_phone":"+380441234567","method":"purchase","split":[{"amount":90.45,"sub_merchant_id":"5b1d0f4e-0c55-4a53-9b0e-4a6f3f1a9c01","products":[{"name":"Cup","qty":2}]},{"amount":10.05,"sub_merchant_id":"5b1d0f4e-0c55-4a53-9b0e-4a6f3f1a9c02"}]}',
    signature: 'af70dbfd2a3b9a050eb16ee33b77bf7558700116',
  },
  directSplitWithEverything: {
    body: '{"pos_id":"3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11","mode":"direct","amount":100.5,"currency":"UAH","description":"Дві чашки","order_id":"A-1","order_3ds_bypass":"supported","customer_id":"c-1","customer_country":"UA","customer_birthday":"1990-02-28","customer_tax_id":"1234567890","server_url":"https://shop.example.com/webhooks","result_url":"https://shop.example.com/thanks?order=A-1","merchant_mcc":"5812","payload":"{\\"cart\\":7}","validation_url":"https://shop.example.com/preflight","cc_number":"4242424242424242","exp_month":9,"exp_year":99,"card_cvv":"123","customer_fname":"Olena","customer_lname":"Bila","customer_patronym":"Ivanivna","customer_email":"olena@example.com","customer_phone":"+380441234567","customer_ip":"203.0.113.7","customer_referrer":"https://shop.example.com/cart","browser_fingerprint":{"browserColorDepth":"24","browserScreenHeight":"1080","browserScreenWidth":"1920","browserJavaEnabled":"false","browserLanguage":"uk-UA","browserTimeZone":"Europe/Kyiv","browserTimeZoneOffset":"-120","browserAcceptHeader":"text/html","browserIpAddress":"203.0.113.7","browserUserAgent":"Mozilla/5.0"},"cryptogram":{"eci":"05","value":"AAAB"},"method":"purchase","split":[{"amount":90.45,"sub_merchant_id":"5b1d0f4e-0c55-4a53-9b0e-4a6f3f1a9c01","products":[{"name":"Cup","qty":2}]},{"amount":10.05,"sub_merchant_id":"5b1d0f4e-0c55-4a53-9b0e-4a6f3f1a9c02"}]}',
    signature: '52129145cbb9b0f8bab05e1714684715c630b999',
  },
  none: { body: '', signature: 'ae9f91484edbe38d770f26f8facbd652396713b7' },
} as const satisfies Record<string, RequestVector>
