import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { root } from '../tarball/support/pack.ts'
import { Project } from './project.ts'

// guides/commonjs.md, "Jest", for a test in TypeScript. test/tarball/commonjs.test.ts runs it for JavaScript.

const guide = readFileSync(join(root, 'guides/commonjs.md'), 'utf8')
const [babel = '', tsJest = ''] = [...guide.matchAll(/^\/\/ jest\.config\.cjs.*\n([\s\S]*?)^```/gm)].map(
  ([, code = '']) => code,
)
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const TEST = /^```ts\n(import \{ expect, test \} from 'vitest'\n[\s\S]*?)^```/m.exec(readme)?.[1] ?? ''

let project: Project | undefined
afterEach(() => project?.close())

it.each([
  [
    'Babel',
    babel.replace("[['@babel/preset-env', { targets: { node: 'current' } }]]", (all) =>
      all.replace(/\]$/, ", '@babel/preset-typescript']"),
    ),
  ],
  ['ts-jest', tsJest],
])('Jest with TypeScript runs the test of the README by %s', (_, config) => {
  project = new Project('jest', {
    'package.json': '{ "private": true }',
    'jest.config.cjs': config,
    'tsconfig.json':
      '{ "compilerOptions": { "module": "nodenext", "isolatedModules": true, "target": "es2022", "types": ["jest", "node"] } }',
    'checkout.test.ts': TEST.replace(/^import .*vitest'\n/, ''),
  })
  expect(project.run('jest/bin/jest.js', '--ci', '--no-cache', '--rootDir', '.')).toContain('1 passed')
})
