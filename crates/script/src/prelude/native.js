// The native calls, taken out of the globals before any user code runs.
const given = globalThis.$headcount;
delete globalThis.$headcount;

export const {
  http, websocket, socketio,
  send, exchange, next, receives, stopReceiving, last, listen, isOpen, ping, closeSocket,
  emit, emitAcknowledged, acknowledge, nextEvent, listenEvent, receivesEvent,
  header, cookie, dataOf, userName, userNumber, userRole, random, chance, newUser, poolUser,
  holdsText, think, stay, every, stopTicker, now, holds, span,
  keepsStory, returned, failed, groupName, groupNumber, firstOf, membersOf, setupOf, channel, stamp,
  check, checkUser, stepBegin, stepEnd, eventually, metric, log,
  openTable, rowAt, utf8Encode, utf8Decode,
} = given;
