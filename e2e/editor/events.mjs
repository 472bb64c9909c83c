// Every event of the original, with the official client: node events.mjs URL [polling] [oldest]

import assert from 'node:assert/strict'
import { heard, join, open, until } from './client.mjs'

const [url, transport = 'websocket', version = 'newest'] = process.argv.slice(2)
const options = { transports: transport === 'upgrade' ? ['polling', 'websocket'] : [transport], version }
const room = `events-${transport}-${version}`
const names = (joined) => joined.clients.map((client) => client.username)
const count = (socket, event) => socket.seen.filter(([name]) => name === event).length

const ada = await join(url, room, 'ada', options)
assert.deepEqual(ada.joined, { clients: [{ socketId: ada.id, username: 'ada' }], username: 'ada', socketId: ada.id })

// All members are notified of a new member, in the order of joining. Each sends its text; the new member's own text is
// null.
const told = heard(ada, 'joined', (payload) => payload.username === 'bob')
const bob = await join(url, room, 'bob', options)
assert.deepEqual(names(await told), ['ada', 'bob'])
assert.deepEqual(names(bob.joined), ['ada', 'bob'])
const passed = heard(bob, 'code-change', (payload) => payload.code === 'from ada')
ada.emit('sync-code', { socketId: bob.id, code: 'from ada' })
assert.deepEqual(await passed, { code: 'from ada' })
const none = heard(bob, 'code-change', (payload) => payload.code === null)
bob.emit('sync-code', { socketId: bob.id, code: null })
assert.deepEqual(await none, { code: null })

// A text goes to the others but not to its writer.
const text = 'print("größer als 𝄞")\n\t\\ "'
const got = heard(bob, 'code-change', (payload) => payload.code === text)
ada.emit('code-change', { roomId: room, code: text })
assert.deepEqual(await got, { code: text })

// A caret goes to the others too, with its user's name.
const moved = heard(ada, 'cursor-change')
bob.emit('cursor-change', { roomId: room, cursor: { line: 3, ch: 0 }, username: 'bob' })
assert.deepEqual(await moved, { socketId: bob.id, cursor: { line: 3, ch: 0 }, username: 'bob' })
assert.equal(count(ada, 'code-change') + count(bob, 'cursor-change'), 0, 'a writer received its own message')

// A late user gets the text from the server too.
const eve = await join(url, room, 'eve', options)
await until(() => eve.seen.some(([event, payload]) => event === 'code-change' && payload.code === text), 'eve has the text')

// The name of a user who leaves is sent to the others.
const gone = heard(ada, 'disconnected', (payload) => payload.username === 'bob')
const id = bob.id
bob.disconnect()
assert.deepEqual(await gone, { socketId: id, username: 'bob' })

// Members of another room receive nothing.
const zoe = await join(url, `${room}-other`, 'zoe', options)
const heardByEve = heard(eve, 'code-change', (payload) => payload.code === 'last')
ada.emit('code-change', { roomId: room, code: 'last' })
await heardByEve
assert.equal(count(zoe, 'code-change'), 0)

// An unknown namespace is refused with the same error as in the original.
await assert.rejects(open(`${url}/nowhere`, options), /Invalid namespace/)

for (const socket of [ada, eve, zoe]) socket.disconnect()
console.log('events: all as the original')
process.exit(0)
