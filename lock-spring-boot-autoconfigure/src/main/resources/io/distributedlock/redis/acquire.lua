-- Take the lock, or enter the queue. Repeating it with the same token does no harm, also
-- late: the lease of a lock that is held with the token is never shortened.
--
-- KEYS[1] lock     string: the holder's token
-- KEYS[2] fence    string: "last block", the last fencing token given, and how many there
--                  were in its block
-- KEYS[3] queue    sorted set: waiting tokens by time of arrival in microseconds
-- KEYS[4] waiting  hash: waiting token -> "aliveUntilMillis leaseMillis fenceBlock nonce"
-- ARGV[1] token
-- ARGV[2] lease in milliseconds
-- ARGV[3] how many fencing tokens to reserve
-- ARGV[4] for how many milliseconds to keep the fence
-- The rest only to enter the queue or to confirm the place in it. A place that the token
-- has already is otherwise left to the release.
-- ARGV[5] for how many milliseconds the place is good
-- ARGV[6] how many requests entered or confirmed the place before
-- ARGV[7] the secret that a grant must carry
--
-- Returns {1, first fencing token, tokens reserved} if the lock is held with the token,
-- {0, milliseconds left or -1 if without limit, holder} if with another one.

local token = ARGV[1]
local lease = tonumber(ARGV[2])
local holder = redis.call('GET', KEYS[1])

if holder and holder ~= token then
	if not ARGV[5] then
		return {0, redis.call('PTTL', KEYS[1]), holder}
	end
	local keep = math.max(10000, 5 * ARGV[5])
	local sign = tonumber(ARGV[6])
	-- Every fourth sign keeps the keys in place of the entry, so that no sign is expensive
	local keeping = sign % 4 == 3
	if not (keeping and redis.call('PEXPIRE', KEYS[3], keep) == 1 and redis.call('PEXPIRE', KEYS[4], keep) == 1) then
		local time = redis.call('TIME')
		local aliveUntil = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[5]
		local entry = string.format('%.0f %s %s %s', aliveUntil, ARGV[2], ARGV[3], ARGV[7])
		if redis.call('HSET', KEYS[4], token, entry) == 1 or sign == 0 or keeping then
			redis.call('ZADD', KEYS[3], 'NX', string.format('%.0f', time[1] * 1000000 + time[2]), token)
			redis.call('PEXPIRE', KEYS[3], keep)
			redis.call('PEXPIRE', KEYS[4], keep)
		end
	end
	return {0, redis.call('PTTL', KEYS[1]), holder}
end

local last, block = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) (%d+)$')
if not last or tonumber(last) >= 9e15 then
	-- Nothing that we wrote; beyond 2^53 one more would make no difference
	last, block = 0, nil
end

if holder and block then
	if redis.call('PTTL', KEYS[1]) < lease then
		redis.call('PEXPIRE', KEYS[1], ARGV[2])
	end
	return {1, last - block + 1, tonumber(block)}
end

-- The lock itself is written last: should a write be refused, nobody holds it
local time = redis.call('TIME')
local first = math.max(last + 1, time[1] * 1000000 + time[2])
redis.call('SET', KEYS[2], string.format('%.0f %s', first + ARGV[3] - 1, ARGV[3]), 'PX', math.max(tonumber(ARGV[4]), 2 * lease))
if ARGV[5] then
	redis.call('ZREM', KEYS[3], token)
	redis.call('HDEL', KEYS[4], token)
end
if not holder then
	redis.call('SET', KEYS[1], token, 'PX', ARGV[2])
elseif redis.call('PTTL', KEYS[1]) < lease then
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return {1, first, tonumber(ARGV[3])}
