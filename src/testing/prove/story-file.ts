import { FIELDS, INTRUSIONS, type Payload } from './bodies.ts'
import { amountOf, expectedOf } from './judge.ts'
import { ProveError } from './options.ts'
import { isGenuine, MISMATCHES, type Story, TWINS, WAYS } from './story.ts'

/** A story as a file's JSON: it plays again what was `found`, or what happened. The fields of `story` are for `prove` alone. */
export interface StoryFile {
  edgetill_story: 1
  found?: { verdict: string; cause: string }
  story: object
}

/** Reads a story, or an order that `edgetill order --export` wrote. @throws {ProveError} for anything else. */
export function readStory(json: unknown): Story {
  const { edgetill_story, edgetill_order, story, events } = (json ?? {}) as Record<string, unknown>
  if (edgetill_order === 1 && Array.isArray(events) && events.length > 0) {
    return recorded(events.map(({ event }: { event: Payload }) => event))
  }
  if (edgetill_story === 1 && isStory(story as Story)) return story as Story
  throw new ProveError(
    'story: must be what `edgetill prove` wrote of a finding, or `edgetill order --export` of an order.',
  )
}

/** The events of an order as they came. */
function recorded(events: readonly Payload[]): Story {
  const [first] = events as [Payload]
  const { currency } = first
  return {
    asked: amountOf({ amount: first.amount }) || expectedOf(events).paid,
    ...(typeof currency === 'string' && currency !== 'UAH' && { currency }),
    late: false,
    actions: [],
    sendings: events.map((_, action) => ({ action, nth: 0, way: 'plain' })),
    events: events.map((event) => [event]),
  }
}

function isStory(story: Story | undefined): boolean {
  const { asked, actions, sendings, twin = 'case', fields = 'bare', mismatch = 'amount' } = story ?? ({} as Story)
  const isKnown = sendings?.every((one) => (isGenuine(one) ? one.way in WAYS : one.intrusion in INTRUSIONS))
  const isNamed = twin in TWINS && fields in FIELDS && mismatch in MISMATCHES
  return Number.isInteger(asked) && Array.isArray(actions) && sendings?.length > 0 && isKnown && isNamed
}
