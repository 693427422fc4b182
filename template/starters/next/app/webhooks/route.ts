import { webhooks } from '../../shop/shop'

export { webhooks as POST }
