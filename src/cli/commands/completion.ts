import { UsageError } from '../terminal/errors.ts'
import { defineVerb, flagOf, option, unlisted, type Verb } from '../terminal/verb.ts'

/**
 * Each script calls the command itself, so that it never grows old. If nothing fits, bash and zsh complete file names.
 */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_edgetill() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words
  words="$(edgetill completion bash --line "\${COMP_WORDS[*]:1:COMP_CWORD}" 2>/dev/null)"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _edgetill edgetill`,
  zsh: `#compdef edgetill
_edgetill() {
  local -a found=("\${(@f)$(edgetill completion zsh --line "\${(j: :)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "$found" ]] && _describe edgetill found || _files
}
compdef _edgetill edgetill`,
  fish:
    `complete -c edgetill -a "(edgetill completion fish --line (string join ' ' -- (commandline -opc)[2..] ` +
    '(commandline -ct)) 2>/dev/null)"',
}
const SHELLS = Object.keys(SCRIPTS)

type Verbs = Readonly<Record<string, () => Promise<Verb>>>
type Candidate = [word: string, says: string]

/** `edgetill completion SHELL`. The table of verbs names this file. */
export const completionOf = (all: Verbs): Verb =>
  defineVerb({
    name: 'completion',
    summary: 'print the completion script of a shell',
    description:
      'Prints the script that completes verbs, options and their values: eval "$(edgetill completion bash)".\n' +
      'It completes the command edgetill, not npx edgetill: npm install --global edgetill.',
    examples: [
      'completion bash > ~/.local/share/bash-completion/completions/edgetill',
      'completion fish > ~/.config/fish/completions/edgetill.fish',
    ],
    argument: { name: '<SHELL>', says: SHELLS.join(', '), values: SHELLS },
    options: unlisted({ line: option('<WORDS>', 'what is typed behind edgetill') }),
    async run({ argument: shell, flags: { line }, terminal }) {
      if (!SHELLS.includes(shell))
        throw new UsageError(`Unknown shell "${shell}". Expected one of: ${SHELLS.join(', ')}.`)
      if (line === undefined) return terminal.out(SCRIPTS[shell] ?? '')
      const shown = ([word, says]: Candidate): string =>
        shell === 'bash' ? word : shell === 'zsh' ? `${word.replaceAll(':', '\\:')}:${says}` : `${word}\t${says}`
      for (const one of await candidatesOf(all, line)) process.stdout.write(`${shown(one)}\n`)
    },
  })

async function candidatesOf(all: Verbs, line: string): Promise<Candidate[]> {
  const words = line.split(' ')
  const current = words.pop() ?? ''
  const [name, ...before] = words
  if (name === undefined) {
    const verbs = await Promise.all(Object.values(all).map((load) => load()))
    return [...verbs.map(({ name, summary }): Candidate => [name, summary]), ['help', 'print the help of a verb']]
  }
  const verb = Object.hasOwn(all, name) ? await all[name]?.() : undefined
  if (!verb) return []
  const options = Object.entries(verb.options).flatMap(([key, row]) =>
    row.isHidden ? [] : [{ flag: flagOf(key), ...row }],
  )
  const last = options.find(({ flag }) => flag === before.at(-1))
  const listed = (values: readonly string[] = [], says = ''): Candidate[] => values.map((value) => [value, says])
  if (last?.value) return listed(last.values, last.says)
  if (!current.startsWith('-')) return before.length === 0 ? listed(verb.argument?.values, verb.argument?.says) : []
  const rows = options.map(({ flag, says }): Candidate => [flag, says])
  return [...rows, ['--no-color', 'print without colours'], ['--help', 'print its help']]
}
