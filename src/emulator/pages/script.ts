/**
 * The one script: it swaps the changed parts of the page, keeps typed text, the focus and unfolded parts, shows ages
 * and adds buttons that copy. Every page is whole without it. At most 3 kB.
 */
export const SCRIPT = `'use strict'
const all = (query) => [...document.querySelectorAll(query)]
const at = (time) => Date.parse(time.dateTime.slice(0, 23) + 'Z')
let loaded = Date.now()
function ages() {
  const now = at(all('#now time')[0]) + (all('#now[data-moves]')[0] ? Date.now() - loaded : 0)
  for (const time of all('main time')) {
    const s = (now - at(time)) / 1000
    const [n, unit] = s < 60 ? [s, 's'] : s < 3600 ? [s / 60, 'min'] : s < 86400 ? [s / 3600, 'h'] : [s / 86400, 'd']
    if (s < 0) delete time.dataset.age
    else time.dataset.age = Math.floor(n) + ' ' + unit
  }
}
const isCopier = (node) => node?.className === 'copier'
function copiers() {
  for (const node of all('.copy')) {
    if (isCopier(node.nextSibling)) continue
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copier'
    button.textContent = 'Copy'
    button.onclick = async () => {
      getSelection().selectAllChildren(node)
      try { await navigator.clipboard.writeText(node.textContent) } catch { document.execCommand('copy') }
      button.textContent = 'Copied'
    }
    node.after(button)
  }
}
const keyOf = (node) => node.id || node.dataset?.key
function swap(old, fresh) {
  if (old.isEqualNode(fresh)) return
  if (old.nodeType !== 1) { old.nodeValue = fresh.nodeValue; return }
  const isEdited = old === document.activeElement || old.value !== (old.defaultValue ?? old.value)
  if (isEdited && /^(INPUT|SELECT|TEXTAREA)$/.test(old.nodeName)) return
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && name !== 'open') old.removeAttribute(name)
  const known = new Map([...old.children].filter(keyOf).map((node) => [keyOf(node), node]))
  let place = old.firstChild
  for (const node of [...fresh.childNodes]) {
    while (isCopier(place)) place = place.nextSibling
    const key = keyOf(node)
    const same = key ? known.get(key) : place && !keyOf(place) && place.nodeName === node.nodeName && place
    if (!same) { old.insertBefore(node, place); continue }
    if (same === place) place = place.nextSibling
    else old.insertBefore(same, place)
    swap(same, node)
  }
  while (place) { const next = place.nextSibling; place.remove(); place = next }
}
let due
async function refresh() {
  due = 0
  const response = await fetch(location.href)
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
  loaded = Date.now()
  for (const part of ['.frame', 'main']) swap(all(part)[0], fresh.querySelector(part))
  ages()
  copiers()
}
ages()
copiers()
setInterval(ages, 1000)
const events = new EventSource('/_emulator/api/events')
for (const type of ['request', 'state', 'webhook', 'note', 'fault', 'reset'])
  events.addEventListener(type, () => { due ||= setTimeout(refresh, 250) })
`
