// The native calls, removed from the globals before any user code runs.
const given = globalThis.$headcount;
delete globalThis.$headcount;

export const {
  get, head, post, put, patch, delete: remove, http, websocket, socketio,
  send, roundTrip, next, receives, stopReceiving, last, listen, isOpen, ping, closeSocket,
  emit, emitPlain, emitAcknowledged, acknowledge, isProtocols, plainJson, nextEvent, listenEvent, receivesEvent,
  openAudio, joinAudio, startStream, stopStream,
  events, nextServerEvent, receivesServerEvent, lastEventId, reconnects,
  nats, natsServer, natsPublish, natsRequest, natsSubscribe, natsConsume, natsFetch, natsFlush, natsNext, natsReceives,
  redis, redisServer, redisCall, redisPipeline, redisSubscribe, redisUnsubscribe, nextRedisMessage, receivesRedisMessage,
  header, tag, cookie, dataOf, userName, userIndex, userNumber, userRole, random, chance, newUser, poolBegin, poolEnd, poolFailed, poolUser,
  userKind, makeUser, userKey, userGroup, groupKey, users,
  userState, think, pause, stay, every, stopTicker, now, isActive, span,
  receivesInResponses, stopReceivingInResponses,
  keepsStory, returned, failed, groupName, groupNumber, firstOf, setupOf, channel, channelTo, declareAudience, stamp,
  check, checkUser, stepName, stepBegin, stepEnd, stepFailed, concurrent, metric, log, mayLeave,
  openTable, rowAt, utf8Encode, utf8Decode,
  env, hash, hmac, randomBytes, randomUuid, urlParse, urlSet, formParse, formWrite,
} = given;
