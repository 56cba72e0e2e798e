-- What the scripts have in common about several holders of a lock. This text precedes them as
-- the body of a function, holders(queue), which costs nothing unless it is called; the argument
-- is what queue() returned. It returns a table of functions.
--
-- KEYS[1] lock  string: the token of a holder that is alone; otherwise a sorted set: the tokens
--               of the holders by the ends of their leases in milliseconds, and '#' with the
--               token of each holder that has a limit, by that limit
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

local here = {}
local instanceOf = queue.instanceOf

local function whole(number)
	return string.format('%.0f', number)
end

-- True for a holder, false for a limit, nil for anything else
local function isHolder(member, score)
	local limit = string.sub(member, 1, 1) == '#'
	if score < NO_END and limit == (score < FIRST_END) and instanceOf(limit and string.sub(member, 2) or member) then
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
			return nil, nil, queue.foreign(key)
		elseif latest[i] == token then
			own = score
		elseif holder then
			others = score
		end
	end
	if token and not own and #latest == 4 then
		own = tonumber(redis.call('ZSCORE', key, token))
	end
	if #latest > 0 and not own and not others then
		return nil, nil, queue.foreign(key)
	end
	return own, others
end

-- The holder whose lease ends first, that end, and the smallest limit
local function nearest()
	local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
	local score = tonumber(first[2])
	local holder = isHolder(first[1], score)
	if holder == nil then
		error(queue.foreign(KEYS[1]).err, 0)
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
		queue.write()
		redis.call('DEL', KEYS[1])
		return company
	end
	local holder, ends, smallest = nearest()
	if ends <= millis then
		queue.write()
		local ended = redis.call('ZRANGEBYSCORE', KEYS[1], FIRST_END, millis, 'LIMIT', 0, FORGOTTEN_AT_MOST)
		local number = #ended
		for i = 1, number do
			if not instanceOf(ended[i]) then
				error(queue.foreign(KEYS[1]).err, 0)
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

-- Whether a holder has the lease already, and its limit. The server reports each change to all
-- others that watch the key, and they would ask, too: so a question must change nothing.
function here.has(key, token, limit, lease, own, millis)
	if millis + lease > own then
		return false
	end
	local left = redis.call('PTTL', key)
	return (left == -1 or left >= own - millis) and (limit == '0' or redis.call('ZSCORE', key, '#' .. token) == limit)
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

queue.holders = here
return here
