import { expectedOf, minorOf } from './judge.ts'
import { ProveError } from './options.ts'
import { INTRUSIONS, isGenuine, type Story, TWINS, WAYS } from './story.ts'

/** A story as a file's JSON: it plays again what was found, or what happened. */
export interface StoryFile {
  edgetill_story: 1
  /** What was found with it, for people. */
  found?: { verdict: string; cause: string }
  /** What `prove --story` plays: its fields are for `prove` alone. */
  story: object
}

export const storyFile = (story: Story, found: StoryFile['found']): StoryFile => ({
  edgetill_story: 1,
  ...(found && { found }),
  story,
})

interface Taken {
  event: Readonly<Record<string, unknown>>
}

/** Reads a story, or an order that `edgetill order --export` wrote. @throws {ProveError} for anything else. */
export function readStory(json: unknown): Story {
  const { edgetill_story, edgetill_order, story, events } = (json ?? {}) as Record<string, unknown>
  if (edgetill_order === 1 && Array.isArray(events) && events.length > 0) return storyOf(events as Taken[])
  if (edgetill_story === 1 && isStory(story)) return story
  throw new ProveError(
    'story: must be what `edgetill prove` wrote for a finding, or `edgetill order --export` for an order.',
  )
}

/** The events of an order as they came. */
function storyOf(taken: readonly Taken[]): Story {
  const events = taken.map(({ event }) => [event])
  const { paid } = expectedOf(taken.map(({ event }) => event))
  const [{ event }] = taken as [Taken]
  const { currency } = event
  return {
    asked: minorOf(event.amount) || paid,
    ...(typeof currency === 'string' && currency !== 'UAH' && { currency }),
    late: false,
    actions: [],
    sendings: events.map((_, action) => ({ action, nth: 0, way: 'plain' })),
    events,
  }
}

function isStory(value: unknown): value is Story {
  const { asked, actions, sendings, twin } = (value ?? {}) as Partial<Story>
  const isKnown = (one: NonNullable<typeof sendings>[number]): boolean =>
    isGenuine(one) ? one.way in WAYS : one.intrusion in INTRUSIONS
  return (
    Number.isInteger(asked) &&
    Array.isArray(actions) &&
    Array.isArray(sendings) &&
    sendings.length > 0 &&
    sendings.every(isKnown) &&
    (twin === undefined || twin in TWINS)
  )
}
