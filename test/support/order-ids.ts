/** Order ids that are legal and awkward, and how each must stand in a path. */
export const AWKWARD_ORDER_IDS: readonly [id: string, encoded: string][] = [
  ['A-1', 'A-1'],
  ['a/b', 'a%2Fb'],
  ['a?b=c', 'a%3Fb%3Dc'],
  ['a#b', 'a%23b'],
  ['100%', '100%25'],
  ['%2F', '%252F'],
  ['a b+c', 'a%20b%2Bc'],
  ['a\\b', 'a%5Cb'],
  ["o'clock", 'o%27clock'],
  ['№7 чашка', '%E2%84%967%20%D1%87%D0%B0%D1%88%D0%BA%D0%B0'],
  ['🍵', '%F0%9F%8D%B5'],
  ['...', '...'],
  ['.a', '.a'],
  ['a/../b', 'a%2F..%2Fb'],
  [';,:@&=$', '%3B%2C%3A%40%26%3D%24'],
  ['\n\t\u0000', '%0A%09%00'],
]

/** Order ids that would change the path, in whatever encoding. */
export const PATH_CHANGING: readonly string[] = [
  '',
  '.',
  '..',
  '%2e',
  '%2E%2E',
  '.%2e',
  '%2e.',
  '%252e',
  '%252E%252e',
  '\ud800',
  'a\udfff',
]
