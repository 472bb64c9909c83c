// The editor refuses input that crashed the original or passed through it unchecked: node refused.mjs URL

import assert from 'node:assert/strict'
import { asked, heard, join } from './client.mjs'

const [url] = process.argv.slice(2)
const room = 'refused'
const ada = await join(url, room, 'ada')

const refused = [
  ['code-change', [], 'the payload is missing'],
  ['code-change', [null], 'not understood'],
  ['code-change', ['text'], 'not understood'],
  ['code-change', [{ roomId: room }], 'code'],
  ['code-change', [{ roomId: room, code: 5 }], 'not understood'],
  ['code-change', [{ roomId: room, code: null }], 'not understood'],
  ['code-change', [{ roomId: '', code: '' }], 'roomId'],
  ['cursor-change', [{ roomId: room, cursor: { line: -1, ch: 0 }, username: 'ada' }], 'not understood'],
  ['cursor-change', [{ roomId: room, username: 'ada' }], 'cursor'],
  ['join', [{ roomId: room }], 'username'],
  ['join', [{ roomId: '', username: 'ada' }], 'roomId'],
  ['join', [{ roomId: 'x'.repeat(300), username: 'ada' }], 'roomId'],
  ['sync-code', [{ socketId: 'nobody', code: '' }], 'nobody'],
  ['run-code', [{ roomId: 'x'.repeat(300), code: '', language: 'shell' }], 'roomId'],
  ['leave', [], 'no such event'],
]
for (const [event, payload, why] of refused) {
  const error = heard(ada, 'error')
  ada.emit(event, ...payload)
  const { event: about, message } = await error
  assert.equal(about, event)
  assert.ok(message.includes(why), `${event}: ${message}`)
}

// A request for an acknowledgement gets the same error.
const { event, message } = await asked(ada, 'code-change')
assert.deepEqual([event, message], ['code-change', 'the payload is missing'])
assert.deepEqual(await asked(ada, 'code-change', { roomId: room, code: 'still here' }), { ok: true })

// Binary payloads are refused, and the connection stays open.
const error = heard(ada, 'error')
ada.emit('code-change', { roomId: room, code: Buffer.from('bytes') })
assert.match((await error).message, /binary/)
assert.match((await asked(ada, 'code-change', { roomId: room, code: Buffer.from('bytes') })).message, /binary/)
assert.deepEqual(await asked(ada, 'code-change', { roomId: room, code: 'and here' }), { ok: true })

ada.disconnect()
console.log('refused: each by its name')
process.exit(0)
