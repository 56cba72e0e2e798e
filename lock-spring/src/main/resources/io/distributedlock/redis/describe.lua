-- Describe a lock and its queue, for operators. Writes nothing.
--
-- KEYS    see holders.lua
-- ARGV[1] how many of several holders to return
-- ARGV[2] how many waiters to look at
--
-- Returns {} if the lock is free, or {milliseconds left or -1 if without limit, holder,
-- microseconds since the grant or -1 if unknown, number of waiters or -1 if the user must not
-- ask, number of holders or 0 if one is alone, their smallest and their largest limit or 0 if
-- there is none, how many holders follow}; for each of them: milliseconds left, token; and for
-- each waiter that was looked at and is alive: token, microseconds waited. If there are more
-- holders, those whose leases end first are returned.

local holder = redis.pcall('GET', KEYS[1])
if not holder then
	return {}
end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local millis = math.floor(now / 1000)

local answer
if type(holder) == 'table' then
	local alive = string.format('(%.0f', millis)
	local first = redis.pcall('ZRANGEBYSCORE', KEYS[1], alive, '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[1])
	-- A key of another type is no lock
	if first.err then
		return holder
	end
	if not first[1] then
		return {}
	end
	-- Holders whose leases have ended are removed by the next script that writes
	local function limit(from, to, step)
		local limits = redis.call('ZRANGE', KEYS[5], from, to, 'WITHSCORES')
		for i = (step > 0) and 1 or #limits - 1, (step > 0) and #limits or 1, 2 * step do
			if tonumber(redis.call('ZSCORE', KEYS[1], limits[i]) or 0) > millis then
				return tonumber(limits[i + 1])
			end
		end
		return 0
	end
	answer = {first[2] - millis, first[1], -1, -1, redis.call('ZCOUNT', KEYS[1], alive, '+inf'),
		limit(0, ARGV[1] - 1, 1), limit(-ARGV[1], -1, -1), #first / 2}
	for i = 1, #first, 2 do
		answer[#answer + 1] = first[i + 1] - millis
		answer[#answer + 1] = first[i]
	end
else
	-- The first fencing token of a grant is the time of the grant
	local age = -1
	local last, block = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) (%d+)$')
	if last and tonumber(last) < 9e15 then
		age = math.max(0, now - (last - block + 1))
	end
	answer = {redis.call('PTTL', KEYS[1]), holder, age, -1, 0, 0, 0, 0}
end

local waiting = redis.pcall('ZCARD', KEYS[3])
local queue = redis.pcall('ZRANGE', KEYS[3], 0, ARGV[2] - 1, 'WITHSCORES')
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
