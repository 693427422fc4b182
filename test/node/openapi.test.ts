import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { GUIDE_FILE, guideText } from '../../scripts/openapi/guide.ts'
import { openApi } from '../../scripts/openapi.ts'
import { DESCRIPTION, sendBy } from './support/api-client.ts'
import { playApi } from './support/play-api.ts'

it('guides/shop-openapi.json and the guide’s table are what the routes say: if not, run `npm run openapi:update`', () => {
  expect(DESCRIPTION).toEqual(JSON.parse(JSON.stringify(openApi())))
  expect(readFileSync(GUIDE_FILE, 'utf8')).toBe(guideText())
}, 60_000)

it('a client made from it calls every operation, rightly and wrongly, and each response is as described', async () => {
  expect((await playApi(sendBy)).wrong.length).toBeGreaterThan(20)
})
