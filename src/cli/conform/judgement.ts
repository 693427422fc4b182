export type Result = 'holds' | 'differs' | 'not tried'

/** How an answer was judged. `seen` has no value of the service but statuses and codes. */
export type Judgement = { result: Result; seen: string }

export const holds = (seen: string): Judgement => ({ result: 'holds', seen })
export const differs = (seen: string): Judgement => ({ result: 'differs', seen })
export const notTried = (seen: string): Judgement => ({ result: 'not tried', seen })

/** Why a statement about a status is not tried: the words are one difference. */
export const ANOTHER_WORD = 'its status is another word: see status_words'
