-- What the scripts have in common about those that wait for a lock, and about values that others
-- wrote. This text precedes them as the body of a function, queue(), which costs nothing unless
-- it is called. It returns a table of functions.
--
-- KEYS[1] lock     see holders.lua
-- KEYS[2] fence    see reserve.lua
-- KEYS[3] queue    sorted set: waiting tokens by time of arrival in microseconds
-- KEYS[4] waiting  hash: waiting token -> "aliveUntilMillis leaseMillis fenceBlock nonce", and
--                  then the limit if it is not 1: 0 is none

-- No script blocks Redis for long: the next one does the rest
local LOOKED_AT_MOST = 16

local here = {}

function here.millis(time)
	return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Values that others wrote are refused, and stay. Only the members that are read are checked.

function here.foreign(key)
	return redis.error_reply('WRONGTYPE ' .. key .. ' holds a value that no lock has written')
end

-- Returns the instance of a token, or nil if the text is not a token
function here.instanceOf(text)
	return string.match(text, '^([%w@._-]+~[%w_-]+):%-?%w+$')
end

-- Redis out of memory refuses only the first write of a script. A request that may be granted
-- begins with one that is refused, and changes nothing.
function here.write()
	if here.growing then
		redis.call('ZADD', KEYS[1], 'XX', 0, '')
		here.growing = nil
	end
end

function here.fits(company, limit)
	return company.count < company.smallest and (limit == '0' or company.count < tonumber(limit))
end

-- The first waiter, or nil
function here.front()
	local waiter = redis.call('ZRANGE', KEYS[3], 0, 0)[1]
	if waiter and not here.instanceOf(waiter) then
		error(here.foreign(KEYS[3]).err, 0)
	end
	return waiter
end

function here.leaveQueue(token)
	redis.call('HDEL', KEYS[4], token)
	redis.call('ZREM', KEYS[3], token)
end

local function place(token, lease, block, limit, life, sign, nonce)
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
	local entered = redis.pcall('HSET', KEYS[4], token, entry)
	if type(entered) == 'table' then
		if string.find(entered.err, 'OOM', 1, true) then
			-- A place is small, and without it nobody hands the lock off: begin with a write that is not
			-- refused, and changes nothing
			redis.call('HDEL', KEYS[4], '')
		end
		entered = redis.call('HSET', KEYS[4], token, entry)
	end
	if entered == 1 or sign == 0 or keeping then
		local placed = redis.pcall('ZADD', KEYS[3], 'NX', string.format('%.0f', time[1] * 1000000 + time[2]), token)
		if type(placed) == 'table' then
			redis.call('HDEL', KEYS[4], token)
			error(placed.err, 0)
		end
		redis.call('PEXPIRE', KEYS[3], keep)
		redis.call('PEXPIRE', KEYS[4], keep)
	end
end

-- Enters the queue, or confirms the place in it. A limit of 1 is nil. Returns the answer to
-- a waiter: in front of it "@last " with the last fencing token that was given, if there is one.
function here.enter(answer, token, lease, block, limit, life, sign, nonce)
	place(token, lease, block, limit, life, sign, nonce)
	local fence = redis.pcall('GET', KEYS[2])
	local last = type(fence) == 'string' and string.match(fence, '^(%d+) %d+$')
	-- No lock has written a longer one
	return last and #last <= 16 and '@' .. last .. ' ' .. answer or answer
end

-- Raises an error on a replica, whose answers are out of date. A client may take it for the
-- master, as after a failover. Other refusals of writes make no answer wrong.
function here.refuseAsReplica()
	local written = redis.pcall('ZREM', KEYS[1], '')
	if type(written) == 'table' and string.find(written.err, 'READONLY', 1, true) then
		redis.call('ZREM', KEYS[1], '')
	end
end

-- Whether nobody listens to an inbox at this server. Who listens at a replica of it hears each
-- message, too, but is not counted: so this is known before a grant is published.
local function isDeaf(inbox)
	local asked, may = true, true
	if redis.acl_check_cmd then
		asked, may = pcall(redis.acl_check_cmd, 'PUBSUB', 'NUMSUB', inbox)
	end
	local listeners = asked and may and redis.pcall('PUBSUB', 'NUMSUB', inbox)[2]
	-- A user who must not ask sends a message that every instance ignores
	return (listeners or redis.pcall('PUBLISH', inbox, '?')) == 0
end

-- Grants the lock to the waiters in their order, as long as they fit. Stops at the first that
-- does not fit, so that nobody behind makes it wait longer.
-- settings  "lease receivers retention prefix": the longest lease in milliseconds under which a
--           lock is handed off; 1 if this server counts every listener, so that none means that the
--           waiter is dead, or has another server; how many milliseconds to keep the fence at least; and the part of an
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
		local instance = here.instanceOf(waiter)
		if not instance or entry and not aliveUntil then
			if popped then
				redis.call('ZADD', KEYS[3], popped[2], waiter)
			end
			error(here.foreign(aliveUntil and KEYS[3] or KEYS[4]).err, 0)
		end
		local inbox = prefix .. instance
		local served = entry and tonumber(aliveUntil) > millis and waiter ~= own
		-- Without a nonce, the waiter does not listen: nobody tells it to ask for its whole lease
		local asks = nonce == '0'
		limit = (limit == '') and '1' or limit
		if served and receivers == '1' and not asks and isDeaf(inbox) then
			served = false
		end
		if served and not here.fits(company, limit) then
			return 'blocked', waiter
		end
		local grantLease
		if served then
			if company.replaces and limit ~= '1' then
				company.left = redis.call('PTTL', KEYS[1])
				redis.call('DEL', KEYS[1])
				company.replaces = nil
			end
			if company.count == 0 and not company.replaces then
				-- Fails if a slot on its way refuses to create the key: before the waiter is told that it
				-- holds the lock
				redis.call('PTTL', KEYS[1])
			end
			local fence = reserve(time, block, math.max(retention, 2 * lease))
			grantLease = string.format('%.0f', asks and lease or math.min(lease, longest))
			if not asks then
				messages.publish(inbox, table.concat({waiter, fence, block, grantLease, nonce, name}, ' '))
			end
		end
		here.write()
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
			local several = here.holders or holders(here)
			several.add(company, waiter, limit, grantLease, millis)
		end
		if looked < LOOKED_AT_MOST then
			waiter = first()
		end
	end
	return 'more'
end

return here
