-- Removes queue entries whose messages have ended. A message with the same id may have been saved meanwhile, so this
-- checks again.
-- KEYS: the queue
-- ARGV: prefix of the messages, identity, message ids
for n = 3, #ARGV do
  if redis.call('EXISTS', ARGV[1] .. ARGV[n]) == 0 then
    redis.call('ZREM', KEYS[1], ARGV[2] .. '/' .. ARGV[n])
  end
end
return true
