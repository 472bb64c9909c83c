// The behaviour of the original's front end, with the official client that it used: node frontend.mjs URL [original]
//
// With `original`, URL is a plain relay on the official server. It shows the behaviour that the front end relied on,
// which the editor must have too. The editor's additional behaviour is checked only without `original`.

import assert from 'node:assert/strict'
import { oldest, until } from './client.mjs'

const [url, original] = process.argv.slice(2)
const roomId = 'front end'

/** A page of the original in one room, with everything that its user sees. */
class Page {
  constructor(username) {
    this.username = username
    this.code = null
    this.people = []
    this.notes = []
    this.carets = new Map()
    this.refused = []
    this.socket = oldest(url, {
      'force new connection': true, reconnectionAttempt: 'Infinity', timeout: 10000, transports: ['websocket'],
    })
    this.socket.on('connect_error', () => this.notes.push('failed'))
    // Joins only once, before the connection is open. After a reconnection it does not join again.
    this.socket.emit('join', { roomId, username })
    this.socket.on('joined', ({ clients, username, socketId }) => {
      if (username !== this.username) this.notes.push(`${username} joined`)
      this.people = clients
      this.socket.emit('sync-code', { code: this.code, socketId })
    })
    this.socket.on('disconnected', ({ socketId, username }) => {
      this.notes.push(`${username} left`)
      this.people = this.people.filter((one) => one.socketId !== socketId)
      this.carets.delete(socketId)
    })
    this.socket.on('code-output', ({ output }) => (this.output = output))
    this.socket.on('code-change', ({ code }) => {
      if (code !== null) this.code = code
    })
    this.socket.on('cursor-change', ({ socketId, cursor, username }) => this.carets.set(socketId, { cursor, username }))
    // The original had neither this event nor a listener for it.
    this.socket.on('error', (error) => this.refused.push(error))
  }

  /** Every change of the text also moves the caret. */
  type(text) {
    this.code = (this.code ?? '') + text
    this.socket.emit('code-change', { roomId, code: this.code })
    this.socket.emit('cursor-change', { roomId, cursor: { line: 0, ch: this.code.length }, username: this.username })
  }

  names() {
    return this.people.map((one) => one.username).join()
  }

  /** Closes the connection. The client opens a new one by itself. */
  async breaks(meanwhile) {
    const before = this.socket.id
    this.socket.io.engine.close()
    await until(() => !this.socket.connected, 'the connection is closed')
    meanwhile()
    await until(() => this.socket.connected, 'the connection is open again')
    assert.notEqual(this.socket.id, before)
  }
}

const ada = new Page('ada')
await until(() => ada.names() === 'ada', 'ada is in the room')
ada.type('first')
const bob = new Page('bob')
await until(() => ada.names() === 'ada,bob' && bob.names() === 'ada,bob', 'both see both, in the order of joining')
await until(() => bob.code === 'first', 'bob has the text')
bob.type(' second')
await until(() => ada.code === 'first second', 'ada has what bob typed')
assert.deepEqual(ada.notes, ['bob joined'])
await until(() => ada.carets.has(bob.socket.id), "ada sees bob's caret")
assert.deepEqual(ada.carets.get(bob.socket.id), { cursor: { line: 0, ch: 12 }, username: 'bob' })
const eve = new Page('eve')
await until(() => eve.code === 'first second' && eve.names() === 'ada,bob,eve', 'eve has both')

// A connection breaks. Text typed meanwhile is sent over the next connection and reaches the room, although its writer
// never joins the room again. Nothing is refused, nobody is notified, and the writer receives nothing.
const gone = ada.socket.id
await ada.breaks(() => ada.type(' third'))
await until(() => bob.code === 'first second third' && eve.code === bob.code, 'what was typed meanwhile arrives')
await until(() => bob.carets.get(ada.socket.id)?.cursor.ch === 18, 'so does the caret')
assert.ok(!bob.carets.has(gone))
assert.deepEqual([bob.notes, bob.names()], [['eve joined', 'ada left'], 'bob,eve'])
ada.type(' fourth')
await until(() => eve.code === 'first second third fourth', 'so does what is typed later')
bob.type(' fifth')
await until(() => eve.code.endsWith(' fifth'), 'the others go on')
assert.equal(ada.code, 'first second third fourth')

// The page is reloaded: its user is in the room again and has the text.
ada.socket.disconnect()
const again = new Page('ada')
await until(() => again.names() === 'bob,eve,ada' && again.code === bob.code, 'ada is back')
assert.deepEqual(bob.notes, ['eve joined', 'ada left', 'ada joined'])

// The name of a user who leaves is sent once.
eve.socket.disconnect()
await until(() => again.names() === 'bob,ada', 'eve is gone')
assert.deepEqual(again.notes, ['eve left'])

if (!original) {
  // A user outside the room runs the program for the users in it.
  await bob.breaks(() => {})
  bob.socket.emit('run-code', { roomId, code: 'echo ran', language: 'shell' })
  await until(() => again.output?.output === 'ran\n', 'ada sees the output')
  assert.equal(bob.output, undefined)

  // The last member leaves. Text that bob types outside the empty room is stored for later users.
  again.socket.disconnect()
  bob.code = ''
  bob.type('alone')
  const late = new Page('late')
  await until(() => late.code === 'alone', 'late has what bob typed alone')
  assert.deepEqual(late.names(), 'late')
}
for (const page of [ada, bob, eve, again]) assert.deepEqual(page.refused, [])
console.log('front end: as with the original')
process.exit(0)
