import { open, readFile, rename } from 'node:fs/promises'
import type { Emulator } from '../../emulator/index.ts'
import { isConfigError } from '../../errors.ts'
import { UsageError } from '../terminal/errors.ts'

/** What `--state` keeps of an emulator on disk. */
export interface StateFile {
  /** Something happened: it is written within a second. */
  changed(): void
  /** Writes what is not written yet, and stops. */
  close(): Promise<void>
}

/** A file as JSON. @throws {UsageError} naming the option and the file. */
export async function readJsonFile(option: string, file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`${option} ${file} cannot be read: ${error.message}.`)
  })
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${option} ${file} is not JSON: ${(error as Error).message}.`)
  }
}

/** Calls the emulator with what stands in a file. @throws {UsageError} with what it says is wrong. */
export function fromFile(option: string, file: string, use: () => void): void {
  try {
    use()
  } catch (error) {
    if (isConfigError(error)) throw new UsageError(`${option} ${file}: ${error.message}`)
    throw error
  }
}

/**
 * Goes on from the file, if it is there, and keeps it up to date: written beside it first and then renamed, so that a crash leaves
 * the last whole one.
 */
export async function openStateFile(file: string, emulator: Emulator): Promise<StateFile> {
  const stored = await readJsonFile('--state', file).catch((error: Error) => {
    if (/ENOENT/.test(error.message)) return undefined
    throw error
  })
  if (stored !== undefined) fromFile('--state', file, () => emulator.restore(stored))
  let isDirty = true
  let writing = Promise.resolve()
  const write = async (): Promise<void> => {
    if (!isDirty) return
    isDirty = false
    const beside = `${file}.${process.pid}.tmp`
    const handle = await open(beside, 'w', 0o600)
    try {
      await handle.writeFile(JSON.stringify(emulator.snapshot()))
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(beside, file)
  }
  const failed = (error: Error): never => {
    throw new UsageError(`--state ${file} cannot be written: ${error.message}.`)
  }
  // A path that cannot be written is noticed at the start.
  await write().catch(failed)
  const timer = setInterval(() => {
    writing = writing.then(write).catch((error: unknown) => console.error(error))
  }, 1000)
  return {
    changed() {
      isDirty = true
    },
    async close() {
      clearInterval(timer)
      isDirty = true
      await writing.then(write).catch(failed)
    },
  }
}
