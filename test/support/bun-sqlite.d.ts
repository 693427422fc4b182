/** As much of Bun's module as examples/receivers uses: all of Bun's types would replace those of Node. */
declare module 'bun:sqlite' {
  export class Database {
    constructor(file: string)
    exec(sql: string): unknown
    prepare(sql: string): {
      run(...values: (string | number | null)[]): unknown
      all(...values: (string | number | null)[]): unknown[]
    }
  }
}
