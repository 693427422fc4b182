/** `/console/style.css`: a phone first, light and dark. Test mode has a striped frame and a banner. */
export const STYLE = `
:root { color-scheme: light dark; --ground: #f2f4f7; --paper: #fff; --ink: #1b1b1f; --line: #d5d9e0; --quiet: #55606d; --link: #0b57d0; --on: #fff; --ok: #0a6436; --bad: #a11b16; --wait: #744700; --test: #6b2fa0 }
@media (prefers-color-scheme: dark) { :root { --ground: #101318; --paper: #1a1f27; --ink: #ececf1; --line: #38414d; --quiet: #a7b1bd; --link: #a8c7fa; --on: #0a1a33; --ok: #86e0ab; --bad: #ffb1ab; --wait: #ffd58c; --test: #d9b8ff } }
* { box-sizing: border-box }
body { background: var(--ground); color: var(--ink); font: 1.0625rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 46rem; overflow-wrap: anywhere; padding: .75rem }
body.test { border-top: 6px solid var(--test) }
.banner { background: var(--test); border-radius: .5rem; color: var(--paper); font-weight: 600; margin: 0 0 .75rem; padding: .375rem .75rem; text-align: center }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem .375rem; list-style: none; margin: 0 0 .75rem; padding: 0 }
nav a { border: 1px solid var(--line); border-radius: 1rem; display: inline-block; min-height: 2.5rem; padding: .375rem .75rem; text-decoration: none }
nav a[aria-current] { background: var(--link); color: var(--on) }
main { background: var(--paper); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem }
main + footer { color: var(--quiet); font-size: .9375rem; padding: .75rem 0 }
footer form { display: inline; margin: 0 .25rem }
h1 { font-size: 1.375rem; line-height: 1.25; margin: 0 0 .75rem }
h2 { font-size: 1.125rem; margin: 1.5rem 0 .5rem }
p { margin: .5rem 0 }
a { color: var(--link) }
bdi { unicode-bidi: isolate }
.sum { font-size: 2rem; font-weight: 700; line-height: 1.2 }
.quiet { color: var(--quiet) }
.ok { color: var(--ok) } .bad { color: var(--bad) } .wait { color: var(--wait) }
.box { border: 1px solid var(--line); border-radius: .5rem; margin: .75rem 0; padding: .75rem }
.box.bad { border-color: var(--bad) } .box.wait { border-color: var(--wait) }
label { display: block; font-weight: 600; margin: .75rem 0 .25rem }
input, select, textarea { background: var(--paper); border: 1px solid var(--quiet); border-radius: .5rem; color: var(--ink); font: inherit; max-width: 100%; padding: .625rem; width: 100% }
button, .go { background: var(--link); border: 0; border-radius: .5rem; color: var(--on); cursor: pointer; display: block; font: inherit; font-weight: 600; margin: .75rem 0 0; min-height: 2.75rem; padding: .625rem 1rem; text-align: center; text-decoration: none; width: 100% }
button.plain { background: none; border: 1px solid var(--line); color: var(--link) }
footer button.plain { border: 0; display: inline; margin: 0; padding: 0 .25rem; text-decoration: underline; width: auto }
.acts { display: grid; gap: .5rem; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)) }
ol.story, ul.rows { list-style: none; margin: 0; padding: 0 }
ol.story li, ul.rows li { border-top: 1px solid var(--line); padding: .625rem 0 }
.row { display: flex; gap: 1rem; justify-content: space-between }
.row > :last-child { font-variant-numeric: tabular-nums; text-align: end; white-space: nowrap }
dl { display: grid; gap: .25rem 1rem; grid-template-columns: auto 1fr; margin: .75rem 0 }
dt { color: var(--quiet) } dd { margin: 0; overflow-wrap: break-word; text-align: end }
table { border-collapse: collapse; width: 100% }
th, td { border-top: 1px solid var(--line); padding: .375rem .25rem; text-align: start }
td.n, th.n { font-variant-numeric: tabular-nums; text-align: end }
svg.qr { background: #fff; border-radius: .5rem; display: block; height: auto; margin: 1rem auto; max-width: 15rem; width: 100% }
a.go[aria-current], p a[aria-current] { font-weight: 700 }
svg.bar { display: block; height: 1rem; width: 100% }
svg .authorized { fill: var(--line) } svg .captured { fill: var(--ok) } svg .refunded { fill: var(--bad) } svg .voided { fill: var(--quiet) }
pre { font-size: .875rem; overflow: auto; white-space: pre-wrap }
summary { cursor: pointer; padding: .375rem 0 }
:focus-visible { outline: 3px solid #b86e00; outline-offset: 2px }
@media print { nav, footer, .banner ~ nav, button, .go { display: none } body { background: none } main { border: 0 } }
`

const SIGN =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b57d0"/><path d="M4 8.5l2.7 2.7L12 5.8" fill="none" stroke="white" stroke-width="2"/></svg>'

/** `/console/icon.svg` */
export const ICON: string = SIGN
