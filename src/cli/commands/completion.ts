import { Argument, Command } from 'commander'
import { processTerminal } from '../terminal/terminal.ts'

/** What can be completed of a verb. */
interface Words {
  name: string
  summary: string
  options: { flag: string; description: string; takesValue: boolean }[]
}

const SHELLS: Readonly<Record<string, (verbs: Words[]) => string>> = { bash, zsh, fish }

/** What it reads of the verbs; the list of them names this file. */
type Verbs = Readonly<Record<string, { summary: string; load(): Promise<{ command(): Command }> }>>

/** `edgetill completion SHELL` */
export function completionOf(all: Verbs): Command {
  return new Command('completion')
    .description('Prints the script that completes verbs and options, for the start-up file of the shell.')
    .addArgument(new Argument('<SHELL>').choices(Object.keys(SHELLS)))
    .action(async (shell: string) => processTerminal().out((SHELLS[shell] ?? bash)(await wordsOf(all)).trimEnd()))
}

async function wordsOf(all: Verbs): Promise<Words[]> {
  return await Promise.all(
    Object.entries(all).map(async ([name, { summary, load }]) => ({
      name,
      summary,
      options: (await load())
        .command()
        .options.filter(({ hidden, long }) => !hidden && long)
        .map(({ long, description, required }) => ({ flag: long ?? '', description, takesValue: required })),
    })),
  )
}

const flagsOf = ({ options }: Words): string => [...options.map(({ flag }) => flag), '--no-color', '--help'].join(' ')

// Where nothing fits, bash completes the names of files.
function bash(verbs: Words[]): string {
  const cases = verbs.map((verb) => `    ${verb.name}) words="${flagsOf(verb)}" ;;`)
  return `_edgetill() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${verbs.map(({ name }) => name).join(' ')} help --help --version" -- "$current"))
    return
  fi
  [ "\${COMP_WORDS[1]}" = completion ] && [[ "$current" != -* ]] && words="${Object.keys(SHELLS).join(' ')}"
  [[ "$current" == -* ]] && case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _edgetill edgetill`
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function zsh(verbs: Words[]): string {
  const clean = (text: string): string => text.replaceAll(/[[\]:\\]/g, (sign) => `\\${sign}`)
  const cases = verbs.map(({ name, options }) => {
    const specs = options.map(({ flag, description, takesValue }) =>
      quoted(`*${flag}[${clean(description)}]${takesValue ? ':value:_files' : ''}`),
    )
    const rest = name === 'completion' ? `'1:shell:(${Object.keys(SHELLS).join(' ')})'` : "'*:argument:_files'"
    return `    ${name}) _arguments ${[...specs, "'--no-color'", "'--help'", rest].join(' ')} ;;`
  })
  return `#compdef edgetill
_edgetill() {
  local -a verbs=(${verbs.map(({ name, summary }) => quoted(`${name}:${clean(summary)}`)).join(' ')})
  if (( CURRENT == 2 )); then _describe verb verbs; return; fi
  local verb=$words[2]
  shift words; (( CURRENT-- ))
  case $verb in
${cases.join('\n')}
  esac
}
compdef _edgetill edgetill`
}

function fish(verbs: Words[]): string {
  const escaped = (text: string): string => `'${text.replaceAll(/['\\]/g, (sign) => `\\${sign}`)}'`
  const lines = verbs.flatMap(({ name, summary, options }) => [
    `complete -c edgetill -n __fish_use_subcommand -f -a ${name} -d ${escaped(summary)}`,
    ...options.map(
      ({ flag, description, takesValue }) =>
        `complete -c edgetill -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}${takesValue ? ' -r' : ''} -d ${escaped(description)}`,
    ),
  ])
  const shells = `complete -c edgetill -n '__fish_seen_subcommand_from completion' -f -a '${Object.keys(SHELLS).join(' ')}'`
  return [...lines, shells, "complete -c edgetill -l no-color -d 'print without colours'"].join('\n')
}
