import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, type RunnerTestCase, type RunnerTestSuite, vi } from 'vitest'
import { writeProject } from '../../src/cli/commands/write-project.ts'
import { Document } from './support/document.ts'
import { temporaryFolder } from './support/fixtures.ts'
import { complaintsOf, optionsFor, programOf, SOURCE_PATHS } from './support/program.ts'
import { root } from './support/runtimes.ts'
import { blocks, examples, type Snippet, sources } from './support/snippets.ts'

const FOLDERS = ['.', 'guides', 'examples', 'worker', 'bench']
const MARKDOWN = FOLDERS.flatMap((folder) => readdirSync(join(root, folder)).map((file) => join(folder, file))).filter(
  (file) => file.endsWith('.md') || file === 'llms.txt',
)
// `js` and `typescript` need a framework: test/frameworks runs those of guides/receivers.md in what it builds.
const LANGUAGES = new Set('js typescript ts sh text toml html json http php python dockerfile yaml mermaid'.split(' '))

/** The compiler's messages on the snippets, each compiled as a file beside its document in the strictest setting. */
function compile(snippets: readonly Snippet[]): string[] {
  const options = {
    ...optionsFor('bundler', ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts']),
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    paths: SOURCE_PATHS,
  }
  // A block that begins with its file's name can be imported by the others.
  const nameOf = (code: string, index: number) => /^\/\/ (\w+\.ts)\n/.exec(code)?.[1] ?? `snippet-${index}.ts`
  const files = new Map(
    snippets.map(({ where, code }, index) => [join(root, dirname(where), nameOf(code, index)), `${code}\nexport {}\n`]),
  )
  // Bun's own types would replace those of Node.
  const bun = join(root, 'test/support/bun-sqlite.d.ts')
  const program = programOf(new Map([...files, [bun, readFileSync(bun, 'utf8')]]), options)
  return [...files.keys()].flatMap((name, index) =>
    complaintsOf(program, name).map((complaint) => `${snippets[index]?.where}: ${complaint}`),
  )
}

/** Programs that another test runs, because it needs what is not here: a framework, a runner of tests, a judge. */
const ELSEWHERE: Record<string, string> = {
  'guides/prove.md': 'test/node/prove.test.ts',
  'guides/testing.md': 'test/node/testing-kit.test.ts',
}

const testsIn = (suite: RunnerTestSuite): RunnerTestCase[] =>
  suite.tasks.flatMap((task) => (task.type === 'suite' ? testsIn(task) : [task]))

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

// The harness of every document. A program of guides/till.md is run by documents/till.ts, and so on: ask for it with
// `Document.of(file).program(title)`. Stubs and spies end with each test.
const RUN = join(root, 'test/node/documents')
for (const file of readdirSync(RUN)) {
  const { default: tests } = (await import(join(RUN, file))) as { default: () => void }
  describe(file, tests)
}

describe('documents', () => {
  it.each<[what: string, snippets: Snippet[]]>([
    ['TypeScript block of a Markdown file', MARKDOWN.flatMap((file) => blocks(file, 'ts'))],
    ['@example of a docstring', sources('src').flatMap(examples)],
  ])('every %s compiles', { timeout: 60_000 }, (_, snippets) => {
    expect(snippets.length).toBeGreaterThan(10)
    expect(compile(snippets)).toEqual([])
  })

  it('no block hides from the tests behind an unknown language', () => {
    const languages = MARKDOWN.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/^```(\w*)[^\n]*\n[\s\S]*?^```$/gm)].map(
        ([, found]) => found ?? '',
      ),
    )
    expect(languages.filter((language) => !LANGUAGES.has(language))).toEqual([])
  })

  /** The relative links of a Markdown file, as paths of the checkout. */
  const linksOf = (file: string) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].map(
      ([link, path = '', anchor]) => ({ file, link, to: path ? join(dirname(file), path) : file, anchor }),
    )

  it('every link of every Markdown file leads to a file, a published one from a published one, and to a heading of it', () => {
    const anchors = (file: string) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^\w\s-]/g, '')
          .replaceAll(' ', '-'),
      )
    const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
    const isPublished = (path: string) => files.some((entry) => path === entry || path.startsWith(`${entry}/`))
    const links = MARKDOWN.flatMap(linksOf)
    expect(links.length).toBeGreaterThan(10)
    const broken = links.filter(
      ({ file, to, anchor }) =>
        !existsSync(join(root, to)) ||
        (isPublished(file) && !isPublished(to)) ||
        (anchor !== undefined && !anchors(to).includes(anchor)),
    )
    expect(broken.map(({ file, link }) => `${file}: ${link}`)).toEqual([])
  })

  it('every npm script that is named exists', async () => {
    const scriptsIn = (folder: string) =>
      (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: Record<string, string> }).scripts
    const project = temporaryFolder()
    await writeProject(project, 'shop')
    const [own, written] = [scriptsIn(root), scriptsIn(project)]
    const namedIn = (file: string) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\bnpm (?:run ([\w:]+)|(test)\b)/g)].map(
        ([, script = 'test']) => script,
      )
    expect(MARKDOWN.flatMap(namedIn)).toEqual(expect.arrayContaining(['demo', 'test', 'deploy']))
    for (const file of MARKDOWN) {
      // These are about the project that `edgetill init` writes.
      const isProject = ['worker/README.md', 'guides/upgrading.md', 'guides/own-code.md'].includes(file)
      const known = isProject ? written : own
      expect([file, namedIn(file).filter((name) => !Object.hasOwn(known, name))]).toEqual([file, []])
    }
  })

  it('the compiler here does find what is wrong', () => {
    const wrong = { where: 'here', code: "import { verifyWebhook } from 'edgetill/webhooks'\nverifyWebhook(1)\n" }
    expect(compile([wrong])).toHaveLength(1)
    expect(compile([{ where: 'here', code: "import { nothing } from 'edgetill'" }])).toHaveLength(1)
  })

  it('every program of every document is run, here or where ELSEWHERE says', ({ task, skip }) => {
    // Only a whole run can tell: with `-t NAME` or in another order some programs have not been asked for yet.
    if (testsIn(task.file).some((one) => one !== task && one.result?.state !== 'pass'))
      skip('not every test has passed')
    const elsewhere = Object.entries(ELSEWHERE)
    expect(elsewhere.filter(([file, test]) => !readFileSync(join(root, test), 'utf8').includes(file))).toEqual([])
    const here = MARKDOWN.filter((file) => !Object.hasOwn(ELSEWHERE, file))
    expect(here.flatMap((file) => Document.of(file).untested())).toEqual([])
  })
})
