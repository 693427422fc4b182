import { expect, it } from 'vitest'
import { openTables, type Schema } from '../../src/shop/lib/tables.ts'
import type { GateStorage } from '../../src/shop/runtime.ts'
import { openGateStorage } from '../../src/testing/gate-storage.ts'
import { openDatabase } from '../../src/testing/sqlite.ts'

const CREATED = 'CREATE TABLE fact (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID'
const OLD: Schema = { fact: [CREATED] }
const KIND = "ALTER TABLE fact ADD COLUMN kind TEXT NOT NULL DEFAULT 'old'"
const NEW: Schema = { fact: [CREATED, KIND] }
const BREAKING: Schema = { fact: [CREATED, { breaking: KIND }] }
const WRONG: Schema = { fact: [...(NEW.fact ?? []), 'CREATE TABLE more (key TEXT)', 'ALTER TABLE absent ADD COLUMN a'] }

/** Storages of one object, one after the other. */
function object(): () => GateStorage {
  const kept = { database: openDatabase(), pending: undefined, alarm: null, repeated: 0 }
  const calls = { storage: 0, rowsRead: 0, rowsWritten: 0 }
  return () =>
    openGateStorage(kept, {
      calls,
      through: (work) => work(),
      commit: (work) => work(),
      isDead: () => false,
      before() {},
    })
}

it('a table of an older engine is brought up to date by the first query, with its rows', () => {
  const storage = object()
  openTables(storage(), OLD).all("INSERT INTO fact VALUES ('a', '1')")
  const rows = [{ key: 'a', value: '1', kind: 'old' }]
  for (let i = 0; i < 2; i++) expect(openTables(storage(), NEW).all('SELECT * FROM fact')).toEqual(rows)
})

it('an older engine goes on after a compatible step', () => {
  const storage = object()
  openTables(storage(), NEW).all("INSERT INTO fact VALUES ('a', '1', 'new')")
  openTables(storage(), OLD).all("INSERT INTO fact (key, value) VALUES ('b', '2')")
  expect(openTables(storage(), NEW).all('SELECT kind FROM fact')).toEqual([{ kind: 'new' }, { kind: 'old' }])
})

it('an older engine changes nothing in the tables of a newer one after a breaking step, and says why', () => {
  const storage = object()
  openTables(storage(), BREAKING).all("INSERT INTO fact VALUES ('a', '1', 'new')")
  const old = openTables(storage(), OLD)
  expect(() => old.all('DELETE FROM fact')).toThrow('A newer engine has written the table fact.')
  expect(openTables(storage(), BREAKING).all('SELECT kind FROM fact')).toEqual([{ kind: 'new' }])
})

it('a step that fails leaves the tables as they were', () => {
  const storage = object()
  openTables(storage(), OLD).all("INSERT INTO fact VALUES ('a', '1')")
  expect(() => openTables(storage(), WRONG).all('SELECT 1')).toThrow('storage failed')
  expect(openTables(storage(), OLD).all('SELECT * FROM fact')).toEqual([{ key: 'a', value: '1' }])
})
