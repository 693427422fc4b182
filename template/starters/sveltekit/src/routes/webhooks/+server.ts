import { webhooks } from '../../lib/server/shop'

export const POST = ({ request }: { request: Request }): Promise<Response> => webhooks(request)
