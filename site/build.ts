// `npm run docs`: guides, reference and examples as one site of files in docs/. Addresses are relative and the search is a script, so
// that a folder, a browser and no server are enough. A link that leads nowhere fails the build.

import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { Application } from 'typedoc'
import { ENTRIES } from '../scripts/entries.ts'
import { deadLinks } from './links.ts'

const root = join(import.meta.dirname, '..')
const [pages, out] = [join(import.meta.dirname, 'pages'), join(root, 'docs')]
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const readme = read('README.md')
const [, list = ''] = /\n## Guides\n([\s\S]*?)\nIn a checkout/.exec(readme) ?? []
/** The README's list of guides: the titles of its groups, and the files of each. */
const groups = [...list.matchAll(/\*\*(.+?)\*\*:([\s\S]*?)(?=\n\n|$)/g)].map(([, title = '', links = '']) => {
  return { title, files: [...links.matchAll(/\]\(([^)#]+\.md)\)/g)].map(([, file = '']) => file) }
})
const titles = new Map<string, string>()
// A name in brackets is a route of a framework: no link can hold it.
const programs = globSync('{examples,worker,template}/**/*.{ts,tsx,mjs}', { cwd: root })
  .filter((file) => !file.includes('['))
  .sort()
const listed = new Set(groups.flatMap(({ files }) => files))
const others = ['SECURITY.md', 'CHANGELOG.md', 'bench/README.md'].filter((file) => !listed.has(file))
const examples = programs.filter((file) => file.startsWith('examples/'))

rmSync(pages, { recursive: true, force: true })
rmSync(out, { recursive: true, force: true })
for (const { title, files } of groups) {
  for (const file of files) write(file, withLinks(file, read(file)))
  group(title, title === 'About' ? [...files, ...others] : files)
}
for (const file of others) write(file, withLinks(file, read(file)))
for (const file of programs) write(`${file}.md`, `# ${basename(file)}\n\n\`\`\`ts\n${read(file)}\`\`\`\n`)
group(
  'Examples',
  examples.map((file) => `${file}.md`),
)
group(
  'Worker and starters',
  programs.filter((file) => !examples.includes(file)).map((file) => `${file}.md`),
)
writeFileSync(join(pages, 'README.md'), withLinks('README.md', readme))

const app = await Application.bootstrap({
  name: 'edgetill',
  entryPoints: ENTRIES.map(({ source }) => join(root, source)),
  tsconfig: join(root, 'tsconfig.json'),
  readme: join(pages, 'README.md'),
  projectDocuments: [...groups.map(({ title }) => title), 'Examples', 'Worker and starters'].map((title) =>
    join(pages, `${title}.md`),
  ),
  out,
  // npm run typecheck checks them.
  skipErrorChecking: true,
  disableSources: true,
  includeHierarchySummary: false,
  searchInDocuments: true,
  hideGenerator: true,
  sort: ['source-order'],
  // A comment names a function of another entry, which becomes a word in the text; the links of the pages are checked below.
  validation: { notExported: false, invalidLink: false, rewrittenLink: true, notDocumented: false },
  highlightLanguages: [
    'ts',
    'tsx',
    'js',
    'json',
    'sh',
    'html',
    'php',
    'python',
    'go',
    'toml',
    'yaml',
    'sql',
    'dockerfile',
    'mermaid',
    'http',
    'diff',
  ],
})
const project = await app.convert()
if (!project) throw new Error('TypeDoc could not read the sources.')
for (const one of project.children ?? []) {
  const entry = ENTRIES.find(({ source }) => source.replace(/^src\/|(\/index)?\.ts$/g, '') === one.name)
  if (entry) one.name = entry.specifier
}
app.validate(project)
await app.generateOutputs(project)
// A server finds the index of a folder, a browser without one shows its list of files.
for (const file of globSync('**/*.html', { cwd: out })) {
  const path = join(out, file)
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replaceAll(/href="((?:\.\.?\/)+)((?:#[^"]*)?")/g, 'href="$1index.html$2'),
  )
}
const dead = deadLinks(out)
for (const one of dead) console.error(one)
if (dead.length > 0 || app.logger.hasWarnings() || app.logger.hasErrors()) process.exitCode = 1
else console.log(`${globSync('**/*.html', { cwd: out }).length} pages in docs/: open docs/index.html`)

function write(file: string, text: string, front: object = {}): void {
  const title = /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? basename(file)
  titles.set(file, title)
  const lines = Object.entries({ title, ...front }).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const path = join(pages, file)
  mkdirSync(dirname(path), { recursive: true })
  const body = text.replace(/^---\n[\s\S]*?\n---\n/, '').replace(/^# .+\n/m, '')
  writeFileSync(path, `---\n${lines.join('\n')}\n---\n${body}`)
}

/** A heading of the sidebar over its pages. */
function group(title: string, files: string[]): void {
  const links = files.map((file) => `- [${titles.get(file)}](${file})`).join('\n')
  write(`${title}.md`, `# ${title}\n\n${links}\n`, { children: files.map((file) => `./${file}`) })
}

/** A link to a program leads to its page, and one to another file of the repository to a copy. */
function withLinks(file: string, text: string): string {
  return text.replaceAll(
    /(\]\(|src=")([^)"\s:#]+)((?:#[^)\s]*)?[)"])/g,
    (whole, open: string, to: string, close: string) => {
      const target = posix.normalize(posix.join(posix.dirname(file), to))
      if (programs.includes(target)) return `${open}${to}.md${close}`
      if (target.endsWith('.md') || !existsSync(join(root, target))) return whole
      mkdirSync(dirname(join(pages, target)), { recursive: true })
      cpSync(join(root, target), join(pages, target), { recursive: true })
      return whole
    },
  )
}
