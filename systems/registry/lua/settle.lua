-- Forgets acknowledged messages.
-- KEYS: all identities with a queue
-- ARGV: prefix of the queues, then pairs of identity and message id
for n = 2, #ARGV, 2 do
  local queue = ARGV[1] .. ARGV[n]
  redis.call('HDEL', queue, ARGV[n + 1])
  if redis.call('EXISTS', queue) == 0 then redis.call('SREM', KEYS[1], ARGV[n]) end
end
return true
