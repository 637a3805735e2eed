-- Gives something to this holder, or lets him keep it. Answers the lease's number, or nothing.
-- KEYS: 1 lease, 2 fence
-- ARGV: 1 holder, 2 how long in milliseconds

local holder = redis.call('GET', KEYS[1])
if holder == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return redis.call('GET', KEYS[2])
end
if holder then
  return false
end
local fence = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return string.format('%d', fence)
