-- Admits a session, if the workers have fewer than the limit. Returns 1 if it is admitted, 0 if there are too many, and -1
-- if the lease of its own worker has ended: the worker's other sessions are not in the table, so they would not count.
-- KEYS: leases by worker
-- ARGV: prefix of the workers' sessions, worker, session, its record, limit
remove_lapsed(KEYS[1], ARGV[1])
if not redis.call('ZSCORE', KEYS[1], ARGV[2]) then return -1 end
local own = ARGV[1] .. ARGV[2]
local count = 0
for _, worker in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  count = count + redis.call('HLEN', ARGV[1] .. worker)
end
-- It is in the table already if the reply to its first admission was lost.
count = count - redis.call('HEXISTS', own, ARGV[3])
if count >= tonumber(ARGV[5]) then return 0 end
redis.call('HSET', own, ARGV[3], ARGV[4])
return 1
