import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'

/** Every `href` and `src` of a folder of HTML that leads to no file, or to no `id` of its page. */
export function deadLinks(folder: string): string[] {
  const files = globSync('**/*.html', { cwd: folder })
  const texts = new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
  const ids = new Map([...texts].map(([file, text]) => [file, new Set(text.match(/(?<=\s(?:id|name)=")[^"]*/g))]))
  return [...texts].flatMap(([file, text]) => {
    const links = new Set(
      [...text.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, to = '']) => to.replaceAll('&amp;', '&')),
    )
    return [...links].filter((to) => isDead(file, to)).map((to) => `${file}: ${to}`)
  })

  function isDead(file: string, to: string): boolean {
    if (/^[a-z]+:/i.test(to)) return !/^(https?|mailto|data):/i.test(to) || !URL.canParse(to)
    // An absolute path leads out of the folder.
    if (to.startsWith('/')) return true
    const [path = '', hash] = to.split('#')
    const target = path === '' ? file : posix.normalize(posix.join(posix.dirname(file), decodeURI(path)))
    if (!existsSync(join(folder, target)) || !statSync(join(folder, target)).isFile()) return true
    const anchors = ids.get(target)
    return hash !== undefined && hash !== '' && anchors !== undefined && !anchors.has(decodeURIComponent(hash))
  }
}
