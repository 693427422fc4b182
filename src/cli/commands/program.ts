import { Command } from 'commander'
import { type ExitCode, errorLine, exitCodeOf, messageOf, UsageError, withoutValues } from '../terminal/errors.ts'
import { NO_COLOR } from '../terminal/terminal.ts'
import { VERBS } from './verbs.ts'

/** Runs the command line, and returns its exit code: errors are printed on stderr, with `--json` on stdout too. */
export async function run(given: string[], version = ''): Promise<ExitCode> {
  // Of every verb, before and after its name: the terminal reads it.
  const words = given.filter((word) => word !== NO_COLOR)
  const program = createProgram(version)
  let verb: Command | undefined
  try {
    const used = words[0] === 'help' ? words[1] : words[0]
    verb = await addVerbs(program, used)
    // Of a verb that does not exist, `help` would print the list alone.
    const unknown = words[0] === 'help' && used !== undefined && verb === undefined
    await program.parseAsync(unknown ? [used] : words, { from: 'user' })
    return 0
  } catch (error) {
    const message = messageOf(error)
    if (message !== undefined) console.error(message)
    if (error instanceof UsageError && verb) console.error(`\n${helpHint(verb.name())}`)
    const code = exitCodeOf(error)
    if (code !== 0 && words.includes('--json')) console.log(errorLine(error))
    return code
  }
}

function createProgram(version: string): Command {
  const program = new Command('edgetill')
    .description('Payments, webhooks and an offline service on the command line.')
    .usage('VERB [options]')
    .version(`edgetill ${version}`, '-v, --version', 'print the version')
    .option(NO_COLOR, 'print without colours; every verb takes it')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [verb]', 'print the help of a verb')
    .commandsGroup('Verbs:')
    .configureOutput({
      // commander would read NO_COLOR itself, and Deno would ask for permission. The help has no colours.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      getOutHelpWidth: () => process.stdout.columns ?? 80,
      getErrHelpWidth: () => process.stderr.columns ?? 80,
      outputError: (text, write) => write(withoutValues(text)),
    })
    .configureHelp({
      optionTerm: ({ flags }) => flags.replaceAll(/[<>]/g, ''),
      subcommandTerm: (verb) => verb.name(),
    })
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

/** Adds every verb by its name, and returns the one that is used: it alone is loaded. */
async function addVerbs(program: Command, used: string | undefined): Promise<Command | undefined> {
  for (const [name, { summary, examples, readOn = GUIDE, load }] of Object.entries(VERBS)) {
    const verb = name === used ? (await load()).command() : new Command(name)
    program.addCommand(verb.summary(summary).copyInheritedSettings(program))
    if (name === used) addContext(verb, examples, readOn).showHelpAfterError(`\n${helpHint(name)}`)
  }
  return program.commands.find((verb) => verb.name() === used)
}
