import { expect, it } from 'vitest'
import type { TillDatabase } from '../../src/till/index.ts'
import { LISTS, playLists } from './support/lists.ts'
import { openDatabase } from './support/open-till.ts'

it('lists, searches and adds up orders', async () => {
  const { wrong, found } = await playLists(await openDatabase())
  expect(wrong).toEqual([])
  expect(found).toEqual(LISTS)
})

it('lists the same where there is no batch, and a list is lost between its statements', async () => {
  const { clock, run } = await openDatabase()
  const { wrong, found } = await playLists({ clock, run } as TillDatabase)
  expect(wrong).toEqual([])
  expect(found).toEqual(LISTS)
})
