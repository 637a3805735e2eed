-- Keeps a snapshot of an aggregate that is at this version and not retired.
-- KEYS: 1 state
-- ARGV: 1 version, 2 state

local state = redis.call('HMGET', KEYS[1], 'v', 'r')
if state[1] ~= ARGV[1] or state[2] then
  return 0
end
redis.call('HSET', KEYS[1], 'sv', ARGV[1], 's', ARGV[2])
return 1
