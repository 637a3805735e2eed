-- Puts an aggregate away: its archive in place of its snapshot, journal and handled messages.
-- KEYS: 1 state, 2 journal, 3 handled, 4 due, 5 index, 6 archive
-- ARGV: 1 version, 2 the aggregate's key, then the pieces of the archive

local state = redis.call('HMGET', KEYS[1], 'v', 'd', 'r')
if state[1] ~= ARGV[1] then
  return 0
end
if state[3] then
  return 1
end
for i = 3, #ARGV do
  redis.call('RPUSH', KEYS[6], ARGV[i])
end
redis.call('HSET', KEYS[1], 'r', '1')
redis.call('HDEL', KEYS[1], 'sv', 's', 'd')
if state[2] then
  for _, member in ipairs(cmsgpack.unpack(state[2])) do
    redis.call('ZREM', KEYS[4], member)
  end
end
redis.call('SREM', KEYS[5], ARGV[2])
redis.call('UNLINK', KEYS[2], KEYS[3])
return 1
