-- Asks the worker of a session to end it. Returns whether another worker has it.
-- KEYS: leases by worker
-- ARGV: prefix of the workers' sessions, prefix of the sessions to end, this worker, session, time to keep the request in ms
for _, worker in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if worker ~= ARGV[3] and redis.call('HEXISTS', ARGV[1] .. worker, ARGV[4]) == 1 then
    redis.call('SADD', ARGV[2] .. worker, ARGV[4])
    redis.call('PEXPIRE', ARGV[2] .. worker, ARGV[5])
    return 1
  end
end
return 0
