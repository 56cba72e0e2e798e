-- Adds a holder if there is room for it.
-- KEYS[1]  the lock, a sorted set of holders by their ends
-- ARGV[1]  the token of the holder; it begins with "alone:" if the holder wants to be alone
-- ARGV[2]  how many may hold the lock, this one included
-- ARGV[3]  the lease in milliseconds
-- returns  1 if it holds the lock, 0 if not
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('zremrangebyscore', KEYS[1], '-inf', now)
local holders = redis.call('zcard', KEYS[1])
if holders >= tonumber(ARGV[2]) then
	return 0
end
if holders == 1 and string.find(redis.call('zrange', KEYS[1], 0, 0)[1], 'alone:', 1, true) == 1 then
	return 0
end
redis.call('zadd', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('pexpire', KEYS[1], ARGV[3])
return 1
