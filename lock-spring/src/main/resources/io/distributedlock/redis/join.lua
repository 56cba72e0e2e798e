-- Take the lock beside others, or enter the queue. Repeating this with the same token does no
-- harm, even late: the lease of the token is never shortened.
--
-- KEYS     see holders.lua
-- ARGV[1]  token
-- ARGV[2]  lease in milliseconds
-- ARGV[3]  how many fencing tokens to reserve
-- ARGV[4]  how many milliseconds to keep the fence
-- ARGV[5]  how many holders there may be, this one included, at least 2; 0 for any number
-- ARGV[6]  name of the lock
-- ARGV[7]  "lease receivers retention prefix", as for a release
-- ARGV[8]  a holder; while it holds, this request is not queued behind those that wait; or ''
-- The rest only to enter the queue or to confirm the place in it.
-- ARGV[9]  how many milliseconds the place is valid
-- ARGV[10] how many requests entered or confirmed the place before
-- ARGV[11] the secret that a grant must carry
--
-- Returns the text "last block" if the token holds: the last of the fencing tokens reserved
-- now, and how many there are; "busy millis holder" if one holds it alone, or what
-- several() of holders.lua returns. In front of it may be messages, see outbox.lua.

local here = holders()
local messages = outbox()
local token, lease, limit = ARGV[1], tonumber(ARGV[2]), ARGV[5]
local kind = redis.call('TYPE', KEYS[1]).ok
local alone = kind == 'string'
local behind

local function granted()
	here.expireWithTheLast()
	here.leaveQueue(token)
	local _, fence = here.reserve(ARGV[3], ARGV[4])
	return messages.answer(fence)
end

if not alone then
	here.forgetEnded()
	local own = redis.call('ZSCORE', KEYS[1], token)
	if own then
		if tonumber(own) < here.millis + lease then
			here.add(token, limit, lease)
		end
		return granted()
	end
	local beside = ARGV[8] ~= '' and redis.call('ZSCORE', KEYS[1], ARGV[8])
	local free = beside or here.serve(ARGV[6], ARGV[7], token, messages) == 'done'
	if here.fits(limit) then
		-- No live waiter is in front, or none at all if this token has no place yet
		if free then
			here.add(token, limit, lease)
			return granted()
		end
		behind = redis.call('ZRANGE', KEYS[3], 0, 0)[1]
	end
	alone = redis.call('TYPE', KEYS[1]).ok == 'string'
	if not alone then
		here.expireWithTheLast()
	end
end

if ARGV[9] then
	local keep = math.max(10000, 5 * ARGV[9])
	local entry = string.format('%.0f %s %s %s %s', here.millis + ARGV[9], ARGV[2], ARGV[3], ARGV[11], limit)
	redis.call('HSET', KEYS[4], token, entry)
	redis.call('ZADD', KEYS[3], 'NX', string.format('%.0f', here.now), token)
	redis.call('PEXPIRE', KEYS[3], keep)
	redis.call('PEXPIRE', KEYS[4], keep)
end
if alone then
	return messages.answer('busy ' .. string.format('%.0f', redis.call('PTTL', KEYS[1])) .. ' ' .. redis.call('GET', KEYS[1]))
end
-- Nobody holds it, and others are in front
return messages.answer(here.several(behind) or 'busy -1 ')
