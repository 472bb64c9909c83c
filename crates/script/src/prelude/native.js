// The native calls, taken out of the globals before any user code runs.
const given = globalThis.$headcount;
delete globalThis.$headcount;

export const {
  http, websocket,
  send, exchange, next, receives, listen, isOpen, ping, closeSocket,
  header, cookie, dataOf, userName, userNumber, userRole, random, chance, newUser, poolUser,
  think, stay, every, stopTicker, now, holds, span,
  keepsStory, returned, failed, groupName, groupNumber, firstOf, membersOf, setupOf, channel, stamp,
  check, checkUser, stepBegin, stepEnd, eventually, metric, log,
  openTable, rowAt, utf8Encode, utf8Decode,
} = given;
