// The mutants of a TypeScript file: one small change each, made in its syntax tree.

import ts from 'typescript'

export interface Mutant {
  /** `line:column` of the change, from 1. */
  position: string
  before: string
  after: string
  /** The whole source with the change. */
  source: string
  /** The lines that hold the change, as they are and as they become: they stay the same when other lines move. */
  line: string
  mutated: string
}

const OTHER_OPERATORS: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '==': ['!='],
  '!=': ['=='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '&&': ['||'],
  '||': ['&&'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&': ['|'],
  '|': ['&'],
  '^': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
  '>>>': ['<<'],
  '+=': ['-='],
  '-=': ['+='],
}

/** Escapes, classes and the beginnings of groups come first: they contain no quantifier. */
const PARTS_OF_A_PATTERN =
  /\\[pPu]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<[=!]?)|(?<quantifier>[*+?]\??|\{\d+,?\d*\}\??)/g

export function mutantsOf(path: string, text: string): Mutant[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found: Mutant[] = []

  const replace = (node: ts.Node, after: string) => replaceRange(node.getStart(tree), node.getEnd(), after)

  const replaceRange = (start: number, end: number, after: string) => {
    const { line, character } = tree.getLineAndCharacterOfPosition(start)
    const firstStart = text.lastIndexOf('\n', start - 1) + 1
    const lastEnd = text.indexOf('\n', end) === -1 ? text.length : text.indexOf('\n', end)
    found.push({
      position: `${line + 1}:${character + 1}`,
      before: onOneLine(text.slice(start, end)),
      after: onOneLine(after),
      source: text.slice(0, start) + after + text.slice(end),
      line: onOneLine(text.slice(firstStart, lastEnd)),
      mutated: onOneLine(text.slice(firstStart, start) + after + text.slice(end, lastEnd)),
    })
  }

  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    if (ts.isBinaryExpression(node)) mutateOperator(node)
    if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false')
    if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true')
    if (ts.isNumericLiteral(node)) mutateNumber(node)
    if (ts.isRegularExpressionLiteral(node)) loosen(node)
    if (ts.isArrayLiteralExpression(node)) shorten(node.elements)
    if (ts.isObjectLiteralExpression(node)) leaveOutEach(node.properties, (member) => !ts.isMethodDeclaration(member))
    // Code that does not wait goes on too early, and its failure is uncaught.
    if (ts.isAwaitExpression(node)) replace(node, node.expression.getText(tree))
    if (ts.isExpressionStatement(node) && isCall(node.expression)) replace(node, '{}')
    if (ts.isIfStatement(node)) {
      negate(node.expression)
      if (leaves(node.thenStatement) && node.elseStatement === undefined) replace(node, '{}')
    }
    if (ts.isConditionalExpression(node)) negate(node.condition)
    if (ts.isWhileStatement(node)) negate(node.expression)
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      replace(node, `!!${node.operand.getText(tree)}`)
    }
    ts.forEachChild(node, visit)
  }

  const mutateOperator = (node: ts.BinaryExpression) => {
    const operator = node.operatorToken.getText(tree)
    for (const other of OTHER_OPERATORS[operator] ?? []) replace(node.operatorToken, other)
    // Null and absent are two things then.
    if (/^[!=]=$/.test(operator) && node.right.kind === ts.SyntaxKind.NullKeyword) {
      replaceRange(node.operatorToken.getStart(tree), node.getEnd(), `${operator}= undefined`)
    }
    if (operator === '+' && isNumeric(node.left) && isNumeric(node.right)) replace(node.operatorToken, '-')
    // Without the parentheses a ?? b mixed with || would not parse.
    if (operator === '??') replace(node, `(${node.left.getText(tree)})`)
  }

  const mutateNumber = (node: ts.NumericLiteral) => {
    const value = Number(node.text)
    replace(node, String(value + 1))
    if (value > 0) replace(node, String(value - 1))
  }

  // Each entry of a list of texts or numbers, or of lists, is left out once.
  const shorten = (entries: ts.NodeArray<ts.Expression>) => {
    const isConstant = (entry: ts.Node) => ts.isStringLiteralLike(entry) || ts.isNumericLiteral(entry)
    if (entries.every(isConstant) || entries.every(ts.isArrayLiteralExpression)) leaveOutEach(entries)
  }

  const leaveOutEach = (entries: readonly ts.Node[] & ts.TextRange, isMeant = (_: ts.Node) => true) => {
    for (const [index, entry] of entries.entries()) {
      // With the comma behind it.
      if (isMeant(entry)) replaceRange(entry.getStart(tree), entries[index + 1]?.getStart(tree) ?? entries.end, '')
    }
  }

  // Without a quantifier a part of a pattern stands once.
  const loosen = (node: ts.RegularExpressionLiteral) => {
    for (const { index, groups } of node.text.matchAll(PARTS_OF_A_PATTERN)) {
      const start = node.getStart(tree) + index
      if (groups?.quantifier) replaceRange(start, start + groups.quantifier.length, '')
    }
  }

  // The operator of an equality, and a `!`, have this mutant already.
  const negate = (condition: ts.Expression) => {
    const isEquality = ts.isBinaryExpression(condition) && /^[!=]==?$/.test(condition.operatorToken.getText(tree))
    if (!isEquality && !ts.isPrefixUnaryExpression(condition)) replace(condition, `!(${condition.getText(tree)})`)
  }

  visit(tree)
  return found
}

/** Whether a statement only leaves: `throw`, `return`, `continue` or `break`, by itself or at a block's end. */
function leaves(statement: ts.Statement): boolean {
  if (ts.isBlock(statement)) return statement.statements.length > 0 && statement.statements.every(isLast)
  return isLast(statement)
  function isLast(one: ts.Statement): boolean {
    return (
      ts.isThrowStatement(one) || ts.isReturnStatement(one) || ts.isContinueStatement(one) || ts.isBreakStatement(one)
    )
  }
}

/** Whether an expression is a call, awaited or not, whose result is unused. A constructor needs its `super`. */
function isCall(node: ts.Expression): boolean {
  if (ts.isAwaitExpression(node) || ts.isVoidExpression(node)) return isCall(node.expression)
  return ts.isCallExpression(node) && node.expression.kind !== ts.SyntaxKind.SuperKeyword
}

/** Whether `+` adds here, by its syntax: neither side may be a text. */
function isNumeric(node: ts.Expression): boolean {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return false
  if (ts.isBinaryExpression(node)) return isNumeric(node.left) && isNumeric(node.right)
  if (ts.isParenthesizedExpression(node)) return isNumeric(node.expression)
  return !ts.isConditionalExpression(node)
}

/** Counts the turns of each loop, so that a mutant that never ends throws instead. */
export function withLoopLimit(path: string, source: string, limit: number): string {
  const tree = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
  const bodies: ts.Statement[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isIterationStatement(node, false)) bodies.push(node.statement)
    ts.forEachChild(node, visit)
  }
  visit(tree)
  if (bodies.length === 0) return source
  const inserts = bodies.flatMap((body) => [
    { at: body.getStart(tree), text: '{ countTurn(); ' },
    { at: body.getEnd(), text: ' }' },
  ])
  let limited = source
  // From the end, so that the earlier positions stay right; of two at one place the inner one stands first.
  for (const { at, text } of inserts.sort((a, b) => b.at - a.at)) {
    limited = limited.slice(0, at) + text + limited.slice(at)
  }
  return `${limited}
let turns = 0
function countTurn(): void {
  turns += 1
  if (turns > ${limit}) throw new Error('The mutant does not end.')
}
`
}

const onOneLine = (text: string) => text.trim().replace(/\s+/g, ' ')
