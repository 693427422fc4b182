import { createApp } from './app.ts'
import { onEvent } from './on-event.ts'

const app = createApp({ onEvent })

export default { fetch: app.fetch }
