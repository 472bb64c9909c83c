// A Yjs client that writes faster than allowed: node too-fast.mjs URL

import assert from 'node:assert/strict'
import WebSocket from 'ws'
import { WebsocketProvider } from 'y-websocket'
import * as Y from 'yjs'
import { until } from './client.mjs'

const [url] = process.argv.slice(2)

function follow() {
  const doc = new Y.Doc()
  const provider = new WebsocketProvider(`${url.replace('http', 'ws')}/yjs`, 'too fast', doc, {
    WebSocketPolyfill: WebSocket, disableBc: true,
  })
  return { provider, text: doc.getText('code') }
}

const fast = follow()
const closed = []
fast.provider.on('connection-close', (event) => closed.push(event?.code))
fast.provider.on('closed', () => assert.fail('the server forbade it to reconnect'))
await until(() => fast.provider.synced, 'the client is in the room')
for (let n = 0; n < 100; n++) fast.text.insert(fast.text.length, `${n} `)
await until(() => closed.includes(4529), 'the server closed the connection')
const other = follow()
await until(() => other.text.toString() === fast.text.toString(), 'it reconnected with everything that it wrote')

for (const one of [fast, other]) one.provider.destroy()
console.log('too fast: came again')
process.exit(0)
