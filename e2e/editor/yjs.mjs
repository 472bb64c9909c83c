// Two Yjs clients and one Socket.IO client share one document: node yjs.mjs URL

import assert from 'node:assert/strict'
import WebSocket from 'ws'
import { WebsocketProvider } from 'y-websocket'
import * as Y from 'yjs'
import { asked, join, until } from './client.mjs'

const [url] = process.argv.slice(2)
const room = 'ein Raum/ö'

function follow(name) {
  const doc = new Y.Doc()
  const provider = new WebsocketProvider(`${url.replace('http', 'ws')}/yjs`, encodeURIComponent(room), doc, {
    WebSocketPolyfill: WebSocket, disableBc: true,
  })
  provider.awareness.setLocalStateField('user', { name, color: '#123456' })
  return { doc, provider, text: doc.getText('code'), names: () => [...provider.awareness.getStates().values()].map((s) => s.user?.name).sort() }
}
const agree = (...all) => until(() => new Set(all.map((one) => one())).size === 1, all.map((one) => one()).join(' = '))
const read = (client) => () => client.text.toString()

const ada = follow('ada')
const bob = follow('bob')
await until(() => ada.provider.synced && bob.provider.synced, 'both in sync')
ada.text.insert(0, 'hello 𝄞 world')
await agree(read(ada), read(bob))
assert.equal(bob.text.toString(), 'hello 𝄞 world')
await until(() => bob.names().join() === 'ada,bob', 'bob sees who is there')

// Both type at the same time, one at the start and one at the end.
for (let n = 0; n < 200; n++) {
  ada.text.insert(0, `a${n} `)
  bob.text.insert(bob.text.length, ` b${n}`)
  if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
}
await agree(read(ada), read(bob))
assert.ok(ada.text.toString().includes('a199 a198') && ada.text.toString().endsWith('b198 b199'))

// The Socket.IO client sees the same text, and its edits arrive as Yjs changes.
const eve = await join(url, room, 'eve')
const last = () => eve.seen.findLast(([event]) => event === 'code-change')?.[1].code
await agree(read(ada), last)
const changes = []
bob.text.observe((event) => changes.push(...event.delta))
assert.deepEqual(await asked(eve, 'code-change', { roomId: room, code: last().replace('hello', 'good bye') }), { ok: true })
await until(() => bob.text.toString().includes('good bye'), 'bob has it')
assert.ok(changes.length <= 8, 'the change is as small as it can be')
await agree(read(ada), read(bob))
bob.text.insert(0, 'typed ')
await until(() => last()?.startsWith('typed '), 'eve has it')
await agree(read(ada), read(bob), last)

// A client disconnects and is no longer seen. It returns with text that it typed offline, and all clients agree.
ada.provider.disconnect()
await until(() => bob.names().join() === 'bob', 'ada is not seen')
ada.text.insert(0, 'alone ')
bob.text.insert(bob.text.length, ' meanwhile')
ada.provider.connect()
await agree(read(ada), read(bob), last)
assert.match(ada.text.toString(), /alone .* meanwhile$/s)

for (const client of [ada, bob]) client.provider.destroy()
eve.disconnect()
console.log('yjs: all agree')
process.exit(0)
