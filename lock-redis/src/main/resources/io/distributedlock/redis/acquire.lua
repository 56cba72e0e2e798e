-- Take the lock, or enter the queue. Repeating this with the same token does no harm, even
-- late: the lease of a lock that the token holds is never shortened.
--
-- KEYS    see queue.lua
-- ARGV[1] token
-- ARGV[2] lease in milliseconds
-- ARGV[3] how many fencing tokens to reserve
-- ARGV[4] how many milliseconds to keep the fence
-- The rest, and the last key, only to enter the queue or to confirm the place in it.
-- Otherwise, a place that the token already has stays until the release.
-- ARGV[5] how many milliseconds the place is valid
-- ARGV[6] how many requests entered or confirmed the place before
-- ARGV[7] the secret that a grant must carry
--
-- Returns the text "last block" if the lock is held with the token: the last of the
-- fencing tokens reserved, and how many there are; "busy millis holder" if it is held with
-- another one, where millis is the time left or -1 if without limit; and if several hold it
-- "full millis count 0 0 holder": the holder is the one whose lease ends first. If all leases
-- have just ended, and somebody waits in front, this is "full millis 0 0 1 waiter". In front
-- of what a waiter is told, see enter() in queue.lua.

local token = ARGV[1]

-- The first request has no place yet, unless it is executed twice: then another one follows
local function leave()
	if ARGV[5] and ARGV[6] ~= '0' then
		redis.call('ZREM', KEYS[3], token)
		redis.call('HDEL', KEYS[4], token)
	end
end

local function take()
	local _, fence = reserve(redis.call('TIME'), ARGV[3], ARGV[4])
	leave()
	return fence
end

-- Looks and takes in one command
local holder = redis.pcall('SET', KEYS[1], token, 'NX', 'GET', 'PX', ARGV[2])
if not holder then
	local taken, fence = pcall(take)
	if taken then
		return fence
	end
	redis.call('DEL', KEYS[1])
	error(fence, 0)
end
if type(holder) == 'table' then
	if string.find(holder.err, 'READONLY', 1, true) then
		-- A replica: see refuseAsReplica() in queue.lua
		return holder
	end
	-- Redis before 7.0 does not know the command, and one that is out of memory refuses it. Both
	-- can be asked
	holder = redis.pcall('GET', KEYS[1])
end

local here, busy
if type(holder) == 'table' then
	here = queue()
	local _, latest, problem = holders(here).ends(KEYS[1])
	if problem then
		return holder
	end
	local millis = here.millis(redis.call('TIME'))
	if latest > millis then
		-- Several hold, so nobody can hold alone
		local alive = string.format('(%.0f', millis)
		local nearest = redis.call('ZRANGEBYSCORE', KEYS[1], alive, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
		busy = string.format('full %.0f %d 0 0 %s', nearest[2] - millis, redis.call('ZCOUNT', KEYS[1], alive, '+inf'),
			nearest[1])
	else
		-- The key outlives their leases for those that wait
		local front = here.front()
		busy = front and front ~= token and string.format('full %.0f 0 0 1 %s', redis.call('PTTL', KEYS[1]), front)
		holder = false
	end
elseif holder and holder ~= token then
	here = ARGV[5] and queue()
	busy = 'busy ' .. string.format('%.0f', redis.call('PTTL', KEYS[1])) .. ' ' .. holder
end

if busy then
	if ARGV[5] then
		busy = here.enter(busy, token, ARGV[2], ARGV[3], nil, ARGV[5], ARGV[6], ARGV[7])
	end
	return busy
end

local fence = redis.call('GET', KEYS[2])
if holder and string.find(fence or '', '^%d+ %d+$') then
	leave()
else
	-- The lock itself is written last: should a write be refused, nobody holds it
	fence = take()
end
if not holder then
	redis.call('SET', KEYS[1], token, 'PX', ARGV[2])
elseif redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return fence
