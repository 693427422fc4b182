import { readdir } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { workerName } from '../project/worker-name.ts'
import { UsageError } from '../terminal/errors.ts'
import { defineVerb, flag, group, option, type Verb } from '../terminal/verb.ts'
import { UNFINISHED, writeProject } from './write-project.ts'
import { STARTERS, writeServer, writeStarter } from './write-starter.ts'

export const verb: Verb = defineVerb({
  name: 'init',
  heading: 'Start',
  summary: 'write a project of your own: the worker, its configuration, a test',
  description:
    'Writes a project that is yours: the worker, its configuration, a test. It asks nothing.\n' +
    'With --server, it is the same shop for your own server. With a framework, it writes a shop over your own ' +
    'SQLite: a pay button, the receiver, and a refund that is made once.',
  examples: ['init my-shop', 'init my-shop --server'],
  readOn: 'worker/README.md',
  argument: {
    name: '<FOLDER>',
    says: 'a folder that does not exist or is empty; with --next or --sveltekit, your project',
  },
  options: {
    name: option('<NAME>', 'the name of the worker and of the package (default: made from the folder’s name)'),
    ...group('In place of a worker:', {
      server: flag('the same shop on a server of yours, over SQLite or Postgres'),
      express: flag('a shop with Express'),
      next: flag('a shop in a project of create-next-app'),
      sveltekit: flag('a shop in a project of sv create'),
    }),
  },
  async run({ argument: folder, flags, terminal }) {
    // A shell makes an empty text of a variable that is not set: `init "$FOLDER"`.
    if (folder.trim() === '') {
      throw new UsageError('The folder’s name is empty. Nothing was written; name a folder, such as my-shop.')
    }
    const kinds = (['server', 'express', 'next', 'sveltekit'] as const).filter((kind) => flags[kind])
    const [kind] = kinds
    if (kinds.length > 1) throw new UsageError(`Choose one of ${kinds.map((one) => `--${one}`).join(' and ')}.`)
    if (!(kind && kind !== 'server' && STARTERS[kind].into) && !(await isFree(folder))) {
      throw new Error(`${folder} exists and is not an empty folder. Nothing was written; choose another name.`)
    }
    const wantedName = flags.name ?? basename(resolve(folder))
    const name = workerName(wantedName)
    if (name === '') {
      const why = `No worker can be named after "${wantedName}": a worker's name has the letters a-z and digits.`
      throw new UsageError(`${why} Nothing was written; add --name my-shop.`)
    }
    if (kind) {
      const { files, next } = await (kind === 'server'
        ? writeServer(resolve(folder), name)
        : writeStarter(kind, resolve(folder), name))
      terminal.out(`Wrote into ${folder}: ${files.join(', ')}.\n\nNext, in ${folder}:`)
      return next.forEach((line) => void terminal.out(`  ${line}`))
    }
    await writeProject(resolve(folder), name)
    const isHere = resolve(folder) === process.cwd()
    const next = [...(isHere ? [] : [`cd ${quoted(folder)}`]), 'npm install', 'npm test', 'npm run dev']
    const wrote = `Wrote ${isHere ? 'the project' : folder}: the worker is named ${name}.`
    terminal.out(`${wrote} It is yours: change what you like, beginning with\nworker/on-event.ts.\n\nNext:`)
    for (const line of next) terminal.out(`  ${line}`)
  },
})

const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** Whether there is nothing, an empty folder, or the rest of an interrupted `init`. */
const isFree = (folder: string): Promise<boolean> =>
  readdir(folder).then(
    (entries) => entries.every((entry) => entry === UNFINISHED),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return error.code === 'ENOENT'
      throw error
    },
  )
