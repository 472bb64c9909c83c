-- Starts the time to live of a registration again.
-- KEYS: the registration, the ends of all registrations, the generation
-- ARGV: identity, ttl in seconds or "" for the earlier one
local found = redis.call('HMGET', KEYS[1], 'registered_ms', 'ttl', 'metadata')
if not found[1] then return {'missing'} end
local ttl = ARGV[2] ~= '' and ARGV[2] or found[2]
local time = redis.call('TIME')
local seconds, micros = tonumber(time[1]), tonumber(time[2])
local now = seconds * 1000 + math.floor(micros / 1000)
local last = tonumber(redis.call('GET', KEYS[3]) or '0')
local generation = string.format('%.0f', math.max(last + 1, seconds * 1000000 + micros))
redis.call('SET', KEYS[3], generation)
redis.call('HSET', KEYS[1], 'generation', generation, 'ttl', ttl)
local ends = ''
if ttl ~= '' then
  ends = string.format('%.0f', now + tonumber(ttl) * 1000)
  redis.call('HSET', KEYS[1], 'expires_at', string.format('%.0f', seconds + tonumber(ttl)), 'expires_ms', ends)
  redis.call('PEXPIREAT', KEYS[1], ends)
  redis.call('ZADD', KEYS[2], ends, ARGV[1])
end
return {'refreshed', generation, found[1], ends, ttl, found[3]}
