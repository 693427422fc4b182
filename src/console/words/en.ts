/** What the console says, in English. */
export const english = {
  lang: 'en' as string,
  locale: 'en-GB',
  currencies: { UAH: '₴' } as Record<string, string>,
  console: 'Console',
  testMode: 'Test mode: no real money moves',
  otherLanguage: 'Українською',
  menu: 'Menu',
  nav: {
    today: 'Today',
    newLink: 'New link',
    links: 'Links',
    search: 'Search',
    attention: 'Attention',
    day: 'Day',
    record: 'Record',
  },
  signedInAs: (name: string): string => `Signed in as ${name}`,
  signOut: 'Sign out',
  login: {
    title: 'Sign in',
    token: 'Admin token',
    hint: 'The secret ADMIN_TOKEN of this shop’s worker.',
    go: 'Sign in',
    wrong: 'This is not the admin token.',
    wait: (seconds: number): string => `Too many wrong tries. Try again in ${seconds} seconds.`,
  },
  unconfigured: {
    title: 'The console is not configured',
    body: 'Nobody can sign in yet. Either store a secret of at least 32 characters:',
    access: 'or put Cloudflare Access in front of this page, and pass its team and audience to createConsole:',
  },
  noAccess: {
    title: 'No access',
    body: 'Cloudflare Access did not confirm who you are. Open this page through the address that Access protects, and sign in there.',
  },
  forbidden: {
    title: 'You may not do this',
    body: 'Nothing was done. Ask whoever set up the shop to give you the right.',
  },
  oldForm: {
    title: 'This form is no longer valid',
    body: 'Nothing was done. You may have signed in again since it was opened, or it came from another site. Go back to its page and try again.',
  },
  notFound: { title: 'Nothing here', body: 'There is no such page.' },
  noOrder: { title: 'No such order', body: 'The shop does not know this order.' },
  failed: {
    title: 'This page cannot be shown now',
    body: 'Nothing was changed. The shop’s storage did not respond; try again in a minute.',
  },
  today: { title: 'Today', well: 'All is well.', attention: (n: string): string => `${n} need attention` },
}

/** All texts of the console in one language. */
export type Words = typeof english
