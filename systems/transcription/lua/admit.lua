-- Admits a session, if the live workers have fewer than the limit. First removes the sessions of workers whose lease has
-- ended, with the clock of Redis, which all nodes share.
-- KEYS: leases by worker
-- ARGV: prefix of the workers' sessions, worker, session, its record, limit, length of the lease in ms
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
for _, worker in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)) do
  redis.call('ZREM', KEYS[1], worker)
  redis.call('DEL', ARGV[1] .. worker)
end
local count = 0
for _, worker in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  count = count + redis.call('HLEN', ARGV[1] .. worker)
end
if count >= tonumber(ARGV[5]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[6]), ARGV[2])
redis.call('HSET', ARGV[1] .. ARGV[2], ARGV[3], ARGV[4])
return 1
