/** The style of every page, light and dark, from 320 px on. Served as a file, so that no page needs an inline style. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f2f4f7; --paper: #fff; --ink: #1a1f26; --muted: #55606d; --line: #d3d9e0; --field: #8a94a0; --soft: #eef1f5;
  --accent: #0b57d0; --on-accent: #fff; --banner: #4a3300; --on-banner: #fff;
  --ok: #0a6436; --ok-soft: #def4e6; --bad: #a11b16; --bad-soft: #fde8e6;
  --wait: #744700; --wait-soft: #fff0d1; --idle: #47525e; --idle-soft: #e8ecf0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101318; --paper: #1a1f27; --ink: #e8ebef; --muted: #a7b1bd; --line: #38414d; --field: #77828f;
      --soft: #232a34;
    --accent: #8db7ff; --on-accent: #0a1a33; --banner: #4a3300; --on-banner: #ffe9bf;
    --ok: #86e0ab; --ok-soft: #12341f; --bad: #ffb1ab; --bad-soft: #43191a;
    --wait: #ffd58c; --wait-soft: #3d2c09; --idle: #bcc6d0; --idle-soft: #2b333e;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere; }
.banner { background: var(--banner); color: var(--on-banner); padding: .5rem 1rem; text-align: center; }
nav.site { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; max-width: 76rem; margin: 0 auto;
  padding: .5rem 1.5rem; }
nav.site a { padding: .35rem 0; text-decoration: none; font-weight: 600; }
nav.site a[aria-current] { color: var(--ink); border-bottom: 3px solid var(--accent); }
main { margin: 1.5rem auto; padding: 1.5rem; background: var(--paper); border-radius: .75rem;
  border: 1px solid var(--line); }
main.narrow { max-width: 36rem; } main.wide { max-width: 76rem; margin-top: .5rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; } p { margin: .5rem 0; }
a { color: var(--accent); text-underline-offset: .15em; }
/* Tall enough to be pressed, also where rows are close. */
td a { display: inline-block; padding-block: .2rem; }
label { display: block; font-weight: 600; margin-top: 1rem; }
input, select { width: 100%; font: inherit; padding: .55rem .65rem; border: 1px solid var(--field);
  border-radius: .4rem; background: var(--paper); color: inherit; }
input[type=checkbox], .actions input[type=checkbox] { width: auto; margin: 0 .25rem 0 0; }
input[aria-invalid] { border: 2px solid var(--bad); }
.row { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .75rem; align-items: end; }
.error { color: var(--bad); margin: .25rem 0 0; font-weight: 600; } .hint { color: var(--muted); }
.hint { margin: .25rem 0 0; }
button, .button { display: inline-block; font: inherit; font-weight: 600; padding: .65rem 1.1rem;
  border: 2px solid var(--accent); border-radius: .45rem; background: var(--accent); color: var(--on-accent);
  cursor: pointer; text-decoration: none; text-align: center; overflow-wrap: normal; }
button.quiet, .button.quiet { background: transparent; color: var(--accent); }
button.small, .button.small { padding: .25rem .65rem; border-width: 1px; }
button.danger { background: var(--bad-soft); border-color: var(--bad); color: var(--bad); }
form.pay > button { width: 100%; margin-top: 1.25rem; font-size: 1.1rem; }
:focus-visible { outline: 3px solid #b86e00; outline-offset: 2px; }
dl { display: grid; grid-template-columns: minmax(6rem, auto) 1fr; gap: .25rem 1rem; margin: .75rem 0; }
dt { color: var(--muted); } dd { margin: 0; min-width: 0; }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .9em; }
pre { white-space: pre-wrap; background: var(--soft); padding: .75rem; border-radius: .45rem; margin: .5rem 0; }
time, .number { white-space: nowrap; font-variant-numeric: tabular-nums; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 600; }
td.amount, th.amount { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
th, td { overflow-wrap: break-word; } tbody tr:hover { background: var(--soft); }
.badge { display: inline-flex; align-items: center; gap: .35em; padding: .05rem .55rem .05rem .4rem;
  border-radius: 1rem; font-weight: 600; white-space: nowrap; border: 1px solid currentColor; }
.badge svg { width: .95em; height: .95em; flex: none; } .ok { color: var(--ok); background: var(--ok-soft); }
.bad { color: var(--bad); background: var(--bad-soft); } .wait { color: var(--wait); background: var(--wait-soft); }
.idle { color: var(--idle); background: var(--idle-soft); }
.notice { border: 1px solid currentColor; border-left-width: 6px; border-radius: .45rem; padding: .6rem .9rem;
  margin: 1rem 0; }
.notice a { color: inherit; } .notice ul { margin: .35rem 0 0; padding-left: 1.2rem; }
.actions { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin: .75rem 0; }
.actions form { display: flex; gap: .4rem; align-items: end; margin: 0; flex-wrap: wrap; }
.actions label { margin: 0; font-size: .9em; } .actions input, .actions select { width: 9rem; padding: .25rem .5rem; }
.actions select { width: auto; max-width: 100%; } .actions .wide-field { width: 15rem; max-width: 100%; }
.actions button { padding: .3rem .8rem; border-width: 1px; } details { margin: .5rem 0; }
summary { cursor: pointer; padding: .25rem 0; font-weight: 600; }
summary .says { font-weight: 400; color: var(--muted); margin-left: .5rem; }
details.confirm[open] { border: 1px solid var(--bad); border-radius: .45rem; padding: .25rem .9rem .8rem; }
.actions details { margin: 0; }
.story { list-style: none; margin: .5rem 0; padding: 0 0 0 1.6rem; position: relative; }
.story::before { content: ""; position: absolute; left: .5rem; top: .6rem; bottom: .6rem; width: 2px;
  background: var(--line); }
.story li { position: relative; padding: .3rem 0; }
.story .mark { position: absolute; left: -1.6rem; top: .45rem; width: 1.1rem; height: 1.1rem; border-radius: 50%;
  display: grid; place-items: center; border: 1px solid currentColor; }
.story .mark svg { width: .7rem; height: .7rem; } .story time { color: var(--muted); margin-right: .5rem; }
.story .kind { display: inline-block; min-width: 5rem; color: var(--muted); }
.cards { list-style: none; margin: .25rem 0; padding: 0; }
.cards li { display: grid; grid-template-columns: 11.5rem 1fr auto; gap: .1rem .75rem; align-items: center;
  padding: .4rem 0; border-bottom: 1px solid var(--line); }
.bank { border-top: 6px solid var(--accent); }
.bank .name { font-weight: 700; letter-spacing: .02em; color: var(--muted); margin: 0 0 1rem; }
.choice { display: grid; gap: .25rem; margin: 1rem 0 0; } .choice button { width: 100%; }
.pager { display: flex; gap: 1rem; align-items: center; flex-wrap: wrap; margin: .75rem 0; }
.frame { display: flex; flex-wrap: wrap; gap: .35rem .5rem; align-items: center; max-width: 76rem; margin: 0 auto;
  padding: 0 1.5rem .25rem; }
.frame form { margin: 0; } .frame button { font-size: .875rem; padding: .15rem .5rem; }
.frame .clock { margin-right: .5rem; }
.frame .counts { display: flex; flex-wrap: wrap; gap: .35rem; margin-left: auto; }
.frame .badge { text-decoration: none; } .amounts { display: flex; flex-wrap: wrap; gap: .5rem 2rem; }
.amounts dd { font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap; }
main time[data-age]::after { content: " · " attr(data-age); color: var(--muted); }
.copier, button.copier { margin: .25rem 0; padding: .1rem .5rem; border-width: 1px; background: transparent;
  color: var(--accent); font-size: .85rem; }
code.copy + .copier { margin: 0 0 0 .5rem; } .story .gap { color: var(--muted); font-style: italic; }
ol pre { max-height: 14rem; overflow: auto; }
@media (min-width: 44.01rem) {
  table.list td, table.list th { white-space: nowrap; }
  .orders td:nth-child(1), .requests td:nth-child(-n+3), .webhooks td:nth-child(n+3):nth-child(-n+4),
    .own-webhooks td:nth-child(3) { max-width: 0; overflow: hidden; text-overflow: ellipsis; }
  .requests td:nth-child(3) { width: 20%; } .requests td:nth-child(-n+2) { width: 40%; }
  .orders td:nth-child(1), .webhooks td:nth-child(n+3):nth-child(-n+4) { width: 30%; }
    .own-webhooks td:nth-child(3) { width: 100%; }
}
@media (min-width: 44.01rem) and (max-width: 62rem) {
  main.wide { padding: 1rem; } table.list th, table.list td { padding-right: .5rem; }
  table.list td.method, table.list td:nth-child(2), .orders td:nth-child(5) { white-space: normal; }
  .orders td:nth-child(1) { max-width: none; white-space: normal; overflow-wrap: anywhere; }
  main table.list time[data-age]::after { content: attr(data-age); display: block; }
}
@media (max-width: 44rem) {
  main, main.wide { margin: 0 auto; border-radius: 0; border-width: 1px 0; padding: 1rem; }
  nav.site { padding: .25rem 1rem; }
  .cards li { grid-template-columns: 1fr auto; }
  .cards li .says { grid-area: 2 / 1; } .cards li button { grid-area: 1 / 2 / 3 / 2; }
  .story .kind { min-width: 0; margin-right: .4rem; }
  .actions > details { width: 100%; }
  dl { grid-template-columns: 1fr; gap: 0 1rem; } dt { margin-top: .4rem; }
  table.list thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table.list, table.list tbody { display: block; }
  table.list tr { display: grid; grid-template-columns: minmax(0, 1fr) fit-content(60%); gap: 0 .75rem;
    padding: .35rem 0; border-bottom: 1px solid var(--line); }
  table.list td { min-width: 0; border: 0; padding: .1rem 0; overflow: hidden; text-overflow: ellipsis;
    white-space: nowrap; }
  .orders td:nth-child(3), .orders td:nth-child(6), .requests td:nth-child(4), .webhooks td:nth-child(4),
    .own-webhooks td:nth-child(3) { display: none; }
  .orders td:nth-child(4) { grid-area: 1 / 2; } .requests td:nth-child(1) { grid-column: 1 / 3; }
}
`
