// Shared by the scripts in this folder: official clients, and waiting with a time limit.

import { io as newest } from 'socket.io-client'
import { io as oldest } from 'socket.io-client-4.4'

export { newest, oldest }
const clients = { newest, oldest }
const PATIENCE = 5000

/** Waits for an event that `wanted` accepts. Fails after `PATIENCE`. */
export function heard(socket, event, wanted = () => true) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no ${event} was received`)), PATIENCE)
    const listen = (payload) => {
      if (!wanted(payload)) return
      clearTimeout(late)
      socket.off(event, listen)
      resolve(payload)
    }
    socket.on(event, listen)
    socket.once('connect_error', () => clearTimeout(late))
  })
}

/** Opens a client with its own connection, as the original's front end does. */
export async function open(url, { transports = ['websocket'], version = 'newest', ...rest } = {}) {
  const socket = clients[version](url, { forceNew: true, timeout: 10000, transports, ...rest })
  socket.seen = []
  socket.onAny((event, payload) => socket.seen.push([event, payload]))
  const refused = new Promise((_, reject) => socket.once('connect_error', reject))
  await Promise.race([heard(socket, 'connect'), refused])
  return socket
}

/** Opens a client and lets it join a room. */
export async function join(url, roomId, username, options) {
  const socket = await open(url, options)
  const joined = heard(socket, 'joined', (payload) => payload.socketId === socket.id)
  socket.emit('join', { roomId, username })
  socket.joined = await joined
  return socket
}

/** Emits an event and waits for its acknowledgement. */
export const asked = (socket, event, ...payload) => socket.timeout(PATIENCE).emitWithAck(event, ...payload)

/** Waits until `done` returns true. Fails after `PATIENCE`. */
export async function until(done, what) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 10))) {
    if (done()) return
  }
  throw new Error(`timed out waiting for: ${what}`)
}
