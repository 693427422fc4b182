import { Command } from 'commander'
import type { ServiceFlags } from '../service/configuration.ts'
import { EXIT } from '../service/outcome.ts'
import { addServiceOptions, type Session, surroundings, withService } from '../service/service.ts'
import type { ExitCode } from '../terminal/errors.ts'
import { table } from '../terminal/table.ts'

/** `edgetill balances` */
export function command(around = surroundings): Command {
  const verb = new Command('balances').description('Shows the accounts of the POS with their balances.')
  return addServiceOptions(verb).action((flags: ServiceFlags) => withService(flags, around(), show))
}

async function show({ client, terminal, json, signal, wait }: Session): Promise<ExitCode> {
  const accounts = await wait(client.listAccounts({}, { signal }))
  if (json) terminal.out(JSON.stringify(accounts))
  else {
    const rows = accounts.map(({ id, name, currency, balances }) => [
      name ?? '-',
      currency,
      balances.available.toFixed(2),
      balances.rolling_reserve?.toFixed(2) ?? '-',
      id,
    ])
    terminal.out(table(terminal, ['name', 'currency', 'available', 'rolling_reserve', 'id'], rows, [2, 3]))
  }
  return EXIT.done
}
