import { UsageError } from '../terminal/errors.ts'
import { defineVerb, flagOf, type Verb } from '../terminal/verb.ts'

/** What can be completed of a verb. */
interface Words {
  name: string
  summary: string
  /** Of its argument. */
  values: readonly string[]
  options: { flag: string; says: string; takesValue: boolean; values: readonly string[] }[]
}

const SHELLS: Readonly<Record<string, (verbs: Words[]) => string>> = { bash, zsh, fish }

/** `edgetill completion SHELL`. The table of verbs names this file. */
export const completionOf = (all: Readonly<Record<string, () => Promise<Verb>>>): Verb =>
  defineVerb({
    name: 'completion',
    summary: 'print the completion script of a shell',
    description:
      'Prints the script that completes verbs, options and their values: eval "$(edgetill completion bash)".',
    examples: ['completion bash >> ~/.bashrc', 'completion fish > ~/.config/fish/completions/edgetill.fish'],
    argument: { name: '<SHELL>', says: Object.keys(SHELLS).join(', '), values: Object.keys(SHELLS) },
    options: {},
    async run({ argument, terminal }) {
      const script = Object.hasOwn(SHELLS, argument) ? SHELLS[argument] : undefined
      if (!script)
        throw new UsageError(`Unknown shell "${argument}". Expected one of: ${Object.keys(SHELLS).join(', ')}.`)
      const verbs = await Promise.all(Object.values(all).map((load) => load()))
      terminal.out(script(verbs.map(wordsOf)).trimEnd())
    },
  })

const wordsOf = ({ name, summary, argument, options }: Verb): Words => ({
  name,
  summary,
  values: argument?.values ?? [],
  options: Object.entries(options)
    .filter(([, { isHidden }]) => !isHidden)
    .map(([key, { says, value, values = [] }]) => ({
      flag: flagOf(key),
      says,
      takesValue: value !== undefined,
      values,
    })),
})

const flagsOf = ({ options }: Words): string => [...options.map(({ flag }) => flag), '--no-color', '--help'].join(' ')

// Where nothing fits, bash completes the names of files.
function bash(verbs: Words[]): string {
  const cases = verbs.map((verb) => `    ${verb.name}) words="${flagsOf(verb)}" ;;`)
  const values = verbs.flatMap(({ name, values, options }) => [
    ...options
      .filter((one) => one.values.length > 0)
      .map(({ flag, values }) => `    "${name} ${flag}") words="${values.join(' ')}" ;;`),
    ...(values.length > 0 ? [`    "${name} ${name}") words="${values.join(' ')}" ;;`] : []),
  ])
  return `_edgetill() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${verbs.map(({ name }) => name).join(' ')} help --help --version" -- "$current"))
    return
  fi
  [[ "$current" == -* ]] && case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  [[ "$current" == -* ]] || case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _edgetill edgetill`
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function zsh(verbs: Words[]): string {
  const clean = (text: string): string => text.replaceAll(/[[\]:\\]/g, (sign) => `\\${sign}`)
  const source = (values: readonly string[]): string => (values.length > 0 ? `(${values.join(' ')})` : '_files')
  const cases = verbs.map(({ name, values, options }) => {
    const specs = options.map(({ flag, says, takesValue, values }) =>
      quoted(`*${flag}[${clean(says)}]${takesValue ? `:value:${source(values)}` : ''}`),
    )
    const rest = values.length > 0 ? `'1:argument:${source(values)}'` : "'*:argument:_files'"
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
  const lines = verbs.flatMap(({ name, summary, values, options }) => [
    `complete -c edgetill -n __fish_use_subcommand -f -a ${name} -d ${escaped(summary)}`,
    ...(values.length > 0
      ? [`complete -c edgetill -n '__fish_seen_subcommand_from ${name}' -f -a '${values.join(' ')}'`]
      : []),
    ...options.map(({ flag, says, takesValue, values }) => {
      const words = values.length > 0 ? ` -x -a '${values.join(' ')}'` : takesValue ? ' -r' : ''
      return `complete -c edgetill -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}${words} -d ${escaped(says)}`
    }),
  ])
  return [...lines, "complete -c edgetill -l no-color -d 'print without colours'"].join('\n')
}
