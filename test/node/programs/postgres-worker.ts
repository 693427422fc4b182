// A Worker over Postgres behind a Hyperdrive binding. No object has its data.
import connect from 'postgres'
import { createShop, type ShopEnv } from '../../../src/shop/index.ts'
import { postgres } from '../../../src/till/index.ts'

interface Env extends ShopEnv {
  HYPERDRIVE: { connectionString: string }
}
const shop = createShop<Env>({ database: (env) => postgres(connect(env.HYPERDRIVE.connectionString, { max: 5 })) })
export default { fetch: shop.fetch, scheduled: shop.scheduled }
