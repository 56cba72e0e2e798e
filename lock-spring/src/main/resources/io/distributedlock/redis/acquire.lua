-- Take the lock, or enter the queue. Repeating this with the same token does no harm, even
-- late: the lease of a lock that the token holds is never shortened.
--
-- KEYS[1] lock     string: the holder's token; a sorted set if the holders accept others
--                  beside them, see holders.lua
-- KEYS[2] fence    string: "last block", the last fencing token given, and how many there
--                  were in its block
-- KEYS[3] queue    sorted set: waiting tokens by time of arrival in microseconds
-- KEYS[4] waiting  hash: waiting token -> "aliveUntilMillis leaseMillis fenceBlock nonce"
-- ARGV[1] token
-- ARGV[2] lease in milliseconds
-- ARGV[3] how many fencing tokens to reserve
-- ARGV[4] how many milliseconds to keep the fence
-- The rest, and the last two keys, only to enter the queue or to confirm the place in it.
-- Otherwise, a place that the token already has stays until the release.
-- ARGV[5] how many milliseconds the place is valid
-- ARGV[6] how many requests entered or confirmed the place before
-- ARGV[7] the secret that a grant must carry
--
-- Returns the text "last block" if the lock is held with the token: the last of the
-- fencing tokens reserved, and how many there are; "busy millis holder" if it is held with
-- another one, where millis is the time left or -1 if without limit; and "full millis count 0
-- 0 holder" if several hold it: the holder is the one whose lease ends first.

local token = ARGV[1]

-- Values that we did not write count as nothing; beyond 2^53 one more makes no difference
local function read(fence)
	local last, block = string.match(fence or '', '^(%d+) (%d+)$')
	if not last or tonumber(last) >= 9e15 then
		return 0
	end
	return tonumber(last), block
end

local function leaveQueue()
	redis.call('ZREM', KEYS[3], token)
	redis.call('HDEL', KEYS[4], token)
end

-- For a lock that was just taken
local function reserve()
	local time = redis.call('TIME')
	-- Joining two texts is cheaper than formatting, if the microseconds have all their digits
	local first = (#time[2] == 6) and time[1] .. time[2] or string.format('%010d%06d', time[1], time[2])
	local block = ARGV[3]
	local fence = (block == '1') and first .. ' 1' or string.format('%.0f %s', first + block - 1, block)
	local before = redis.call('SET', KEYS[2], fence, 'PX', ARGV[4], 'GET')
	-- As texts, which is exact for what we write, and fast
	if before and before >= first then
		local last = read(before)
		if last >= tonumber(first) then
			fence = string.format('%.0f %s', last + block, block)
			redis.call('SET', KEYS[2], fence, 'PX', ARGV[4])
		end
	end
	-- The first request has no place yet
	if ARGV[5] and ARGV[6] ~= '0' then
		leaveQueue()
	end
	return fence
end

-- Looks and takes in one command
local holder = redis.pcall('SET', KEYS[1], token, 'NX', 'GET', 'PX', ARGV[2])
if not holder then
	local reserved, fence = pcall(reserve)
	if reserved then
		return fence
	end
	redis.call('DEL', KEYS[1])
	error(fence, 0)
end
if type(holder) == 'table' then
	-- Redis before 7.0 does not know the command; one that is out of memory, or a replica,
	-- refuses it. All of them can be asked
	holder = redis.pcall('GET', KEYS[1])
end
local nearest, count
if type(holder) == 'table' then
	-- Several hold, so nobody can hold alone. The key lives as long as the last of them, and up
	-- to a millisecond longer
	local time = redis.call('TIME')
	local millis = time[1] * 1000 + math.floor(time[2] / 1000)
	local next = redis.call('ZRANGEBYSCORE', KEYS[1], string.format('(%.0f', millis), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
	if next[1] then
		holder = next[1]
		nearest = next[2] - millis
		count = redis.call('ZCOUNT', KEYS[1], string.format('(%.0f', millis), '+inf')
	else
		redis.call('DEL', KEYS[1])
		holder = false
	end
end

if holder and holder ~= token then
	if ARGV[5] then
		local keep = math.max(10000, 5 * ARGV[5])
		local sign = tonumber(ARGV[6])
		-- Every fourth sign prolongs the keys instead of the entry, so that no sign is expensive
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
	end
	if nearest then
		return string.format('full %.0f %d 0 0 %s', nearest, count, holder)
	end
	return 'busy ' .. string.format('%.0f', redis.call('PTTL', KEYS[1])) .. ' ' .. holder
end

local fence = redis.call('GET', KEYS[2])
local last, block = read(fence)
if not (holder and block) then
	-- The lock itself is written last: should a write be refused, nobody holds it
	local time = redis.call('TIME')
	local first = math.max(last + 1, time[1] * 1000000 + time[2])
	fence = string.format('%.0f %s', first + ARGV[3] - 1, ARGV[3])
	redis.call('SET', KEYS[2], fence, 'PX', ARGV[4])
	if ARGV[5] then
		leaveQueue()
	end
end
if not holder then
	redis.call('SET', KEYS[1], token, 'PX', ARGV[2])
elseif redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return fence
