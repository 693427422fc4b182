import type { SignedVisit } from './visit.ts'

type Call = Parameters<SignedVisit['shop']['may']>[1]

/** The acts on an order. */
export type Act = 'capture' | 'refund' | 'void' | 'cancel' | 'resend' | 'settle' | 'replay' | 'erase'

const CALLS: Partial<Record<Act, Call>> = {
  erase: 'DELETE /api/orders/:order_id/personal-data',
  replay: 'POST /api/events/:id/replay',
  settle: 'POST /api/orders/:order_id/attempts/:attempt_id/settle',
}

/** The signed-in person, and the shop with the rights of each role. */
type Who = Pick<SignedVisit, 'shop'> & { person: Pick<SignedVisit['person'], 'role'> }

/** Whether the role allows an act at all; `refundLimit` has the amount. */
export const isAllowed = ({ shop, person }: Who, act: Act): boolean =>
  shop.may(person.role, CALLS[act] ?? (`POST /api/orders/:order_id/${act}` as Call))

/** Whether the role may make links and close them. */
export const maySell = ({ shop, person }: Who): boolean => shop.may(person.role, 'POST /api/links')

/** Whether the role may leave notes. */
export const mayWrite = ({ shop, person }: Who): boolean => shop.may(person.role, 'POST /api/orders/:order_id/notes')
