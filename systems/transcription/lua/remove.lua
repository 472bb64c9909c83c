-- Removes sessions that ended. The figures of those that lost their connection stay for a recovery, unless another node has
-- taken the session already.
-- KEYS: sessions of this worker
-- ARGV: prefix of the figures, prefix of the marks of taken sessions, time to keep the figures in ms, then for each session
-- its name and its figures, which are empty if it cannot be recovered
for index = 4, #ARGV, 2 do
  local session, past = ARGV[index], ARGV[index + 1]
  redis.call('HDEL', KEYS[1], session)
  if past ~= '' and redis.call('EXISTS', ARGV[2] .. session) == 0 then
    redis.call('SET', ARGV[1] .. session, past, 'PX', ARGV[3])
  end
end
