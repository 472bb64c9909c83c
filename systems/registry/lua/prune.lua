-- Removes queue entries whose messages have ended. A message with the same id may have been saved meanwhile, so this checks
-- again.
-- KEYS: the queue
-- ARGV: prefix of the messages, identity, then pairs of message id and time sent
for n = 3, #ARGV, 2 do
  if redis.call('HGET', ARGV[1] .. ARGV[n], 'sent_at') ~= ARGV[n + 1] then
    redis.call('ZREM', KEYS[1], ARGV[2] .. '/' .. ARGV[n] .. '/' .. ARGV[n + 1])
  end
end
return true
