-- Take the lock, or enter the queue. Repeating it with the same token does no harm.
--
-- KEYS[1] lock     string: the holder's token
-- KEYS[2] fence    string: the last fencing token given
-- KEYS[3] queue    sorted set: waiting tokens by time of arrival in microseconds
-- KEYS[4] waiting  hash: waiting token -> "aliveUntilMillis leaseMillis fenceBlock"
-- ARGV[1] token
-- ARGV[2] lease in milliseconds
-- ARGV[3] for how many milliseconds the place in the queue is good, 0 to stay out of it;
--         a place that the token has already is then left to the release
-- ARGV[4] how many fencing tokens to reserve
--
-- Returns {1, first fencing token} if the lock is held with the token,
-- {0, milliseconds left or -1 if without limit, holder} if with another one.

local token = ARGV[1]
local waiterLife = tonumber(ARGV[3])
local holder = redis.call('GET', KEYS[1])

if holder and holder ~= token then
	if waiterLife > 0 then
		local time = redis.call('TIME')
		local aliveUntil = time[1] * 1000 + math.floor(time[2] / 1000) + waiterLife
		local keep = math.max(10000, 2 * waiterLife)
		redis.call('ZADD', KEYS[3], 'NX', string.format('%.0f', time[1] * 1000000 + time[2]), token)
		redis.call('HSET', KEYS[4], token, string.format('%.0f %s %s', aliveUntil, ARGV[2], ARGV[4]))
		redis.call('PEXPIRE', KEYS[3], keep)
		redis.call('PEXPIRE', KEYS[4], keep)
	end
	return {0, redis.call('PTTL', KEYS[1]), holder}
end

local block = tonumber(ARGV[4])
local last = tonumber(redis.call('GET', KEYS[2]) or 0)
if not (last and last > 0 and last < 9e15) then
	-- Nothing that we wrote; beyond 2^53 one more would make no difference
	last = 0
end

if holder and last >= block then
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
	return {1, last - block + 1}
end

-- The lock itself is written last: should a write be refused, nobody holds it
local time = redis.call('TIME')
local first = math.max(last + 1, time[1] * 1000000 + time[2])
redis.call('SET', KEYS[2], string.format('%.0f', first + block - 1), 'PX', math.max(86400000, 2 * ARGV[2]))
if waiterLife > 0 then
	redis.call('ZREM', KEYS[3], token)
	redis.call('HDEL', KEYS[4], token)
end
redis.call('SET', KEYS[1], token, 'PX', ARGV[2])
return {1, first}
