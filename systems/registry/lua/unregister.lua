-- Ends a registration and forgets the identity's messages.
-- KEYS: the registration, the ends of all registrations, the generation, the queue
-- ARGV: identity
local found = redis.call('HMGET', KEYS[1], 'registered_ms', 'ttl', 'metadata')
if not found[1] then return {'missing'} end
local time = redis.call('TIME')
local last = tonumber(redis.call('GET', KEYS[3]) or '0')
local clock = tonumber(time[1]) * 1000000 + tonumber(time[2])
local generation = string.format('%.0f', math.max(last + 1, clock))
redis.call('SET', KEYS[3], generation)
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREMRANGEBYLEX', KEYS[4], '[' .. ARGV[1] .. '/', '(' .. ARGV[1] .. '0')
return {'unregistered', generation, found[1], '', found[2], found[3]}
