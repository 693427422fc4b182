import { type ConformOptions, conform } from '../../../src/conform/index.ts'
import { createEmulator, type Emulator, type EmulatorOptions, testCard } from '../../../src/emulator/index.ts'
import type { Fetch } from '../../../src/index.ts'
import { SUB_MERCHANTS } from '../../support/inputs.ts'

/** Keeps a state as a file would: as JSON. */
export function memory(): ConformOptions['store'] & { text: string | undefined } {
  const store = {
    text: undefined as string | undefined,
    load: async () => (store.text === undefined ? undefined : JSON.parse(store.text)),
    async save(state: unknown) {
      store.text = state === undefined ? undefined : JSON.stringify(state)
    },
  }
  return store
}

/** An emulator and what `conform` needs to try everything against it. */
export function openConform(options: EmulatorOptions = {}, around: (emulator: Emulator) => Fetch = (one) => one.fetch) {
  const emulator = createEmulator(options)
  const store = memory()
  const pause = async () => {}
  const given: ConformOptions = {
    config: { ...emulator.credentials, fetch: around(emulator) },
    project: 'test',
    amount: 0.01,
    currency: 'UAH',
    card: { cc_number: testCard('success'), exp_month: 12, exp_year: 2099, card_cvv: '123' },
    subMerchant: SUB_MERCHANTS[0],
    store,
    pause,
    signal: new AbortController().signal,
  }
  const run = (changed: Partial<ConformOptions> = {}) => conform({ ...given, ...changed })
  return { emulator, store, given, run }
}
