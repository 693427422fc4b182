import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { GUIDE_FILE, guideText } from '../../scripts/openapi/guide.ts'
import { sendBy } from './support/api-client.ts'
import { playApi } from './support/play-api.ts'

it('the guide’s table describes the routes as they are; `npm run openapi:update` writes it', () => {
  expect(readFileSync(GUIDE_FILE, 'utf8')).toBe(guideText())
})

it('a client made from the OpenAPI document calls every operation, rightly and wrongly, and each response is as described', async () => {
  expect((await playApi(sendBy)).wrong.length).toBeGreaterThan(20)
})
