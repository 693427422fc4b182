export * from '../src/index.ts'
export * from '../src/orders/index.ts'
