/**
 * The one script: it swaps what changed on the page when something happened, keeps what is typed, focused or unfolded, shows ages
 * and adds buttons that copy. Every page is whole without it. At most 3 kB.
 */
export const SCRIPT = `'use strict'
const $ = (query, root = document) => [...root.querySelectorAll(query)]
const skew = () => { const now = document.querySelector('#now time'); return now ? Date.parse(now.dateTime.slice(0, 23) + 'Z') - loaded : 0 }
let loaded = Date.now()
function ages() {
  const moves = document.querySelector('#now[data-moves]')
  const now = (moves ? Date.now() : loaded) + skew()
  for (const time of $('main time')) {
    const s = Math.floor((now - Date.parse(time.dateTime.slice(0, 23) + 'Z')) / 1000)
    const [n, unit] = s < 60 ? [s, 's'] : s < 3600 ? [s / 60, 'min'] : s < 86400 ? [s / 3600, 'h'] : [s / 86400, 'd']
    if (s >= 0) time.dataset.age = Math.floor(n) + ' ' + unit
    else delete time.dataset.age
  }
}
function copies() {
  for (const node of $('.copy')) {
    if (node.nextElementSibling?.className === 'quiet small copier') continue
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'quiet small copier'
    button.textContent = 'Copy'
    button.onclick = async () => {
      getSelection().selectAllChildren(node)
      try { await navigator.clipboard.writeText(node.textContent) } catch { document.execCommand('copy') }
      button.textContent = 'Copied'
      setTimeout(() => { button.textContent = 'Copy' }, 1500)
    }
    node.after(button)
  }
}
const busy = (node) => node.contains(document.activeElement) && node !== document.body && node.matches('input, select, button, a, summary')
const key = (node) => node.id || (node.dataset && node.dataset.key)
function swap(old, fresh) {
  if (old.isEqualNode(fresh)) return
  if (old.nodeName !== fresh.nodeName) return old.replaceWith(fresh)
  if (old.nodeType !== 1) { old.nodeValue = fresh.nodeValue; return }
  if (/^(INPUT|SELECT)$/.test(old.nodeName) && (busy(old) || old.value !== (old.defaultValue ?? old.value))) return
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== 'open') old.removeAttribute(name)
  const keyed = new Map([...old.children].filter(key).map((node) => [key(node), node]))
  let at = old.firstChild
  for (const node of [...fresh.childNodes]) {
    while (at && at.className === 'quiet small copier') at = at.nextSibling
    const known = key(node) && keyed.get(key(node))
    if (known && known !== at) old.insertBefore(known, at)
    const target = known || (at && !key(at) && at.nodeName === node.nodeName ? at : null)
    if (target) {
      at = target.nextSibling
      swap(target, node)
    } else old.insertBefore(node, at)
  }
  while (at) { const next = at.nextSibling; at.remove(); at = next }
}
let due
async function refresh() {
  due = undefined
  const response = await fetch(location.href)
  if (!response.ok) return
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
  loaded = Date.now()
  for (const part of ['.frame', 'main']) swap(document.querySelector(part), fresh.querySelector(part))
  ages()
  copies()
}
ages()
copies()
setInterval(ages, 1000)
const events = new EventSource('/_emulator/api/events')
for (const type of ['request', 'state', 'webhook', 'note', 'fault', 'reset']) events.addEventListener(type, () => { due ??= setTimeout(refresh, 250) })
`
