// The behaviour of the original's load tester, at a faster pace: node tester.mjs URL
//
// Its users start one after the other. Each joins and starts to write whenever it has connected, also after a
// reconnection. The original counts and checks nothing. Here the received messages are compared with those sent.

import assert from 'node:assert/strict'
import { oldest, until } from './client.mjs'

const [url] = process.argv.slice(2)
const USERS = 12
const ROOMS = 3
const STEP = 20
const EDIT = 200
const CARET = 50
const SNIPPETS = ['print("Hello")', 'function f() { return 1 }', 'let x = 1\nlet y = 2\nx + y']

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const any = (count) => Math.floor(Math.random() * count)
const sent = new Map() // carets by the id of the connection that sent them
const errors = []

class User {
  constructor(n) {
    // Random as in the original, but no room stays empty.
    this.roomId = `tester-${n < ROOMS ? n : any(ROOMS)}`
    this.username = `user ${n}`
    this.timers = []
    this.phases = []
    this.got = new Map() // carets by receiving and sending connection
    this.connections = 0
    const socket = (this.socket = oldest(url, { 'force new connection': true, timeout: 10000, transports: ['websocket'] }))
    socket.on('connect', () => {
      this.connections++
      socket.emit('join', { roomId: this.roomId, username: this.username })
      this.write()
    })
    socket.on('connect_error', (error) => errors.push(error.message))
    socket.on('error', (error) => errors.push(error))
    // The original's "latency".
    socket.on('joined', () => this.last && this.phases.push(Date.now() - this.last))
    socket.on('code-change', ({ code }) => (this.code = code))
    socket.on('cursor-change', ({ socketId, cursor }) => {
      const key = `${socket.id} ${socketId}`
      if (!this.got.has(key)) this.got.set(key, [])
      this.got.get(key).push(JSON.stringify(cursor))
    })
  }

  write() {
    this.timers.push(setInterval(() => {
      this.last = Date.now()
      this.socket.emit('code-change', { roomId: this.roomId, code: SNIPPETS[any(SNIPPETS.length)] })
    }, EDIT))
    this.timers.push(setInterval(() => {
      const cursor = { line: any(10), ch: any(40) }
      // Events emitted without a connection are sent over the next one.
      this.kept ??= []
      this.kept.push(JSON.stringify(cursor))
      if (this.socket.connected) this.went()
      this.socket.emit('cursor-change', { roomId: this.roomId, cursor, username: this.username })
    }, CARET))
  }

  went() {
    const id = this.socket.id
    sent.set(id, [...(sent.get(id) ?? []), ...this.kept])
    this.kept = []
  }

  stop() {
    for (const timer of this.timers) clearInterval(timer)
  }
}

const users = []
for (let n = 0; n < USERS; n++) {
  users.push(new User(n))
  await sleep(STEP)
}
await sleep(1000)
// Two connections break. The client opens new ones, sends the stored events, and joins again.
for (const user of users.slice(0, 2)) user.socket.io.engine.close()
await until(() => users.every((user) => user.socket.connected), 'all are connected again')
await sleep(1000)
for (const user of users) user.stop()

const ends = (user, other) => {
  const carets = user.got.get(`${user.socket.id} ${other.socket.id}`) ?? []
  return { carets, all: sent.get(other.socket.id) }
}
for (const user of users) {
  const others = users.filter((other) => other !== user && other.roomId === user.roomId)
  for (const other of others) {
    // From the time when both users were in the room, everything arrived once and in order.
    await until(() => ends(user, other).carets.at(-1) === ends(user, other).all.at(-1), `${user.username} has the last of ${other.username}`)
    const { carets, all } = ends(user, other)
    assert.deepEqual(carets, all.slice(all.length - carets.length))
    assert.ok(carets.length >= 15, `${carets.length} carets received`)
  }
  const here = new Set([user, ...others].map((one) => one.socket.id))
  const strays = [...user.got.keys()].filter((key) => key.startsWith(user.socket.id) && !here.has(key.split(' ')[1]))
  const earlier = strays.filter((key) => users.slice(0, 2).every((one) => one.roomId !== user.roomId))
  assert.deepEqual(earlier, [], 'a caret came from another room')
  if (others.length > 0) assert.ok(SNIPPETS.includes(user.code), 'a text came')
}
assert.deepEqual(errors, [])
assert.deepEqual(users.map((user) => user.connections), [2, 2, ...Array(USERS - 2).fill(1)])
assert.ok(users.some((user) => user.phases.length > 0), 'the "latency" of the original has samples')

for (const user of users) user.socket.disconnect()
console.log('tester: everything came, once and in order')
process.exit(0)
