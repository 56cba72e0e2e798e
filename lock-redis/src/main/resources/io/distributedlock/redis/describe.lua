-- Describe a lock and its queue, for operators. Writes nothing.
--
-- KEYS    see queue.lua
-- ARGV[1] how many of several holders to return
-- ARGV[2] how many waiters to look at
--
-- Returns {} if the lock is free, or {milliseconds left or -1 if without limit, holder,
-- microseconds since the grant or -1 if unknown, number of waiters or -1 if the user must not
-- ask, how many hold, how many holders the holder accepts, the smallest and the largest limit,
-- how many holders follow}; for each of them: milliseconds left, token, how many it accepts;
-- and for each waiter that was looked at and is alive: token, microseconds waited. 0 is any
-- number, or no limit. The holder is the one whose lease ends first. If not all holders are
-- returned, renewals do not change which ones are.

local holder = redis.pcall('GET', KEYS[1])
if not holder then
	return {}
end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local answer
if type(holder) == 'table' then
	local here = queue()
	local _, latest, problem = holders(here).ends(KEYS[1])
	local millis = here.millis(time)
	if problem then
		return problem
	elseif latest <= millis then
		return {}
	end
	local alive = string.format('(%.0f', millis)
	local first = redis.call('ZRANGEBYSCORE', KEYS[1], alive, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
	local most = tonumber(ARGV[1])

	-- Holders whose leases have ended are removed by the next script that writes
	local function limit(from, to, step)
		local limits = redis.call('ZRANGE', KEYS[1], from, to, 'WITHSCORES')
		for i = (step > 0) and 1 or #limits - 1, (step > 0) and #limits or 1, 2 * step do
			local ends = tonumber(redis.call('ZSCORE', KEYS[1], string.sub(limits[i], 2)))
			if ends and ends > millis then
				return tonumber(limits[i + 1])
			end
		end
		return 0
	end

	local function limitOf(token)
		return tonumber(redis.call('ZSCORE', KEYS[1], '#' .. token) or 0)
	end

	local limits = redis.call('ZCOUNT', KEYS[1], '-inf', '(2147483648')
	answer = {first[2] - millis, first[1], -1, -1, redis.call('ZCOUNT', KEYS[1], alive, '+inf'), limitOf(first[1]),
		(limits > 0) and limit(0, math.min(limits, most) - 1, 1) or 0,
		(limits > 0) and limit(math.max(0, limits - most), limits - 1, -1) or 0}

	-- In the order of the hash table, which does not depend on the ends of the leases
	local tokens, ends = {}, {}
	local cursor, pages = '0', 0
	repeat
		local page = redis.call('ZSCAN', KEYS[1], cursor, 'COUNT', most)
		for i = 1, #page[2], 2 do
			local token, score = page[2][i], tonumber(page[2][i + 1])
			if score > millis and not ends[token] then
				tokens[#tokens + 1] = token
				ends[token] = score
			end
		end
		cursor, pages = page[1], pages + 1
	until cursor == '0' or #tokens >= most or pages == 16
	-- A small set comes in the order of the scores
	table.sort(tokens)
	answer[9] = math.min(#tokens, most)
	for i = 1, answer[9] do
		answer[#answer + 1] = ends[tokens[i]] - millis
		answer[#answer + 1] = tokens[i]
		answer[#answer + 1] = limitOf(tokens[i])
	end
else
	-- The first fencing token of a grant is the time of the grant
	local age = -1
	local last, block = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) (%d+)$')
	if last and tonumber(last) < 9e15 then
		age = math.max(0, now - (last - block + 1))
	end
	answer = {redis.call('PTTL', KEYS[1]), holder, age, -1, 1, 1, 1, 1, 0}
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
