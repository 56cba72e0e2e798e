/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.distributedlock.store.trace;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.RespClient;
import org.jspecify.annotations.Nullable;

/**
 * The store with its scripts on a real server. The clock of the server cannot be set, so
 * that time passes by moving what is stored: each end and each sign of life comes a tick
 * nearer. What is left is rounded up to whole ticks, which is exact as long as a trace
 * takes much less than a tick.
 */
final class RedisSubject implements Subject {

	private static final String PASS = """
			local by = tonumber(ARGV[1])
			for i = 1, 3 do
				local left = redis.call('PTTL', KEYS[i])
				if left >= 0 and left <= by then
					redis.call('DEL', KEYS[i])
				elseif left >= 0 then
					redis.call('PEXPIRE', KEYS[i], left - by)
				end
			end
			if redis.call('TYPE', KEYS[1]).ok == 'zset' then
				local members = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
				for i = 1, #members, 2 do
					if tonumber(members[i + 1]) > 2147483648 then
						redis.call('ZADD', KEYS[1], string.format('%.0f', members[i + 1] - by), members[i])
					end
				end
			end
			local waiting = redis.call('HGETALL', KEYS[3])
			for i = 1, #waiting, 2 do
				local alive, rest = string.match(waiting[i + 1], '^(%d+)(.*)$')
				redis.call('HSET', KEYS[3], waiting[i], string.format('%.0f', alive - by) .. rest)
			end
			""";

	private static final String LOOK = """
			local time = redis.call('TIME')
			local now = time[1] * 1000 + math.floor(time[2] / 1000)
			local function left(ends)
				return string.format('%.0f', math.max(0, math.ceil((ends - now) / 1000)))
			end
			local seen = {left(now + redis.call('PTTL', KEYS[1])), '0'}
			local holders = 0
			if redis.call('TYPE', KEYS[1]).ok == 'string' then
				holders = 1
				seen[3], seen[4], seen[5] = redis.call('GET', KEYS[1]), '1', seen[1]
			elseif redis.call('EXISTS', KEYS[1]) == 1 then
				local members = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
				for i = 1, #members, 2 do
					if tonumber(members[i + 1]) > now then
						holders = holders + 1
						seen[#seen + 1] = members[i]
						seen[#seen + 1] = redis.call('ZSCORE', KEYS[1], '#' .. members[i]) or '0'
						seen[#seen + 1] = left(members[i + 1])
					end
				end
			end
			seen[2] = tostring(holders)
			for _, token in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
				seen[#seen + 1] = token
				seen[#seen + 1] = left(string.match(redis.call('HGET', KEYS[3], token) or '0', '^%d+'))
			end
			return seen
			""";

	private static final long MUCH = TimeUnit.MILLISECONDS.toNanos(800);

	private final List<? extends LockStore> stores;

	private final Duration patience;

	private final String look;

	private final RespClient client;

	private final BlockingQueue<Grant> grants = new LinkedBlockingQueue<>();

	private long begin = System.nanoTime();

	/**
	 * Create a subject with a store for each instance, and an empty server.
	 * @param patience how long to wait for a message
	 * @param time what tells the scripts the time
	 */
	RedisSubject(RedisServer server, List<? extends LockStore> stores, Duration patience, String time) {
		this.stores = stores;
		this.patience = patience;
		this.look = LOOK.replace(Subjects.TIME, time);
		server.flushAll();
		this.client = RespClient.connect(server.host(), server.port(), Duration.ofMinutes(1));
		CountDownLatch subscribed = new CountDownLatch(INSTANCES.size());
		for (int i = 0; i < INSTANCES.size(); i++) {
			stores.get(i).listen(INSTANCES.get(i), new GrantListener() {

				@Override
				public void granted(Grant grant) {
					RedisSubject.this.grants.add(grant);
				}

				@Override
				public void revoked(String name, LockToken token) {
				}

				@Override
				public void subscribed() {
					subscribed.countDown();
				}

			});
		}
		try {
			if (!subscribed.await(1, TimeUnit.MINUTES)) {
				throw new IllegalStateException("Nobody listens.");
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public boolean isRedis() {
		return true;
	}

	@Override
	public LockStore store() {
		return this.stores.get(0);
	}

	@Override
	public void pass(String name, long ticks) {
		this.client.command("EVAL", PASS, "3", "lock:" + name, "{lock:" + name + "}:queue",
				"{lock:" + name + "}:waiting", String.valueOf(ticks * 1000));
	}

	@Override
	public Step.Observed look(String name) {
		List<String> seen = new ArrayList<>();
		Object answer = this.client.command("EVAL", this.look, "3", "lock:" + name, "{lock:" + name + "}:queue",
				"{lock:" + name + "}:waiting");
		((List<?>) Objects.requireNonNull(answer)).forEach((each) -> seen.add((String) each));
		List<Step.Held> holders = new ArrayList<>();
		int at = 2;
		for (int i = Integer.parseInt(seen.get(1)); i > 0; i--, at += 3) {
			holders
				.add(new Step.Held(seen.get(at), Integer.parseInt(seen.get(at + 1)), Long.parseLong(seen.get(at + 2))));
		}
		List<Step.Place> queue = new ArrayList<>();
		for (; at < seen.size(); at += 2) {
			queue.add(new Step.Place(seen.get(at), Long.parseLong(seen.get(at + 1))));
		}
		return new Step.Observed(holders, Long.parseLong(seen.get(0)), queue, true);
	}

	@Override
	public List<Step.Pushed> messages(int expected) {
		List<Step.Pushed> messages = new ArrayList<>();
		try {
			for (Grant grant = next(expected > 0); grant != null; grant = next(messages.size() < expected)) {
				messages.add(new Step.Pushed(grant.token().text(), grant.fencingToken(), grant.fenceBlock(),
						grant.lease().toNanos() / SECOND));
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		return messages;
	}

	private @Nullable Grant next(boolean expected) throws InterruptedException {
		return expected ? this.grants.poll(this.patience.toMillis(), TimeUnit.MILLISECONDS) : this.grants.poll();
	}

	@Override
	public boolean wasPunctual() {
		long now = System.nanoTime();
		boolean punctual = now - this.begin < MUCH;
		this.begin = now;
		return punctual;
	}

	@Override
	public void close() {
		this.client.close();
		this.stores.forEach(LockStore::close);
	}

}
