-- Deletes the lock if it still carries the caller's token.
-- KEYS[1]  the lock
-- ARGV[1]  the token
-- returns  1 if the lock was deleted, 0 if it is gone or somebody else's
if redis.call('get', KEYS[1]) == ARGV[1] then
	return redis.call('del', KEYS[1])
end
return 0
