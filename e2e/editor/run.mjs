// Running code: node run.mjs URL [off]

import assert from 'node:assert/strict'
import { heard, join } from './client.mjs'

const [url, off] = process.argv.slice(2)
const roomId = 'run'
const ada = await join(url, roomId, 'ada')
const bob = await join(url, roomId, 'bob')

if (off) {
  const refused = heard(ada, 'error')
  ada.emit('run-code', { roomId, code: 'echo never', language: 'shell' })
  const { event, message } = await refused
  assert.equal(event, 'run-code')
  assert.match(message, /^code cannot be run here: /)
} else {
  // All members of the room see the output, whoever ran the program.
  const seen = [heard(ada, 'code-output'), heard(bob, 'code-output')]
  ada.emit('run-code', { roomId, code: 'echo out; echo err >&2', language: 'shell' })
  for (const { output } of await Promise.all(seen)) {
    assert.deepEqual({ ...output, timestamp: '' }, { success: true, output: 'out\n', error: 'err\n', timestamp: '' })
    assert.match(output.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  }
  const failed = heard(bob, 'code-output')
  bob.emit('run-code', { roomId, code: 'echo before; exit 3', language: 'shell' })
  const { output } = await failed
  assert.equal(output.success, false)
  assert.equal(output.output, 'before\n')
}

for (const socket of [ada, bob]) socket.disconnect()
console.log('run: as it should')
process.exit(0)
