// Prints the balances of all accounts as a table.
//
//   npx node examples/balances.ts
//   npx bun examples/balances.ts
//   npx deno run --no-prompt --allow-net=HOST --allow-env=NAMES examples/balances.ts

import { listAccounts } from '../src/index.ts'
import { run, settings } from './settings.ts'

await run('balances.ts', 0, async () => {
  const accounts = await listAccounts(settings())
  const rows = accounts.map(({ name, currency, balances }) => [
    name ?? '',
    currency,
    balances.available.toFixed(2),
    balances.rolling_reserve?.toFixed(2) ?? '-',
  ])
  const table = [['Account', 'Currency', 'Available', 'Rolling reserve'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  for (const row of table) {
    const cells = row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
    console.log(cells.join('  '))
  }
})
