/**
 * Rows of the public material beyond the API document that the emulator follows, verbatim; [A] is said by the vendor, [B] agreed
 * on by several public integrations, [C] one weak source. Where both speak, the API document wins.
 */
export const BEYOND = [
  // "Operations whose creation the document does not show" [A]
  '| void | `POST {base_url}/api/v1/void` | pos_id, order_id (≤32), order_currency, comment?, server_url?; only an `auth` with status `success`, always the full reserve |',
  '| refund | `POST {base_url}/api/v1/refund` | the same, plus `refund_amount` for a partial refund; only a successful purchase or capture |',
  '| split capture | `POST {base_url}/api/v1/split/capture` | pos_id, order_id, order_currency, charge_amount, split, comment?, server_url? |',
  '| split refund | `POST {base_url}/api/v1/split/refund` | pos_id, order_id, `currency` (not order_currency), refund_amount, split, comment?, server_url? |',
  "| order's operations | `GET {base_url}/api/v1/pos/{pos_id}/orders/{order_id}` | answers an array of operations |",
  '| recurring cancel | `PUT {api_url}/api/v1/recurring/{recurring_id}/cancel` | answers `{recurring_status: "canceled", …}` |',
  // "Fields" [A], the last one without a mark
  'Secondary operations take an `order_id` of at most 32 characters, so an order created with a longer one cannot be captured [A].',
  'In every public split example the parts add up to the amount exactly.',
] as const
