import { Command } from 'commander'
import { type ExitCode, exitCodeOf, messageOf, UsageError } from '../terminal/errors.ts'
import { VERBS } from './verbs.ts'

/** Runs the command line, and returns its exit code: errors are printed on stderr. */
export async function run(words: string[], version = ''): Promise<ExitCode> {
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
    return exitCodeOf(error)
  }
}

function createProgram(version: string): Command {
  return new Command('edgetill')
    .description('Payments, webhooks and an offline service on the command line.')
    .usage('VERB [options]')
    .version(`edgetill ${version}`, '-v, --version', 'print the version')
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
}

/** A secret that was given as an unknown option or as an argument too many must not be repeated. */
function withoutValues(text: string): string {
  return text
    .replace(/^(error: unknown option '-+[\w-]+)=.*'/s, "$1'")
    .replace(/^(error: too many arguments[^:]*):.*$/s, '$1.\n')
}

const helpHint = (verb: string): string => `edgetill ${verb} --help shows its options.`

/** Adds every verb by its name, and returns the one that is used: it alone is loaded. */
async function addVerbs(program: Command, used: string | undefined): Promise<Command | undefined> {
  for (const [name, { summary, load }] of Object.entries(VERBS)) {
    const verb = name === used ? (await load()).command() : new Command(name)
    program.addCommand(verb.summary(summary).copyInheritedSettings(program))
    if (name === used) verb.showHelpAfterError(`\n${helpHint(name)}`)
  }
  return program.commands.find((verb) => verb.name() === used)
}
