import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished, TestRunner } from 'vitest'
import { type ServedEmulator, serveEmulator } from '../../../src/cli/service/serve-emulator.ts'
import { type Served, serveOnNode } from '../../../src/cli/service/serve-node.ts'
import type { EmulatorOptions } from '../../../src/emulator/index.ts'
import { root } from './runtimes.ts'

/** Does something after the test that runs, or after all tests of the file where none runs yet. */
export const whenOver = (end: () => unknown): void => {
  const after = TestRunner.getCurrentTest() ? onTestFinished : afterAll
  after(async () => void (await end()))
}

/** A new folder, which is removed when the test or the file is over. */
export function temporaryFolder(parent: string = tmpdir()): string {
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'edgetill-'))
  whenOver(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The same in the checkout, where a program finds the installed packages. */
export const folderInCheckout = (): string => temporaryFolder(join(root, 'test-output'))

/** Has a server listen on a free port of loopback until the test is over. @returns Its origin. */
export async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  whenOver(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Serves a fetch handler until the test is over. */
export async function serve(...given: Parameters<typeof serveOnNode>): Promise<Served> {
  const served = await serveOnNode(...given)
  whenOver(served.close)
  return served
}

/** Serves an emulator until the test is over. */
export async function serveNewEmulator(options: EmulatorOptions = {}): Promise<ServedEmulator> {
  const served = await serveEmulator({}, options)
  whenOver(() => served.close())
  return served
}
