export * from '../src/checkout-link/index.ts'
export * from '../src/index.ts'
export * from '../src/orders/index.ts'
