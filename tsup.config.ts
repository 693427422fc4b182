import { defineConfig } from 'tsup'

const library = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  card: 'src/card/index.ts',
  emulator: 'src/emulator/index.ts',
}

export default defineConfig({
  entry: { ...library, cli: 'src/cli/main.ts' },
  format: ['esm'],
  platform: 'neutral',
  target: 'es2022',
  dts: { entry: library },
  external: [/^node:/],
  clean: true,
  splitting: true,
  treeshake: true,
})
