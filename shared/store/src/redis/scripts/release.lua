-- Gives a lease back that is still the newest one.
-- KEYS: 1 lease, 2 fence
-- ARGV: 1 fence

if redis.call('GET', KEYS[2]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
return 1
