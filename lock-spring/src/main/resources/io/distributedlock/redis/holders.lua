-- Functions that the scripts of several holders share. This text precedes each of them as the
-- body of a function, holders(), which costs nothing unless it is called. All have these keys:
--
-- KEYS[1] lock     string: the token of a holder that is alone; otherwise sorted set:
--                  the tokens of the holders by the ends of their leases in milliseconds
-- KEYS[2] fence    string: "last block", the last fencing token given, and how many there
--                  were in its block
-- KEYS[3] queue    sorted set: waiting tokens by time of arrival in microseconds
-- KEYS[4] waiting  hash: waiting token -> "aliveUntilMillis leaseMillis fenceBlock nonce", and
--                  then the limit if it is not 1: 0 is none
-- KEYS[5] limits   sorted set: the tokens of the holders that have a limit, by that limit
--
-- It returns a table of functions.
--
-- There are never more holders than any of them accepts: see the model of several holders.

local SERVED_AT_MOST = 16

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local millis = math.floor(now / 1000)

local here = {now = now, millis = millis}

function here.isSet()
	return redis.call('TYPE', KEYS[1]).ok == 'zset'
end

function here.isHeld()
	return redis.call('TYPE', KEYS[1]).ok ~= 'none'
end

function here.remove(token)
	redis.call('ZREM', KEYS[5], token)
	return redis.call('ZREM', KEYS[1], token)
end

-- Counts and limits include only holders whose leases last
function here.forgetEnded()
	local ended = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', millis, 'LIMIT', 0, 1000)
	while #ended > 0 do
		redis.call('ZREM', KEYS[1], unpack(ended))
		redis.call('ZREM', KEYS[5], unpack(ended))
		ended = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', millis, 'LIMIT', 0, 1000)
	end
	if not here.isHeld() then
		-- Both keys may have expired, one of them a moment later
		redis.call('DEL', KEYS[5])
	end
end

-- The smallest limit of a holder, as a text, or nil if none has any
local function smallestLimit()
	return redis.call('ZRANGE', KEYS[5], 0, 0, 'WITHSCORES')[2]
end

-- "full millis count limit 0 holder": when the first lease ends, how many hold, the smallest
-- limit of them, or 0 for none, and whose lease that is; or with 1 the waiter in front, which
-- alone is in the way; nil if nobody holds
function here.several(behind)
	local nearest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
	return nearest[1] and string.format('full %.0f %d %s %d %s', nearest[2] - millis, redis.call('ZCARD', KEYS[1]),
		smallestLimit() or '0', behind and 1 or 0, behind or nearest[1])
end

function here.fits(limit)
	local smallest = tonumber(smallestLimit()) or math.huge
	if limit ~= '0' then
		smallest = math.min(smallest, tonumber(limit))
	end
	return redis.call('ZCARD', KEYS[1]) + 1 <= smallest
end

function here.add(token, limit, lease)
	redis.call('ZADD', KEYS[1], string.format('%.0f', millis + lease), token)
	if limit ~= '0' then
		redis.call('ZADD', KEYS[5], limit, token)
	end
end

-- The key exists exactly as long as somebody holds
function here.expireWithTheLast()
	local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]
	if last then
		redis.call('PEXPIRE', KEYS[1], string.format('%.0f', last - millis))
		redis.call('PEXPIRE', KEYS[5], string.format('%.0f', last - millis))
	end
end

function here.leaveQueue(token)
	redis.call('ZREM', KEYS[3], token)
	redis.call('HDEL', KEYS[4], token)
end

-- The fencing tokens of a grant: the first one, and what is stored
function here.reserve(block, retention)
	local last = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) %d+$')
	last = tonumber(last or 0)
	-- Values that we did not write count as nothing; beyond 2^53 one more makes no difference
	local first = (last >= now and last < 9e15) and last + 1 or now
	local fence = string.format('%.0f %s', first + block - 1, block)
	redis.call('SET', KEYS[2], fence, 'PX', retention)
	return string.format('%.0f', first), fence
end

-- Grants the lock to the waiters in their order, as long as they fit. Stops at the first that
-- does not fit, so that nobody behind makes it wait longer.
-- until_   a token before which to stop, or nil
-- messages an outbox
-- Returns "done", or "blocked" if a live waiter did not fit, or "more" if the next script
-- might serve more.
function here.serve(name, settings, until_, messages)
	local longest, receivers, retention, prefix = string.match(settings, '^(%d+) (%d) (%d+) (.*)$')
	local served = 0
	local waiter = redis.call('ZRANGE', KEYS[3], 0, 0)[1]
	while waiter and waiter ~= until_ do
		local entry = redis.call('HGET', KEYS[4], waiter) or ''
		local aliveUntil, lease, block, nonce, limit = string.match(entry, '^(%d+) (%d+) (%d+) (%-?%d+) ?(%d*)$')
		local instance = string.match(waiter, '^(.*):')
		if instance and aliveUntil and tonumber(aliveUntil) > millis then
			limit = (limit == '') and '1' or limit
			if not here.fits(limit) then
				return 'blocked'
			end
			if served == SERVED_AT_MOST then
				return 'more'
			end
			local fence = here.reserve(block, math.max(tonumber(retention), 2 * lease))
			local grantLease = string.format('%.0f', math.min(lease, longest))
			if limit == '1' then
				redis.call('SET', KEYS[1], waiter, 'PX', grantLease)
			else
				here.add(waiter, limit, grantLease)
			end
			local grant = table.concat({waiter, fence, block, grantLease, nonce, name}, ' ')
			local received = messages.publish(prefix .. instance, grant)
			here.leaveQueue(waiter)
			if received == 0 and receivers == '1' then
				-- Nobody listens, so the waiter is dead
				if limit == '1' then
					redis.call('DEL', KEYS[1])
				else
					here.remove(waiter)
				end
			else
				served = served + 1
				if limit == '1' then
					return 'blocked'
				end
			end
		else
			here.leaveQueue(waiter)
		end
		waiter = redis.call('ZRANGE', KEYS[3], 0, 0)[1]
	end
	return 'done'
end

return here
