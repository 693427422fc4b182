// The tables of the lists, which are copied from the log.

import { FLAGS } from '../orders/listed-order.ts'
import type { OrderFlag } from '../orders/order.ts'

/** The condition of a flag, or of any flag that needs a person; its index has the same condition. */
export const hasFlag = (flag: OrderFlag | 'any'): string =>
  flag === 'any' ? 'flags > 1' : `(flags & ${2 ** FLAGS.indexOf(flag)}) > 0`

/**
 * `edgetill_order` has a row for each order. `since`: the time of its first row in the log; `shown`: a `ListedOrder`;
 * `token`: changes with each write; `tail`: the digits that end its id; `phone`: the digits in reverse.
 * `edgetill_money` has each successful operation, whose time never changes after a list has shown it. A `TEXT` is
 * compared by its bytes.
 */
export const LIST_TABLES: string = `
  CREATE TABLE edgetill_order (order_id TEXT PRIMARY KEY, token text NOT NULL, since bigint NOT NULL, state integer NOT NULL, is_open integer NOT NULL,
    flags integer NOT NULL, status text, amount double precision, sum double precision, refunded double precision, tail TEXT, reference TEXT,
    email TEXT, phone TEXT, last_four TEXT, payway text, words text, shown text NOT NULL);
  CREATE INDEX edgetill_order_since ON edgetill_order (since);
  CREATE INDEX edgetill_order_state ON edgetill_order (state, since);
  CREATE INDEX edgetill_order_open ON edgetill_order (since) WHERE is_open > 0;
  ${['tail', 'reference', 'email', 'phone', 'last_four', 'amount', 'sum', 'refunded'].map((name) => `CREATE INDEX edgetill_order_${name} ON edgetill_order (${name}) WHERE ${name} IS NOT NULL`).join(';')};
  ${[...FLAGS, 'any' as const].map((flag) => `CREATE INDEX edgetill_order_is_${flag} ON edgetill_order (since) WHERE ${hasFlag(flag)}`).join(';')};
  CREATE TABLE edgetill_money (order_id TEXT, attempt integer, id text, at bigint NOT NULL, kind text NOT NULL, method text, amount bigint NOT NULL,
    fee bigint NOT NULL, currency text NOT NULL, PRIMARY KEY (order_id, attempt, id));
  CREATE INDEX edgetill_money_at ON edgetill_money (at)`
