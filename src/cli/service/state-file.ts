import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { Emulator } from '../../emulator/index.ts'
import { isConfigError } from '../../errors.ts'
import { readJsonFile, writeWhole } from '../terminal/environment.ts'
import { UsageError } from '../terminal/errors.ts'

export interface StateFile {
  /** Something happened: it is written within a second, and tried again each second while that fails. */
  changed(): void
  /** Writes unwritten changes, and releases the file even if the writing fails. */
  close(): Promise<void>
}

/** Hands a JSON file to the emulator. @throws {UsageError} naming the option and the file, with its mistake. */
export async function fromFile(option: string, file: string, use: (json: unknown) => void): Promise<void> {
  const json = await readJsonFile(option, file)
  try {
    use(json)
  } catch (error) {
    if (isConfigError(error)) throw new UsageError(`${option} ${file}: ${error.message}`)
    throw error
  }
}

/** Goes on from the file, or begins it with `seed` where it is not there, and keeps it up to date. */
export async function openStateFile(file: string, emulator: Emulator, seed: () => Promise<unknown>) {
  const found = await stat(file).catch(() => undefined)
  // A pipe would never end.
  if (found?.isFile() === false) throw new UsageError(`--state ${file} is not a regular file.`)
  const lock = await lockFile(file)
  let changes = 1
  let written = 0
  const write = async (): Promise<void> => {
    const since = changes
    if (since === written) return
    await writeWhole(file, JSON.stringify(emulator.snapshot())).catch((error: Error) => {
      throw new UsageError(`--state ${file} cannot be written: ${error.message}.`)
    })
    written = since
  }
  try {
    if (found === undefined) await seed()
    else await fromFile('--state', file, emulator.restore)
    // A path that cannot be written is noticed at the start.
    await write()
  } catch (error) {
    await lock.release()
    throw error
  }
  let reported = ''
  const say = (message: string): void => {
    // Once for each cause: it is tried again every second.
    if (message !== '' && message !== reported) console.error(message)
    reported = message
  }
  let writing = Promise.resolve()
  const timer = setInterval(() => {
    writing = writing
      .then(lock.renew)
      .then(write)
      .then(
        () => say(''),
        ({ message }: Error) => say(message),
      )
  }, 1000)
  return {
    changed: () => void changes++,
    async close() {
      clearInterval(timer)
      await writing.then(write).finally(lock.release)
    },
  }
}

/** A lock that was not renewed for this long is abandoned. */
const LOCK_MS = 10_000

/**
 * Two emulators on one file would each overwrite the other's orders. @throws {UsageError} naming the process that has
 * it.
 */
async function lockFile(file: string) {
  const path = `${file}.lock`
  const owner = `${hostname()} ${process.pid}`
  const take = (flag: string) => writeFile(path, owner, { flag, mode: 0o600 })
  await take('wx').catch(async ({ code, message }: NodeJS.ErrnoException) => {
    if (code !== 'EEXIST') throw new UsageError(`--state ${file} cannot be written: ${message}.`)
    const holder = await readFile(path, 'utf8').catch(() => '')
    const [host = '', pid = ''] = holder.split(' ')
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? 0)
    const isHeld = host === hostname() ? pid !== String(process.pid) && isRunning(Number(pid)) : age < LOCK_MS
    if (!isHeld) return take('w')
    const who = host === hostname() ? `process ${pid}` : `process ${pid} on ${host}`
    throw new UsageError(`--state ${file} is in use by ${who}: stop it, or choose another file.`)
  })
  return {
    // The folder may be gone: the next write reports that.
    renew: () => utimes(path, new Date(), new Date()).catch(() => {}),
    release: () => rm(path, { force: true }),
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: it runs, as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
