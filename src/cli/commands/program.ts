import { Command, CommanderError } from 'commander'
import { isConnectionError } from '../../errors.ts'
import { cureOf } from '../service/outcome.ts'
import * as errors from '../terminal/errors.ts'
import { untilStopped } from '../terminal/interrupt.ts'
import { NO_COLOR, printable, processTerminal, type Terminal } from '../terminal/terminal.ts'
import { commandOf, type Surroundings, type Verb } from '../terminal/verb.ts'
import { VERBS } from './verbs.ts'

/** The surroundings of the process. The reader of its output may go away: a call goes on all the same. */
const surroundings = (): Surroundings => ({
  terminal: processTerminal(),
  stopped: () => untilStopped().then((reason) => (reason === 'signal' ? reason : new Promise(() => {}))),
})

/** Runs the command line, and returns its exit code: errors are printed on stderr, with `--json` on stdout too. */
export async function run(given: string[], version = '', around: Surroundings = surroundings(), verbs = VERBS) {
  const { terminal } = around
  // Every verb takes this flag, before or after its name. The terminal reads it.
  const words = given.filter((word) => word !== NO_COLOR)
  const used = words[0] === 'help' ? words[1] : words[0]
  const isKnown = used !== undefined && Object.hasOwn(verbs, used)
  const interrupt = new AbortController()
  let code: errors.ExitCode = 0
  /** Until a verb reads its signal, Ctrl-C ends the process. */
  const use = async (verb: Verb, argument: unknown, flags: object): Promise<void> => {
    let isHeard = false
    const ended = await verb.run({
      ...around,
      argument: argument as string,
      flags,
      get signal() {
        if (!isHeard) around.stopped().then(() => interrupt.abort())
        isHeard = true
        return interrupt.signal
      },
    })
    code = ended ?? 0
  }
  try {
    const program = createProgram(version, terminal)
    // Only the list of verbs needs every verb.
    for (const verb of await Promise.all((isKnown ? [used] : Object.keys(verbs)).map((name) => verbs[name]?.()))) {
      if (verb) addVerb(program, verb, (argument, flags) => use(verb, argument, flags))
    }
    // For an unknown verb, `help` would print only the list.
    await program.parseAsync(words[0] === 'help' && used && !isKnown ? [used] : words, { from: 'user' })
    return code
  } catch (error) {
    const isEnded = interrupt.signal.aborted && (isConnectionError(error) || (error as Error).name === 'AbortError')
    const reason = isEnded ? new errors.InterruptedError('Ctrl-C') : error
    if (!isEnded && !(error instanceof CommanderError)) explain(error, terminal)
    if (error instanceof errors.UsageError && isKnown) terminal.err(`\n${helpHint(used)}`)
    code = errors.exitCodeOf(reason)
    if (code !== 0 && words.includes('--json')) terminal.out(errors.errorLine(reason))
    return code
  }
}

/** Reports the error, and what to do. commander has printed its own errors. */
function explain(error: unknown, { err }: Terminal): void {
  const message = error instanceof Error ? error.message : String(error)
  // A line break in the command line's own messages is intended.
  const isOwn = error instanceof errors.FailedError || error instanceof errors.UsageError
  err(isOwn ? message : message.split('\n').map(printable).join('\n'))
  const cure = cureOf(error)
  if (cure !== '') err(cure)
}

function createProgram(version: string, { out, err }: Terminal): Command {
  const program = new Command('edgetill')
    .description('Payments, webhooks and an offline service on the command line.')
    .usage('VERB [options]')
    .version(`edgetill ${version}`, '-v, --version', 'print the version')
    .option(NO_COLOR, 'print without colours; every verb takes it')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [verb]', 'print the help of a verb')
    .commandsGroup('Other:')
    .configureOutput({
      // commander would read NO_COLOR itself, and Deno would ask for permission. The help has no colours.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      getOutHelpWidth: () => process.stdout.columns ?? 80,
      getErrHelpWidth: () => process.stderr.columns ?? 80,
      writeOut: (text) => out(text.replace(/\n$/, '')),
      writeErr: (text) => err(text.replace(/\n$/, '')),
      outputError: (text, write) => write(errors.withoutValues(text)),
    })
    .configureHelp({ optionTerm: ({ flags }) => flags.replaceAll(/[<>]/g, ''), subcommandTerm: (verb) => verb.name() })
    .showHelpAfterError('\nedgetill --help lists the verbs.')
    .exitOverride()
  return addContext(program, ['emulator --write-env emulator.env', 'refund A-1 --amount 20 --dry-run'], GUIDE)
}

const GUIDE = 'guides/command-line.md'

/** Help begins with two examples, and ends with where to read on: the guides are in the package. */
function addContext(command: Command, examples: readonly string[], readOn: string): Command {
  return command
    .addHelpText('before', `Examples:\n${examples.map((line) => `  edgetill ${line}`).join('\n')}\n`)
    .addHelpText('after', `\nRead on: ${readOn} in the package (node_modules/edgetill).`)
}

const helpHint = (verb: string): string => `edgetill ${verb} --help shows its options.`

function addVerb(program: Command, verb: Verb, use: Parameters<typeof commandOf>[1]): void {
  const { name, heading, examples, readOn = GUIDE } = verb
  const command = commandOf(verb, use)
  if (heading) command.helpGroup(`${heading}:`)
  addContext(command.copyInheritedSettings(program), examples, readOn).showHelpAfterError(`\n${helpHint(name)}`)
  program.addCommand(command, { hidden: heading === undefined })
}
