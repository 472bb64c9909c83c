// Edits that cross, and a text whose writers have all left: node converge.mjs URL

import assert from 'node:assert/strict'
import { asked, join, until } from './client.mjs'

const [url] = process.argv.slice(2)
const room = 'converge'

// Like the original's front end: a received text replaces the current one.
async function writer(name) {
  const socket = await join(url, room, name)
  socket.text = ''
  for (const [event, payload] of socket.seen) if (event === 'code-change') socket.text = payload.code
  socket.on('code-change', ({ code }) => (socket.text = code ?? socket.text))
  socket.write = (code) => {
    socket.text = code
    socket.emit('code-change', { roomId: room, code })
  }
  return socket
}
const writers = await Promise.all(['ada', 'bob', 'eve', 'zoe', 'kim'].map(writer))
for (let round = 0; round < 20; round++) {
  for (const one of writers) one.write(`${one.id} writes ${round}`)
  await new Promise((resolve) => setTimeout(resolve, 3))
}
await until(() => new Set(writers.map((one) => one.text)).size === 1, 'all texts are the same')
const text = writers[0].text

// All writers leave. A user who joins later gets the text.
assert.deepEqual(await asked(writers[0], 'code-change', { roomId: room, code: text }), { ok: true })
for (const one of writers) one.disconnect()
const late = await writer('late')
await until(() => late.text === text, 'the text outlives its writers')

late.disconnect()
console.log('converge: one text')
process.exit(0)
