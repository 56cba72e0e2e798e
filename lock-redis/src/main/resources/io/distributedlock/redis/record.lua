-- Read the record of a lock, and replace it if the token holds the lock alone.
--
-- KEYS[1] lock    see holders.lua
-- KEYS[2] record  string, which neither a release nor another holder changes
-- ARGV[1] token; without arguments, the record is only read
-- ARGV[2] the record that is to be replaced, or an empty text for none
-- ARGV[3] the new record
-- ARGV[4] its time to live in milliseconds
--
-- Returns the text 1 if the record is now the new one, 0 if the token does not hold the lock, "="
-- and the record if it is another one, or "-" if there is none.

local record = redis.call('GET', KEYS[2])
if ARGV[1] then
	-- Several holders are a sorted set, which is no text
	if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then
		queue().refuseAsReplica()
		return '0'
	end
	-- A request that is repeated finds its own record
	if (record or '') == ARGV[2] or record == ARGV[3] then
		redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
		return '1'
	end
	queue().refuseAsReplica()
end
return record and '=' .. record or '-'
