import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { freePort } from '../node/support/free-port.ts'
import { type Running, startCommand } from '../node/support/process.ts'
import { packedFolder, root } from '../tarball/support/pack.ts'

const here = join(root, 'test/frameworks')

/** A project of a framework, with the packed package in its node_modules. */
export class Project {
  readonly folder: string
  readonly #installed: string
  readonly #env: Record<string, string>
  #server: Running | undefined

  /** @param place Where the framework is installed. */
  constructor(name: string, files: Record<string, string>, place = here, env: Record<string, string> = {}) {
    this.#installed = join(place, 'node_modules')
    this.#env = env
    if (!existsSync(this.#installed)) throw new Error(`Not installed: run \`npm ci --prefix ${place}\`.`)
    mkdirSync(join(place, 'test-output'), { recursive: true })
    this.folder = mkdtempSync(join(place, 'test-output', `${name}-`))
    // Copies: bundlers do not follow links out of the project.
    for (const one of ['edgetill', 'valibot', '@noble/hashes']) {
      cpSync(join(packedFolder(), 'node_modules', one), join(this.folder, 'node_modules', one), { recursive: true })
    }
    const manifest = { 'package.json': '{ "private": true, "type": "module" }' }
    for (const [name, text] of Object.entries({ ...manifest, ...files })) {
      mkdirSync(dirname(join(this.folder, name)), { recursive: true })
      writeFileSync(join(this.folder, name), text)
    }
  }

  /** Runs a program of the framework's node_modules without any secret; what it prints is in its failure. */
  async run(program: string, ...words: string[]): Promise<string> {
    const env = { ...process.env, EDGETILL_API_SECRET: undefined, NODE_ENV: undefined, ...QUIET, ...this.#env }
    const given = [join(this.#installed, program), ...words]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, given, { cwd: this.folder, env })
    return stdout + stderr
  }

  /** Starts the built server with the API secret alone. Returns its origin. */
  async start(...words: string[]): Promise<string> {
    const port = await freePort()
    const origin = `http://localhost:${port}`
    const env = {
      NODE_ENV: 'production',
      EDGETILL_API_SECRET: 'late-secret',
      ORIGIN: origin,
      SHOP_ORIGIN: origin,
      PORT: `${port}`,
    }
    const given = words.map((word) => word.replace('node_modules:', join(this.#installed, '/')))
    const server = startCommand(process.execPath, given, { cwd: this.folder, env: { ...QUIET, ...env, ...this.#env } })
    this.#server = server
    const answers = () => fetch(origin).then(Boolean, () => false)
    const ended = server.finished.then(({ output }) => Promise.reject(new Error(`It did not start:\n${output}`)))
    await Promise.race([expect.poll(answers, { timeout: 60_000 }).toBe(true), ended])
    return origin
  }

  async close(): Promise<void> {
    this.#server?.stopAlone('SIGKILL')
    await this.#server?.finished
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const QUIET = { NEXT_TELEMETRY_DISABLED: '1', ASTRO_TELEMETRY_DISABLED: '1', NO_COLOR: '1' }

/** The blocks of a guide's section that name their file in a first line such as `// src/server.ts`. */
export function filesOf(guide: string, title: string): Record<string, string> {
  const text = readFileSync(join(root, 'guides', `${guide}.md`), 'utf8')
  const section = text.split(/^#{2,3} /m).find((part) => part.startsWith(`${title}\n`)) ?? ''
  const blocks = [...section.matchAll(/^```\w+\n\/\/ (\S+\.\w+)\n([\s\S]*?)^```$/gm)]
  if (blocks.length === 0) throw new Error(`guides/${guide}.md, "${title}" names no file.`)
  return Object.fromEntries(blocks.map(([, name = '', code = '']) => [name, code]))
}
