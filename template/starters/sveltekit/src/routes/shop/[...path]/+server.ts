import { shop } from '../../../lib/server/shop'

const handle = ({ request }: { request: Request }): Promise<Response> => shop(request)

export { handle as GET, handle as POST }
