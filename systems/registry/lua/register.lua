-- Registers an identity, atomically and with the clock of Redis, which all instances share.
-- KEYS: the registration, the ends of all registrations, the generation
-- ARGV: identity, metadata, ttl in seconds or "", "1" to replace, limit of identities
local time = redis.call('TIME')
local seconds, micros = tonumber(time[1]), tonumber(time[2])
local now = seconds * 1000 + math.floor(micros / 1000)
local existed = redis.call('EXISTS', KEYS[1]) == 1
if existed and ARGV[4] ~= '1' then return {'exists'} end
if not existed then
  -- The score is the end of the latest registration, so this never removes one that was renewed.
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
  if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[5]) then return {'full'} end
end
local last = tonumber(redis.call('GET', KEYS[3]) or '0')
local generation = string.format('%.0f', math.max(last + 1, seconds * 1000000 + micros))
redis.call('SET', KEYS[3], generation)
redis.call('DEL', KEYS[1])
local begin = string.format('%.0f', now)
redis.call('HSET', KEYS[1], 'id', ARGV[1], 'metadata', ARGV[2], 'registered_at', time[1],
  'registered_ms', begin, 'generation', generation, 'ttl', ARGV[3], 'expires_ms', '')
local ends = ''
if ARGV[3] == '' then
  redis.call('ZADD', KEYS[2], '+inf', ARGV[1])
else
  ends = string.format('%.0f', now + tonumber(ARGV[3]) * 1000)
  redis.call('HSET', KEYS[1], 'expires_at', string.format('%.0f', seconds + tonumber(ARGV[3])), 'expires_ms', ends)
  redis.call('PEXPIREAT', KEYS[1], ends)
  redis.call('ZADD', KEYS[2], ends, ARGV[1])
end
return {existed and 'replaced' or 'registered', generation, begin, ends, ARGV[3], ARGV[2]}
