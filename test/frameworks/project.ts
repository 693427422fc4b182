import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePort } from '../node/support/free-port.ts'
import { packedFolder, root } from '../tarball/support/pack.ts'

const here = join(root, 'test/frameworks')

/** A project of a framework, with the packed package in its node_modules. */
export class Project {
  readonly folder: string
  #server: ChildProcess | undefined

  constructor(name: string, files: Record<string, string>) {
    if (!existsSync(join(here, 'node_modules'))) {
      throw new Error('The frameworks are not installed: run `npm run test:frameworks`.')
    }
    mkdirSync(join(here, 'test-output'), { recursive: true })
    this.folder = mkdtempSync(join(here, 'test-output', `${name}-`))
    // Copies: bundlers do not follow links out of the project.
    for (const one of ['edgetill', 'valibot', '@noble/hashes']) {
      cpSync(join(packedFolder(), 'node_modules', one), join(this.folder, 'node_modules', one), { recursive: true })
    }
    this.write({ 'package.json': '{ "private": true, "type": "module" }', ...files })
  }

  write(files: Record<string, string>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, name)), { recursive: true })
      writeFileSync(join(this.folder, name), text)
    }
  }

  /** Runs a program of the frameworks' node_modules without any secret; what it prints is in its failure. */
  run(program: string, ...words: string[]): string {
    const env = { ...process.env, EDGETILL_API_SECRET: undefined, NODE_ENV: undefined, ...QUIET }
    const script = join(here, 'node_modules', program)
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words], {
      cwd: this.folder,
      env,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`)
    return stdout + stderr
  }

  /** Starts the built server with the API secret alone. Returns its origin. */
  async start(...words: string[]): Promise<string> {
    const port = await freePort()
    const origin = `http://localhost:${port}`
    const env = {
      ...process.env,
      ...QUIET,
      NODE_ENV: 'production',
      EDGETILL_API_SECRET: 'late-secret',
      ORIGIN: origin,
      PORT: `${port}`,
    }
    let output = ''
    const server = spawn(
      process.execPath,
      words.map((word) => word.replace('node_modules:', join(here, 'node_modules/'))),
      { cwd: this.folder, env },
    )
    this.#server = server
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (part) => (output += part))
    const deadline = Date.now() + 60_000
    while (
      !(await fetch(origin).then(
        () => true,
        () => false,
      ))
    ) {
      if (server.exitCode !== null || Date.now() > deadline) throw new Error(`The server did not start:\n${output}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return origin
  }

  async close(): Promise<void> {
    if (this.#server && this.#server.exitCode === null) {
      const ended = new Promise((resolve) => this.#server?.once('exit', resolve))
      this.#server.kill('SIGKILL')
      await ended
    }
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
