-- What the scripts have in common, beyond a lock that is free: who holds it, who waits for it,
-- and which values others wrote. This text precedes them as the body of a function, protocol(),
-- which costs nothing unless it is called. It returns a table of functions.
--
-- KEYS[1] lock     string: the token of a holder that is alone; otherwise a sorted set: the
--                  tokens of the holders by the ends of their leases in milliseconds, and
--                  '#' with the token of each holder that has a limit, by that limit
-- KEYS[2] fence    see reserve.lua
-- KEYS[3] queue    sorted set: waiting tokens by time of arrival in microseconds
-- KEYS[4] waiting  hash: waiting token -> "aliveUntilMillis leaseMillis fenceBlock nonce", and
--                  then the limit if it is not 1: 0 is none
--
-- There are never more holders than any of them accepts: see the model of several holders.

-- Limits are smaller, and the ends of leases are not
local FIRST_END = 2147483648
local NO_END = 9e15

-- How many milliseconds the key of several holders outlives their leases, so that a caller that
-- wants to be alone does not overtake those that wait
local GRACE = 1000

-- No script blocks Redis for long: the next one does the rest
local FORGOTTEN_AT_MOST = 100
local LOOKED_AT_MOST = 16

local here = {}

function here.millis(time)
	return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function whole(number)
	return string.format('%.0f', number)
end

-- Values that others wrote are refused, and stay. Only the members that are read are checked.

local function foreign(key)
	return redis.error_reply('WRONGTYPE ' .. key .. ' holds a value that no lock has written')
end

local function isToken(text)
	return string.find(text, '^[%w@._-]+~[%w_-]+:%-?%w+$')
end

-- True for a holder, false for a limit, nil for anything else
local function isHolder(member, score)
	local limit = string.sub(member, 1, 1) == '#'
	if score < NO_END and limit == (score < FIRST_END) and isToken(limit and string.sub(member, 2) or member) then
		return not limit
	end
	return nil
end

-- Returns when the lease of the token ends, or nil if it is none of several holders, and when
-- the last lease of the others ends, or nil. If the key holds no holders, the third value is an
-- error as from redis.pcall.
function here.ends(key, token)
	local latest = redis.pcall('ZRANGE', key, -2, -1, 'WITHSCORES')
	if latest.err then
		return nil, nil, latest
	end
	local own, others
	for i = 1, #latest, 2 do
		local score = tonumber(latest[i + 1])
		local holder = isHolder(latest[i], score)
		if holder == nil then
			return nil, nil, foreign(key)
		elseif latest[i] == token then
			own = score
		elseif holder then
			others = score
		end
	end
	if token and not own and #latest == 4 then
		own = tonumber(redis.call('ZSCORE', key, token))
	end
	return own, others
end

-- Redis out of memory refuses only the first write of a script. A request that may be granted
-- begins with one that is refused, and changes nothing.
local function write()
	if here.growing then
		redis.call('ZADD', KEYS[1], 'XX', 0, '')
		here.growing = nil
	end
end

-- The holder whose lease ends first, that end, and the smallest limit
local function nearest()
	local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
	local score = tonumber(first[2])
	local holder = isHolder(first[1], score)
	if holder == nil then
		error(foreign(KEYS[1]).err, 0)
	elseif holder then
		return first[1], score, math.huge
	end
	first = redis.call('ZRANGEBYSCORE', KEYS[1], FIRST_END, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
	return first[1], tonumber(first[2]), score
end

-- Forgets the holders whose leases have ended, and returns a table about the others: count,
-- smallest limit, latest end, holder with the nearest end. If it has more, the call must be
-- repeated.
function here.company(others, millis)
	local company = {count = 0, smallest = math.huge, latest = 0}
	if not others then
		return company
	elseif others <= millis then
		write()
		redis.call('DEL', KEYS[1])
		return company
	end
	local holder, ends, smallest = nearest()
	if ends <= millis then
		write()
		local ended = redis.call('ZRANGEBYSCORE', KEYS[1], FIRST_END, millis, 'LIMIT', 0, FORGOTTEN_AT_MOST)
		local number = #ended
		for i = 1, number do
			if not isToken(ended[i]) then
				error(foreign(KEYS[1]).err, 0)
			end
			ended[number + i] = '#' .. ended[i]
		end
		redis.call('ZREM', KEYS[1], unpack(ended))
		company.more = number == FORGOTTEN_AT_MOST
		holder, ends, smallest = nearest()
	end
	company.count = redis.call('ZCOUNT', KEYS[1], FIRST_END, '+inf')
	company.smallest, company.latest, company.holder, company.nearest = smallest, others, holder, ends
	return company
end

function here.fits(company, limit)
	return company.count < company.smallest and (limit == '0' or company.count < tonumber(limit))
end

local function put(key, token, limit, ends)
	if limit == '0' then
		redis.call('ZADD', key, whole(ends), token)
	else
		redis.call('ZADD', key, whole(ends), token, limit, '#' .. token)
	end
end

-- Adds a holder that fits
function here.add(company, token, limit, lease, millis)
	local ends = millis + lease
	put(KEYS[1], token, limit, ends)
	if ends > company.latest then
		redis.call('PEXPIRE', KEYS[1], whole(ends - millis + GRACE))
		company.latest = ends
	end
	if not company.nearest or ends < company.nearest then
		company.holder, company.nearest = token, ends
	end
	company.count = company.count + 1
	if limit ~= '0' then
		company.smallest = math.min(company.smallest, limit)
	end
end

-- Restarts the lease of a holder, and restores its limit if that was lost. The first command is
-- one that Redis out of memory does not refuse.
function here.renew(key, token, limit, lease, exactly, own, others, millis)
	local ends = millis + lease
	if not exactly and ends < own then
		ends = own
	end
	redis.call('PEXPIRE', key, whole(math.max(ends, others or 0) - millis + GRACE))
	put(key, token, limit, ends)
end

-- Removes a holder, whose lease may have ended
function here.remove(token, own, others, millis)
	redis.call('ZREM', KEYS[1], token, '#' .. token)
	if others and others < own then
		redis.call('PEXPIRE', KEYS[1], whole(math.max(1, others - millis + GRACE)))
	end
end

-- "full millis count limit 0 holder": when the first lease ends, how many hold, the smallest
-- limit of them, or 0 for none, and whose lease that is; or with 1 the waiter in front, which
-- alone is in the way
function here.full(company, millis, front)
	return string.format('full %.0f %d %.0f %d %s', company.nearest - millis, company.count,
		(company.smallest < math.huge) and company.smallest or 0, front and 1 or 0, front or company.holder)
end

-- The first waiter, or nil
function here.front()
	local waiter = redis.call('ZRANGE', KEYS[3], 0, 0)[1]
	if waiter and not isToken(waiter) then
		error(foreign(KEYS[3]).err, 0)
	end
	return waiter
end

function here.leaveQueue(token)
	redis.call('HDEL', KEYS[4], token)
	redis.call('ZREM', KEYS[3], token)
end

-- Enters the queue, or confirms the place in it. A limit of 1 is nil.
function here.enter(token, lease, block, limit, life, sign, nonce)
	local keep = math.max(10000, 5 * life)
	sign = tonumber(sign)
	-- Every fourth sign prolongs the keys instead of the entry, so that no sign is expensive
	local keeping = sign % 4 == 3
	if keeping and redis.call('PEXPIRE', KEYS[3], keep) == 1 and redis.call('PEXPIRE', KEYS[4], keep) == 1 then
		return
	end
	local time = redis.call('TIME')
	local entry = string.format('%.0f %s %s %s', here.millis(time) + life, lease, block, nonce)
	if limit then
		entry = entry .. ' ' .. limit
	end
	if redis.call('HSET', KEYS[4], token, entry) == 1 or sign == 0 or keeping then
		local placed = redis.pcall('ZADD', KEYS[3], 'NX', whole(time[1] * 1000000 + time[2]), token)
		if type(placed) == 'table' then
			redis.call('HDEL', KEYS[4], token)
			error(placed.err, 0)
		end
		redis.call('PEXPIRE', KEYS[3], keep)
		redis.call('PEXPIRE', KEYS[4], keep)
	end
end

-- Whether nobody listens to an inbox. Some users must not ask that.
local function isDeaf(inbox)
	local asked, may = true, true
	if redis.acl_check_cmd then
		asked, may = pcall(redis.acl_check_cmd, 'PUBSUB', 'NUMSUB', inbox)
	end
	return asked and may and redis.pcall('PUBSUB', 'NUMSUB', inbox)[2] == 0
end

-- Grants the lock to the waiters in their order, as long as they fit. Stops at the first that
-- does not fit, so that nobody behind makes it wait longer.
-- settings  "lease receivers retention prefix": the longest lease in milliseconds under which a
--           lock is handed off; 1 if PUBLISH counts every receiver, so that none means that the
--           waiter is dead; how many milliseconds to keep the fence at least; and the part of an
--           inbox channel's name that precedes the instance
-- popped    the first waiter, if ZPOPMIN returned it already and nobody holds, or nil
-- own       a token whose place ends, or nil
-- stop      a token before which to stop, or nil
-- Returns "done"; "alone" if a waiter holds that is alone; "blocked" if a living waiter does
-- not fit; "more" if the call must be repeated; and the waiter.
function here.serve(company, name, settings, time, messages, popped, own, stop)
	local longest, receivers, retention, prefix = string.match(settings, '^(%d+) (%d) (%d+) (.*)$')
	local millis = here.millis(time)

	-- If nobody holds, whoever is first fits
	local function first()
		if company.count == 0 and not stop then
			popped = redis.call('ZPOPMIN', KEYS[3])
			return popped[1]
		end
		popped = nil
		return here.front()
	end

	local waiter = popped and popped[1] or first()
	for looked = 1, LOOKED_AT_MOST do
		if not waiter or waiter == stop then
			return 'done'
		end
		local entry = redis.call('HGET', KEYS[4], waiter)
		local aliveUntil, lease, block, nonce, limit = string.match(entry or '', '^(%d+) (%d+) (%d+) (%-?%d+) ?(%d*)$')
		if not isToken(waiter) or entry and not aliveUntil then
			if popped then
				redis.call('ZADD', KEYS[3], popped[2], waiter)
			end
			error(foreign(aliveUntil and KEYS[3] or KEYS[4]).err, 0)
		end
		local inbox = prefix .. string.match(waiter, '^(.*):')
		local served = entry and tonumber(aliveUntil) > millis and waiter ~= own
		limit = (limit == '') and '1' or limit
		if served and not here.fits(company, limit) then
			if receivers ~= '1' or not isDeaf(inbox) then
				return 'blocked', waiter
			end
			served = false
		end
		local grantLease
		if served then
			if company.replaces and limit ~= '1' then
				redis.call('DEL', KEYS[1])
				company.replaces = nil
			end
			if company.count == 0 and not company.replaces then
				-- Fails if a slot on its way refuses to create the key: before the waiter is told that it
				-- holds the lock
				redis.call('PTTL', KEYS[1])
			end
			local fence = reserve(time, block, math.max(retention, 2 * lease))
			grantLease = whole(math.min(lease, longest))
			local grant = table.concat({waiter, fence, block, grantLease, nonce, name}, ' ')
			served = messages.publish(inbox, grant) ~= 0 or receivers ~= '1'
		end
		write()
		if own then
			-- A place of the token has an entry too
			if redis.call('HDEL', KEYS[4], waiter, own) > (entry and 1 or 0) then
				redis.call('ZREM', KEYS[3], own)
			end
			own = nil
		else
			redis.call('HDEL', KEYS[4], waiter)
		end
		if not popped then
			redis.call('ZREM', KEYS[3], waiter)
		end
		if served and limit == '1' then
			redis.call('SET', KEYS[1], waiter, 'PX', grantLease)
			company.count = 1
			return 'alone', 'busy ' .. grantLease .. ' ' .. waiter
		elseif served then
			here.add(company, waiter, limit, grantLease, millis)
		end
		if looked < LOOKED_AT_MOST then
			waiter = first()
		end
	end
	return 'more'
end

return here
