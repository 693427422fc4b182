import { shop } from '../../../shop/shop'

export { shop as GET, shop as POST }
