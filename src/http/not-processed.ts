/**
 * The statuses that mean, by their definition, that a request was not processed. Nothing else makes a rejected POST
 * final: any other status, a 408 or an unassigned 4xx above all, leaves the outcome unknown. Sources: [doc] the API
 * document or public material of the service, [http] the status's definition (RFC 9110 and those that extend it).
 */
const NOT_PROCESSED: readonly number[] = [
  400, // [doc] (parameters are incorrect or incomplete)
  401, // [doc] (the POS id or a credential was not accepted)
  403, // [http] understood and rejected (access denied)
  404, // [doc] (no such address or record)
  405, // [doc] (wrong HTTP method)
  406, // [doc] the service says 406 where others say 415 (content type not accepted)
  409, // [doc] the order_id was already used (conflict)
  410, // [http] the address is gone (no longer available)
  411, // [http] rejected for a missing header (length required)
  412, // [http] the method is not applied (precondition failed)
  413, // [http] the body is not read (request too large)
  414, // [http] the address is not interpreted (address too long)
  415, // [http] the body is not understood (content type not supported)
  416, // [http] nothing of the range exists (range not satisfiable)
  417, // [http] rejected for a header, before the body (expectation failed)
  418, // [http] unused but for the joke: never the result of a payment (not a payment service)
  421, // [http] the server cannot produce a response for this host (wrong server for this host)
  422, // [http] the instructions could not be processed (the body was understood and rejected)
  // [http] RFC 8470, 5.2: the server does not process a possible replay. An intermediary that passes this status on has
  // not sent the request again after the handshake, so that no copy was processed.
  425,
  426, // [http] rejected over this protocol (upgrade required)
  428, // [http] rejected for a missing header (precondition required)
  429, // [doc] wait, then retry (too many requests)
  431, // [http] the headers are not processed (headers too large)
]

/** Whether the status of a rejected request proves that it was not processed. */
export function wasNotProcessed(status: number): boolean {
  return NOT_PROCESSED.includes(status)
}
