-- Look at a lock and its queue, for those who operate locks. Writes nothing.
--
-- KEYS[1] lock     string: the holder's token
-- KEYS[2] fence    string: "last block", the last fencing token given, and how many there
--                  were in its block
-- KEYS[3] queue    sorted set: waiting tokens by time of arrival in microseconds
-- KEYS[4] waiting  hash: waiting token -> "aliveUntilMillis leaseMillis fenceBlock nonce"
-- ARGV[1] how many of those that wait to look at
--
-- Returns {} if the lock is free, or {milliseconds left or -1 if without limit, holder,
-- microseconds since the grant or -1 if unknown, number of those that wait or -1 if the user
-- must not ask, and for each one that was looked at and is alive: token, microseconds
-- waited}.

local holder = redis.call('GET', KEYS[1])
if not holder then
	return {}
end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- The first fencing token of a grant is the time of the grant
local age = -1
local last, block = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) (%d+)$')
if last and tonumber(last) < 9e15 then
	age = math.max(0, now - (last - block + 1))
end

local answer = {redis.call('PTTL', KEYS[1]), holder, age, -1}
local waiting = redis.pcall('ZCARD', KEYS[3])
local queue = redis.pcall('ZRANGE', KEYS[3], 0, ARGV[1] - 1, 'WITHSCORES')
if type(waiting) == 'number' and not queue.err then
	for i = 1, #queue, 2 do
		local aliveUntil = string.match(redis.call('HGET', KEYS[4], queue[i]) or '', '^(%d+) ')
		if aliveUntil and aliveUntil * 1000 > now then
			answer[#answer + 1] = queue[i]
			answer[#answer + 1] = math.max(0, now - queue[i + 1])
		else
			waiting = waiting - 1
		end
	end
	answer[4] = waiting
end
return answer
