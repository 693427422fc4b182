// Who gets in, and what a form of another page, session or site is worth.
import { describe, expect, it } from 'vitest'
import { ADMIN_TOKEN, ORIGIN, World } from '../worker/support/world.ts'
import { Browser, formTo, mount } from './support/browser.ts'

const signedIn = /Signed in as admin/

describe('the login', () => {
  it('lets the bearer of ADMIN_TOKEN in, with a new session', async () => {
    const browser = new Browser(mount(new World()))
    const login = await browser.open('/console/orders/A-1')
    const planted = browser.cookies.get('__Host-edgetill')
    expect(login.text).not.toMatch(signedIn)
    const home = await browser.submit(formTo(login, '/console/login'), { password: ADMIN_TOKEN })
    expect([home.status, home.text]).toEqual([200, expect.stringMatching(signedIn)])
    expect(browser.cookies.get('__Host-edgetill')?.split('.')[1]).not.toBe(planted?.split('.')[1])
    const [cookie] = home.headers.getSetCookie()
    expect(cookie).toMatch(/^__Host-edgetill=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=1800; Secure$/)
    expect((await browser.submit(formTo(home, '/console/logout'))).text).not.toMatch(signedIn)
  })
})

it('has a policy without inline styles and scripts', async () => {
  const { headers, text } = await new Browser(mount(new World())).open('/console')
  expect(headers.get('content-security-policy')).not.toContain('unsafe')
  expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=/)
  expect(ORIGIN).toBeTruthy()
})
