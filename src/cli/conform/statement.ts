import type { Judgement } from './judgement.ts'
import type { Project } from './project.ts'
import { type Statement, statementOf } from './statements.ts'

/** The needs of a story beside the credentials. */
export type Need = 'card' | 'subMerchant' | 'apiUrl' | 'webhooks' | 'payByHand'

/** A few calls, and the statements that they decide: done as a whole, or again after an interruption. */
export interface Story {
  id: string
  needs: readonly Need[]
  statements: readonly Statement[]
  play(project: Project): Promise<Judgement[]>
}

/** Makes a story. `judgedBy` takes a judge of the results for each statement, by its id. */
export const story = <Seen>(id: string, needs: readonly Need[], calls: (project: Project) => Promise<Seen>) => ({
  judgedBy: (judges: Readonly<Record<string, (seen: Seen) => Judgement>>): Story => ({
    id,
    needs,
    statements: Object.keys(judges).map(statementOf),
    async play(project) {
      const seen = await calls(project)
      return Object.values(judges).map((judge) => judge(seen))
    },
  }),
})
