import { readdir } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { Command } from 'commander'
import { workerName } from '../project/worker-name.ts'
import type { Surroundings } from '../service/service.ts'
import { UsageError } from '../terminal/errors.ts'
import { processTerminal, type Terminal } from '../terminal/terminal.ts'
import { UNFINISHED, writeProject } from './write-project.ts'

/** `edgetill init`: writes a shop's project into an empty folder. */
export function command(around: () => Pick<Surroundings, 'terminal'> = here): Command {
  return new Command('init')
    .description('Writes a project that is yours: the worker, its configuration, a test. It asks nothing.')
    .argument('<FOLDER>', 'a folder that does not exist or is empty')
    .option('--name <NAME>', 'the name of the worker and of the package (default: made from the folder’s name)')
    .action((folder: string, flags: { name?: string }) => init(folder, flags, around().terminal))
}

const here = () => ({ terminal: processTerminal() })

async function init(folder: string, flags: { name?: string }, terminal: Terminal): Promise<void> {
  // A shell makes an empty text of a variable that is not set: `init "$FOLDER"`.
  if (folder.trim() === '') {
    throw new UsageError('The folder’s name is empty. Nothing was written; name a folder, such as my-shop.')
  }
  if (!(await isFree(folder))) {
    throw new Error(`${folder} exists and is not an empty folder. Nothing was written; choose another name.`)
  }
  const name = workerName(flags.name ?? basename(resolve(folder)))
  if (name === '') {
    const given = flags.name ?? basename(resolve(folder))
    throw new UsageError(
      `No worker can be named after "${given}": its name has the letters a-z and digits. Nothing was written; add --name my-shop.`,
    )
  }
  await writeProject(resolve(folder), name)
  const isHere = resolve(folder) === process.cwd()
  const next = [...(isHere ? [] : [`cd ${quoted(folder)}`]), 'npm install', 'npm test', 'npm run dev']
  terminal.out(`Wrote ${isHere ? 'the project' : folder}: the worker is named ${name}. It is yours: change what you like, beginning with
worker/on-event.ts.

Next:
${next.map((line) => `  ${line}`).join('\n')}`)
}

/** As a shell takes it. */
const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** Whether there is nothing, an empty folder, or what an interrupted `init` left there. */
async function isFree(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).every((entry) => entry === UNFINISHED)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return true
    if (code === 'ENOTDIR') return false
    throw error
  }
}
