import { readdir } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { Command } from 'commander'
import type { Surroundings } from '../service/service.ts'
import { processTerminal, type Terminal } from '../terminal/terminal.ts'
import { writeProject } from './write-project.ts'

/** `edgetill init`: writes a shop's project into an empty folder. */
export function command(around: () => Pick<Surroundings, 'terminal'> = here): Command {
  return new Command('init')
    .description('Writes a project that is yours: the worker, its configuration, a test. It asks nothing.')
    .argument('<FOLDER>', 'a folder that does not exist or is empty; its name becomes the worker’s')
    .action((folder: string) => init(folder, around().terminal))
}

const here = () => ({ terminal: processTerminal() })

async function init(folder: string, terminal: Terminal): Promise<void> {
  if (!(await isFree(folder))) {
    throw new Error(`${folder} exists and is not an empty folder. Nothing was written; choose another name.`)
  }
  await writeProject(resolve(folder), nameOf(folder))
  const isHere = resolve(folder) === process.cwd()
  const next = isHere
    ? ['npm install', 'npm test', 'npm run dev']
    : [`cd ${quoted(folder)}`, 'npm install', 'npm run dev']
  terminal.out(`Wrote ${isHere ? 'the project' : folder}. It is yours: change what you like, beginning with worker/on-event.ts.

Next:
${next.map((line) => `  ${line}`).join('\n')}`)
}

/** As a shell takes it. */
const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** Whether there is nothing, or an empty folder. */
async function isFree(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return true
    if (code === 'ENOTDIR') return false
    throw error
  }
}

/** A name that npm and Cloudflare both take; wrangler adds "-test" and "-live" to it. */
function nameOf(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replaceAll(/^-|-$/g, '')
  return name || 'shop'
}
