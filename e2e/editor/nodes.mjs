// One room on two nodes: node nodes.mjs URL OTHER_URL

import assert from 'node:assert/strict'
import WebSocket from 'ws'
import { WebsocketProvider } from 'y-websocket'
import * as Y from 'yjs'
import { asked, heard, join, until } from './client.mjs'

const [here, there] = process.argv.slice(2)
const room = 'on two nodes'
const names = (joined) => joined.clients.map((client) => client.username)

// All nodes have the same list of members, in the order of joining.
const ada = await join(here, room, 'ada')
const told = heard(ada, 'joined', (payload) => payload.username === 'bob')
const bob = await join(there, room, 'bob')
assert.deepEqual(names(bob.joined), ['ada', 'bob'])
assert.deepEqual(names(await told), ['ada', 'bob'])

// Texts, carets and the text for a new member are sent between nodes.
const got = heard(bob, 'code-change')
assert.deepEqual(await asked(ada, 'code-change', { roomId: room, code: 'one\ntwo\n' }), { ok: true })
assert.deepEqual(await got, { code: 'one\ntwo\n' })
const moved = heard(ada, 'cursor-change')
bob.emit('cursor-change', { roomId: room, cursor: { line: 1, ch: 2 }, username: 'bob' })
assert.deepEqual(await moved, { socketId: bob.id, cursor: { line: 1, ch: 2 }, username: 'bob' })
const passed = heard(bob, 'code-change', (payload) => payload.code === 'passed')
ada.emit('sync-code', { socketId: bob.id, code: 'passed' })
await passed
assert.equal(ada.seen.filter(([event]) => event === 'code-change').length, 0, 'a writer received its own message')

// Two Yjs clients on different nodes share one document, and each sees the other.
function follow(url, name) {
  const doc = new Y.Doc()
  const provider = new WebsocketProvider(`${url.replace('http', 'ws')}/yjs`, encodeURIComponent(room), doc, {
    WebSocketPolyfill: WebSocket, disableBc: true,
  })
  provider.awareness.setLocalStateField('user', { name })
  return { provider, text: doc.getText('code'), names: () => [...provider.awareness.getStates().values()].map((s) => s.user?.name).sort().join() }
}
const eve = follow(here, 'eve')
const zoe = follow(there, 'zoe')
await until(() => eve.names() === 'eve,zoe' && zoe.names() === 'eve,zoe', 'each sees the other')
await until(() => eve.text.toString() === 'one\ntwo\n' && zoe.text.toString() === 'one\ntwo\n', 'both have the text')
for (let n = 0; n < 50; n++) {
  eve.text.insert(0, `e${n} `)
  zoe.text.insert(zoe.text.length, `z${n} `)
  if (n % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
}
const last = (socket) => socket.seen.findLast(([event]) => event === 'code-change')?.[1].code
await until(() => eve.text.toString() === zoe.text.toString() && eve.text.toString().includes('z49') && zoe.text.toString().includes('e49'), 'both agree')
await until(() => last(ada) === eve.text.toString() && last(bob) === eve.text.toString(), 'members agree too')

// Two users on different nodes write whole texts at the same time: one text remains.
ada.emit('code-change', { roomId: room, code: `${last(ada)}ada` })
bob.emit('code-change', { roomId: room, code: `bob${last(bob)}` })
await until(() => eve.text.toString().includes('bob') && eve.text.toString() === zoe.text.toString(), 'nodes agree')
await new Promise((resolve) => setTimeout(resolve, 200))
await until(() => last(ada) === eve.text.toString() && last(bob) === eve.text.toString(), 'members agree again')

// A user who leaves on one node disappears from the other.
const gone = heard(ada, 'disconnected')
bob.disconnect()
assert.equal((await gone).username, 'bob')
zoe.provider.destroy()
await until(() => eve.names() === 'eve', 'zoe is not seen any more')

eve.provider.destroy()
ada.disconnect()
console.log('nodes: one room')
process.exit(0)
