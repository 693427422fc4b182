import { COLOURS } from '../pages/layout.ts'

/** `/console/style.css`: a phone first, then a desk; light and dark, forced colours, paper. */
export const STYLE: string = `
${COLOURS}
:root { --test: #6b2fa0; --warn: var(--bad) }
@media screen and (prefers-color-scheme: dark) { :root { --test: #d9b8ff } }
* { box-sizing: border-box }
body { background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; margin: 0; overflow-wrap:
  anywhere }
.skip { background: var(--paper); left: .5rem; padding: .5rem; position: absolute; top: -5rem }
.skip:focus { top: .5rem; z-index: 1 }
.banner { background: var(--test); color: var(--paper); font-size: .75rem; font-weight: 600; line-height: 1.375rem;
  padding: 0 .5rem; text-align: center }
nav { background: var(--paper); border-bottom: 1px solid var(--line) }
nav ul { display: flex; list-style: none; margin: 0; overflow-x: auto; padding: 0 .25rem; scrollbar-width: none }
nav a { border-bottom: 3px solid transparent; color: var(--quiet); display: block; font-size: .875rem; font-weight: 500;
  min-height: 44px; padding: .75rem .5rem .375rem; text-decoration: none; white-space: nowrap }
nav a[aria-current] { border-color: var(--link); color: var(--ink) } nav .wide { display: none }
@media (max-width: 40rem) { nav ul { justify-content: space-between; padding: 0 }
  nav a { font-size: .8125rem; padding: .75rem .3125rem .375rem } }
.count { background: var(--warn); border-radius: 1rem; color: var(--paper); font-size: .75rem; padding: 0 .375rem }
main { margin: 0 auto; max-width: 64rem; padding: .25rem .75rem 1rem }
footer { align-items: center; color: var(--quiet); display: flex; flex-wrap: wrap; font-size: .875rem; gap: .25rem 1rem;
  margin: 0 auto; max-width: 64rem; padding: .5rem .75rem 1.5rem }
footer a { display: inline-block; padding: .25rem 0 }
h1 { color: var(--quiet); font-size: .9375rem; font-weight: 500; line-height: 1.25rem; margin: 0 .25rem .25rem }
h2 { font-size: 1rem; margin: 1.25rem 0 .5rem } h1 + h2 { margin-top: .5rem }
h3 { font-size: .9375rem; margin: 1rem 0 .25rem } p { margin: .5rem 0 } a { color: var(--link) }
main a { display: inline-block; padding: .125rem 0 } bdi { unicode-bidi: isolate }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: .75rem; margin: 0 0 .75rem; padding:
  1rem }
.card > :first-child { margin-top: 0 }
.sum { font-size: 2rem; font-variant-numeric: tabular-nums; font-weight: 700; line-height: 1.2; margin: .25rem 0 }
.none { color: var(--quiet); font-size: 1.25rem } .quiet { color: var(--quiet); font-size: .9375rem }
.ok { color: var(--ok) } .bad { color: var(--bad) } .wait { color: var(--wait) } .note { color: var(--note) } .warn {
  color: var(--warn) }
.pill { background: color-mix(in srgb, currentColor 10%, var(--paper)); border: 1px solid; border-radius: 1rem; display:
  inline-block; font: 600 .8125rem/1.375rem system-ui, sans-serif; padding: 0 .5rem }
.box { border: 1px solid var(--line); border-radius: .5rem; margin: .75rem 0; padding: .625rem .75rem }
.box.bad { border-color: var(--bad) } .box.wait { border-color: var(--wait) }
.message { background: var(--paper); border: 1px solid var(--ok); border-radius: .5rem; color: var(--ok); padding: .5rem
  .75rem }
.tiles { display: flex; flex-wrap: wrap; gap: .5rem; list-style: none; margin: .375rem 0 .75rem; padding: 0 }
.tiles > li > * { border: 1px solid; border-radius: .5rem; display: block; font-size: .9375rem; font-weight: 600;
  min-height: 2.25rem; padding: .3125rem .75rem; text-decoration: none }
label { display: block; font-size: .9375rem; font-weight: 600; margin: 0 0 .25rem }
.field { margin: 0 0 .75rem; min-width: 0 } .field .quiet, .field .bad { font-size: .875rem; margin: .25rem 0 0 }
input, select, textarea { background: var(--paper); border: 1px solid var(--quiet); border-radius: .5rem; color:
  var(--ink); font: inherit; max-width: 100%; min-height: 2.75rem; padding: .5rem .625rem; width: 100% }
[aria-invalid] { border: 2px solid var(--bad) }
button, .go { background: none; border: 1px solid var(--line); border-radius: .5rem; color: var(--link); cursor:
  pointer; display: inline-block; font: 600 .9375rem/1.375rem system-ui, sans-serif; min-height: 2.5rem; padding: .5rem
  .875rem; text-align: center; text-decoration: none }
.main { background: var(--link); border-color: transparent; color: var(--on); font-size: 1rem; min-height: 2.75rem;
  padding: .625rem 1.25rem }
form > .main, .card > .main, main > .main { display: block; width: 100% } main > .main { margin-bottom: .5rem }
.danger { background: none; border-color: var(--bad); color: var(--bad) }
footer button { border: 0; min-height: 1.75rem; padding: .125rem .25rem; text-decoration: underline }
footer form { display: inline }
.money { align-items: start; display: grid; gap: 0 .5rem; grid-template-columns: minmax(0, 1fr) auto }
.money > .main, .money > button { margin-top: 1.6875rem; min-height: 2.75rem; width: auto }
.search .money > .field { display: contents } .search .money label, .search .money .quiet { grid-column: 1 / -1 }
.search .money > button { grid-column: 2; grid-row: 2; margin: 0 }
.search .money .quiet { font-size: .8125rem; margin: .25rem 0 0 } .search details { margin: 0 0 .25rem }
.pair { align-items: end; display: grid; gap: 0 .5rem; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr) }
.pair > .main { grid-column: 1 / -1; margin-bottom: .75rem }
.quiets { align-items: center; display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0 0 }
.acts > form + form, .acts > .main { margin-top: .25rem }
.filters { display: flex; gap: .25rem; list-style: none; margin: 0 0 .5rem; overflow-x: auto; padding: .125rem;
  scrollbar-width: none }
.filters a { border: 1px solid var(--line); border-radius: 1rem; color: var(--ink); display: block; font-size: .875rem;
  line-height: 1.375rem; min-height: 2.25rem; padding: .375rem .75rem; text-decoration: none; white-space: nowrap }
.filters a[aria-current] { background: var(--ink); border-color: var(--ink); color: var(--paper) }
ol.story, ul.rows, ol.steps { list-style: none; margin: 0; padding: 0 } ul.rows.card { padding: .25rem 1rem }
ul.rows li { border-top: 1px solid var(--line); min-height: 44px; padding: .5rem 0; position: relative }
ul.rows .pill.ok { background: none; border: 0; color: var(--quiet); padding: 0 }
ul.rows + h2, h2.day { font-size: .9375rem; margin: .75rem .25rem .25rem } ul.rows li:first-child { border: 0 }
ul.rows.card a { color: inherit; font-weight: 600; text-decoration: none }
ul.rows.card li a::after { content: ""; inset: 0; position: absolute }
ul.rows.card li:hover { background: color-mix(in srgb, var(--ground) 60%, var(--paper)) }
.row { display: flex; gap: 1rem; justify-content: space-between } .row > :first-child { min-width: 0 }
.row > :last-child { font-variant-numeric: tabular-nums; font-weight: 600; text-align: end; white-space: nowrap }
.row.quiet > :last-child { font-weight: 400 } .off { color: var(--quiet); font-weight: 400 !important }
ul.rows .row { display: grid; gap: .125rem 1rem; grid-template-columns: minmax(0, 1fr) auto }
ul.rows .row > :first-child { display: contents } ul.rows .row > :last-child { grid-column: 2; grid-row: 1 }
ul.rows .row .quiet { font-size: .875rem; grid-column: 1 / -1; grid-row: 2 }
ol.story li { border-inline-start: 2px solid var(--line); margin-inline-start: .375rem; padding: 0 0 .75rem 1rem;
  position: relative }
ol.story li::before { background: currentColor; border: 2px solid var(--paper); border-radius: 50%; content: ""; height:
  .875rem; inset-inline-start: -.5rem; position: absolute; top: .3125rem; width: .875rem }
ol.story li > * { color: var(--ink) } ol.story li > .quiet { color: var(--quiet) }
ol.steps { color: var(--quiet); display: flex; flex-wrap: wrap; gap: .25rem .5rem }
ol.steps li + li::before { content: "→ " }
dl { display: grid; gap: .375rem 1rem; grid-template-columns: minmax(4rem, 1fr) fit-content(70%); margin: .75rem 0 }
dt { color: var(--quiet) } dd { font-variant-numeric: tabular-nums; margin: 0; min-width: 0; text-align: end }
dl a { display: inline-block; min-height: 24px } table { border-collapse: collapse; width: 100% }
th, td { border-top: 1px solid var(--line); padding: .375rem .25rem; text-align: start }
table.sums { font-size: .8125rem; overflow-wrap: normal } table .bar { margin: .25rem 0 !important }
.sums td { white-space: nowrap } .sums th, .sums td { padding-inline: .125rem }
.sums [scope=row] { min-width: 4.5rem; overflow-wrap: anywhere }
td.n, th.n { font-variant-numeric: tabular-nums; text-align: end }
svg.qr { background: #fff; border-radius: .5rem; display: block; height: auto; margin: 1rem auto 0; max-width: 15rem;
  width: 100% }
svg.bar { border-radius: .25rem; display: block; height: .625rem; margin: .75rem 0; width: 100% }
svg.chart { display: block; height: auto; width: 100% } svg line { stroke: var(--quiet) }
svg .authorized { fill: var(--line) } svg .captured { fill: var(--ok) } svg .refunded { fill: var(--bad) } svg .voided {
  fill: var(--quiet) }
pre { font-size: .8125rem; overflow: auto; white-space: pre-wrap }
details { margin: .5rem 0 } summary { cursor: pointer; min-height: 2rem; padding: .25rem 0 } .print { display: none }
:focus-visible { outline: 3px solid #b86e00; outline-offset: 2px }
@media (min-width: 40rem) { .narrow { max-width: 32rem } .search { max-width: 40rem }
  .pair:has(> .main) { grid-template-columns: 1fr 1fr auto } .pair > .main { grid-column: auto; width: auto }
  .card > .main, main > .main { display: inline-block; width: auto } }
@media (min-width: 64rem) {
  body { display: grid; grid-template: auto auto 1fr / 13rem minmax(0, 1fr); min-height: 100vh }
  .banner { grid-column: 1 / -1; grid-row: 1 }
  nav { border: 0; border-inline-end: 1px solid var(--line); grid-row: 2 / span 2; padding: 1rem .5rem }
  nav ul { display: block } nav .wide { display: block } nav .narrow { display: none }
  nav a { border: 0; border-inline-start: 3px solid transparent; font-size: .9375rem;
  padding: .625rem .75rem }
  main, footer { grid-column: 2; margin: 0; padding-inline: 2rem; width: 100% }
  main { grid-row: 2; padding-top: 1rem } h1 { margin-bottom: .5rem } footer { align-self: start; grid-row: 3 }
  .cols { align-items: start; display: grid; gap: 0 1rem; grid-template-columns: minmax(0, 1fr) 23rem }
  .cols > * { grid-column: 1 } .cols > .side { grid-column: 2; grid-row: 1 / span 3 } }
@media (forced-colors: active) { nav a { border-color: Canvas } nav a[aria-current] { border-color: Highlight;
  font-weight: 700 }
  .count, .banner { border: 1px solid } .filters a[aria-current] { border-width: 3px }
  .main { border-color: currentColor } svg rect { forced-color-adjust: none } svg.bar { border: 1px solid } }
@media print { :root { color-scheme: light }
  nav, footer, .banner, .skip, form, details, button, .go, .quiets, .acts, .message,
  .filters { display: none !important }
  body, .cols { background: none; display: block } .card { border: 0; padding: 0 }
  .print { display: block; font-weight: 700 }
  .side:has(.qr) > :not(.qr):not(.address) { display: none } svg.qr { max-width: 10cm }
  .sheet, .print:has(~ .sheet) { text-align: center } .sheet .sum { font-size: 3rem }
  .print:has(~ .sheet) { font-size: 1.5rem }
  .screen, .sheet dl, .sheet .steps, h1:has(~ .sheet) { display: none } }
`

/** `/console/icon.png`: the same for the home screen of an iPhone, which draws no SVG. Base64. */
export const HOME_ICON: string = `
iVBORw0KGgoAAAANSUhEUgAAADwAAAA8AQMAAAAAMksxAAAABlBMVEULV9D///9jecVcAAAAcUlEQVR42tWQwQ0AERBFiYOjDlYpSqM0pShhjg5i
Vsb/NWzW6SUmzxvO/eM8hEKoDaAATwiKm0hIG5AXNdMGmqtiA93pMBheu01KuL48oUkLmrShiXo150UVNFzNqbqa08mswprMmsSaOAFBuF7//s9f
m7As5YcgUI0AAAAASUVORK5CYII=`
