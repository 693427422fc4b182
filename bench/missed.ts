import type { Goal } from './report.ts'

/** Why a goal is missed, with the findings of a profile: by the beginning of the goal's text. */
const REASONS: readonly [goal: RegExp, reason: string][] = [
  [
    /^verify .* with node:crypto$/,
    'The limit is that of the best peer as it is installed. With node:crypto passed to it, stripe hashes and parses the JSON as it came. Here the JSON is Base64Url in a form, a third longer, and is decoded first: the lower bound, which checks nothing, takes 0.7 to 0.9 of stripe’s time at 1.1 kB, and more than its time at 8 kB on Deno and Bun. Beyond the bound is the check of each field; the table of parts has the profile.',
  ],
  [
    /^verify 1\.1 kB on (node|workerd): .* paddle isSignatureValid$/,
    'paddle checks an HMAC of the JSON as it came and no field of it. Hash and JSON.parse take about half of the time here; the rest is what is above the lower bound: the form, Base64, the type of each field, and an event that keeps its record.',
  ],
  [
    /^size: verify a webhook$/,
    'A quarter is @noble/hashes, without which nothing could be verified synchronously where a runtime has no such hash, and a fifth is valibot, which reads the rare event with a field of an odd type. The rest is errors that name what a framework handed over and what to do.',
  ],
  [
    /^size: /,
    'The goals were set for fewer promises: every field of every call is checked (valibot is an eighth of the client), errors carry what came back with secrets and card data cut out, a time limit holds where a `fetch` ignores its signal, and messages say what to do. Beside each limit in bench/ours.ts is what it grew by.',
  ],
  [
    /^(createPayment|capturePayment), /,
    'The check of the fields. In one process with a `fetch` that responds at once, createPayment takes about 70 to 100 µs more than the guarded fetch on Node, capturePayment 18 µs: of createPayment’s profile a third is valibot, over 26 fields sent and 45 received, an eighth the HMAC and its key, a tenth JSON and its bytes, and 8 % garbage. A goal of 5 % is 20 µs of a call on loopback. Over a network a call takes 100 ms.',
  ],
  [
    /^an order with 1,000 events: /,
    'The fold of 1,000 events with its flags and its JSON; the bare list only reads rows. An order has two to ten events.',
  ],
  [
    /^receive on node:http: /,
    'Over the receiver by hand are the time limit, the size limit and the type of each field. The two other frameworks parse the form themselves, for both.',
  ],
]

export const isMet = ({ measured, goal, atLeast }: Goal): boolean => (atLeast ? measured >= goal : measured <= goal)

/** Why a goal is missed; undefined if that is unknown. */
export const reasonOf = ({ text }: Goal): string | undefined => REASONS.find(([goal]) => goal.test(text))?.[1]
