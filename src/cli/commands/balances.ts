import { SERVICE_OPTIONS } from '../service/configuration.ts'
import { openSession } from '../service/service.ts'
import { table } from '../terminal/table.ts'
import { defineVerb, type Verb } from '../terminal/verb.ts'

export const verb: Verb = defineVerb({
  name: 'balances',
  heading: 'Payments',
  summary: 'show the accounts and their balances',
  description: 'Shows the accounts of the POS with their balances.',
  examples: ['balances', 'balances --json --env-file shop.env'],
  options: SERVICE_OPTIONS,
  async run(use) {
    const { client, terminal, json, signal, wait } = await openSession(use)
    const accounts = await wait(client.listAccounts({}, { signal }))
    if (json) return terminal.out(JSON.stringify(accounts))
    const rows = accounts.map(({ id, name, currency, balances }) => [
      name ?? '-',
      currency,
      balances.available.toFixed(2),
      balances.rolling_reserve?.toFixed(2) ?? '-',
      id,
    ])
    terminal.out(table(terminal, ['name', 'currency', 'available', 'rolling_reserve', 'id'], rows, [2, 3]))
  },
})
