// A test reaches only what it has started: a setup file for Node. Connections to other machines, and to the ports that a developer's
// own emulator, shop or Worker listens on, are refused. What a test starts listens on a free port.

import { Socket } from 'node:net'

/** The ports that the product's own programs listen on by default. */
const DEFAULT_PORTS: readonly number[] = [3000, 4010, 8787]
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\]|::ffff:127\.\d+\.\d+\.\d+)$/
/** Nothing listens here. */
const REFUSED = { host: '127.0.0.1', port: 1 }

interface Address {
  host?: string
  port?: number | string
  path?: string
}

interface Sockets {
  connect: (...given: unknown[]) => unknown
  /** The ports of loopback that are refused. */
  refused?: readonly number[]
}
const sockets = Socket.prototype as unknown as Sockets

/** For the tests of a file that starts such a program itself. */
export function ownDefaultPorts(): void {
  sockets.refused = []
}

const isLimited = sockets.refused !== undefined
sockets.refused = DEFAULT_PORTS
if (!isLimited) {
  const { connect } = sockets
  sockets.connect = function (this: Socket, ...given: unknown[]) {
    // `net.connect` hands over a list: its options, and a callback.
    const [first, host] = given.flat()
    const isOptions = typeof first === 'object' && first !== null
    const address = (isOptions ? first : { port: first, host }) as Address
    const isPath = address.path != null || Number.isNaN(Number(address.port))
    const isOwn = LOOPBACK.test(address.host ?? 'localhost') && !sockets.refused?.includes(Number(address.port))
    if (isPath || isOwn) return connect.apply(this, given)
    if (isOptions) Object.assign(first, REFUSED)
    return connect.apply(this, isOptions ? given : [REFUSED])
  }
}
