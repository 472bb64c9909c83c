// The native calls, removed from the globals before any user code runs.
/** All of them. The modules of the protocols take their own calls from here. */
export const natives = globalThis.$headcount;
delete globalThis.$headcount;

export const {
  get, head, post, put, patch, delete: remove, http, userMethods,
  send, roundTrip, next, receives, stopReceiving, last, listen, isOpen, ping, closeSocket,
  openAudio, joinAudio, startStream, stopStream,
  header, tag, cookie, dataOf, userName, userIndex, userNumber, userRole, random, chance, newUser, poolBegin, poolEnd, poolFailed, poolUser,
  userKind, makeUser, userKey, userGroup, groupKey, users,
  userState, think, pause, stay, every, stopTicker, now, isActive, span,
  receivesInResponses, stopReceivingInResponses,
  keepsStory, returned, failed, groupName, groupNumber, firstOf, setupOf, channel, channelTo, declareAudience, stamp,
  check, checkUser, stepName, stepBegin, stepEnd, stepFailed, concurrent, metric, log, mayLeave,
  openTable, rowAt, utf8Encode, utf8Decode,
  env, hash, hmac, randomBytes, randomUuid, urlParse, urlSet, formParse, formWrite,
} = natives;
