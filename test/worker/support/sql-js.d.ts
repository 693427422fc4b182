declare module 'sql.js/dist/sql-asm-memory-growth.js' {
  interface Statement {
    bind(values: readonly (string | number | null)[]): boolean
    step(): boolean
    getAsObject(): Record<string, unknown>
    reset(): void
  }
  interface Database {
    prepare(query: string): Statement
    getRowsModified(): number
  }
  export default function initialise(): Promise<{ Database: new () => Database }>
}
