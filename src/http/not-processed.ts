/**
 * The statuses that mean, by their definition, that a request was not processed. Nothing else makes a rejected POST
 * final: any other status, a 408 or an unassigned 4xx above all, leaves the outcome unknown. Sources: [doc] the API
 * document or public material of the service, [http] the status's definition (RFC 9110 and those that extend it).
 */
const NOT_PROCESSED: Readonly<Record<number, string>> = {
  400: 'parameters are incorrect or incomplete', // [doc]
  401: 'the POS id or a credential was not accepted', // [doc]
  403: 'access denied', // [http] understood and rejected
  404: 'no such address or record', // [doc]
  405: 'wrong HTTP method', // [doc]
  406: 'content type not accepted', // [doc] the service says 406 where others say 415
  409: 'conflict', // [doc] the order_id was already used
  410: 'no longer available', // [http] the address is gone
  411: 'length required', // [http] rejected for a missing header
  412: 'precondition failed', // [http] the method is not applied
  413: 'request too large', // [http] the body is not read
  414: 'address too long', // [http] the address is not interpreted
  415: 'content type not supported', // [http] the body is not understood
  416: 'range not satisfiable', // [http] nothing of the range exists
  417: 'expectation failed', // [http] rejected for a header, before the body
  418: 'not a payment service', // [http] unused but for the joke: never the result of a payment
  421: 'wrong server for this host', // [http] the server cannot produce a response for this host
  422: 'the body was understood and rejected', // [http] the instructions could not be processed
  // [http] RFC 8470, 5.2: the server does not process what could be a replay. An intermediary passes it on only instead of
  // sending the request again after the handshake, so that no copy of it was processed.
  425: 'too early',
  426: 'upgrade required', // [http] rejected over this protocol
  428: 'precondition required', // [http] rejected for a missing header
  429: 'too many requests', // [doc] wait, then retry
  431: 'headers too large', // [http] the headers are not processed
}

/** Whether a rejected request was, by its status alone, not processed. */
export function wasNotProcessed(status: number): boolean {
  return status in NOT_PROCESSED
}

/** What a status means, for people; undefined where it is not known. */
export function statusMeaning(status: number): string | undefined {
  return NOT_PROCESSED[status]
}
