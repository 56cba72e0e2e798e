-- Check whether the user has the rights that locks of all kinds need, and whether the server
-- accepts writes, and read its information. Changes nothing, and runs no command that the user is
-- known to lack the right to.
--
-- KEYS    of a lock that nobody takes, see queue.lua
-- ARGV[1] a channel of grants
--
-- Returns lines: the commands that the user lacks the right to, some more than once, the first command
-- that the server does not know or '', the first one that the user lacks the right to and that
-- locks work without or '', why it refuses a write or '', and the answer to INFO or ''. Servers
-- before 7.0 report none of these commands. It is a text, as a client whose connection breaks in
-- the middle of a list, and that sends the script again, confuses the two answers.

local unknown = ''

local function lacks(command, ...)
	if not redis.acl_check_cmd then
		return false
	end
	local known, allowed = pcall(redis.acl_check_cmd, command, ...)
	if not known and unknown == '' then
		unknown = command
	end
	return known and not allowed
end

local needed = {
	{'GET', KEYS[1]}, {'SET', KEYS[1], '', 'PX', 1}, {'DEL', KEYS[1]}, {'PEXPIRE', KEYS[1], 1}, {'PTTL', KEYS[1]},
	{'ZRANGE', KEYS[1], 0, 0}, {'ZRANGEBYSCORE', KEYS[1], 0, 0}, {'ZCOUNT', KEYS[1], 0, 0}, {'ZSCORE', KEYS[1], ''},
	{'SET', KEYS[2], '', 'PX', 1}, {'ZADD', KEYS[3], 'NX', 1, ''}, {'ZREM', KEYS[3], ''}, {'ZPOPMIN', KEYS[3]},
	{'HGET', KEYS[4], ''}, {'HSET', KEYS[4], '', ''}, {'HDEL', KEYS[4], ''}, {'TIME'},
	{'PUBLISH', ARGV[1], ''}, {'SUBSCRIBE', ARGV[1]}
}
local lacking = {}
for _, command in ipairs(needed) do
	if lacks(unpack(command)) then
		table.insert(lacking, command[1])
	end
end

local missing = unknown
local unreported = ''
for _, subcommand in ipairs({{'TRACKING', 'ON'}, {'CACHING', 'YES'}}) do
	if unreported == '' and lacks('CLIENT', unpack(subcommand)) then
		unreported = 'CLIENT ' .. subcommand[1]
	end
end
local refusal = ''
if #lacking == 0 and missing == '' then
	-- Needs memory and replicas like any other write, and adds nothing
	local written = redis.pcall('ZADD', KEYS[3], 'XX', 1, '')
	if type(written) == 'table' then
		refusal = string.match(written.err, '[^\r\n]*')
	end
end
local info = ''
if not lacks('INFO') then
	local answer = redis.pcall('INFO')
	if type(answer) == 'string' then
		info = answer
	end
end
return table.concat(lacking, ' ') .. '\n' .. missing .. '\n' .. unreported .. '\n' .. refusal .. '\n' .. info
