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

package io.distributedlock.sample.stage;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Failures on demand, one at a time: otherwise nobody could tell what came of which.
 */
final class Incidents implements AutoCloseable {

	static final String PAUSED_HOLDER = "paused-holder";

	static final String STOPPED_REDIS = "stopped-redis";

	static final String FULL_REDIS = "full-redis";

	static final String READ_ONLY_REDIS = "read-only-redis";

	static final String DENYING_REDIS = "denying-redis";

	static final String RESTARTED_REDIS = "restarted-redis";

	static final String DELETED_KEY = "deleted-key";

	static final String STUCK_HOLDER = "stuck-holder";

	static final String KILLED_INSTANCE = "killed-instance";

	static final String HELD_JOB = "held-job";

	static final Duration OUTAGE = Duration.ofSeconds(10);

	/** What the sample does to no Redis but its own. */
	private static final Set<String> NEED_OWN_REDIS = Set.of(STOPPED_REDIS, FULL_REDIS, READ_ONLY_REDIS, DENYING_REDIS,
			RESTARTED_REDIS);

	private static final Logger logger = LoggerFactory.getLogger(Incidents.class);

	/** Every lock of an incident has a name of its own; they share their meters. */
	private static final String DECLARED_NAME = "incident";

	private static final String FIRST = "instance-1";

	/** For each of five documents. */
	private static final Duration SLOW = Duration.ofMillis(600);

	/** By an operator, past the fire time of both instances. */
	private static final Duration HELD_PAST_FIRE_TIME = Duration.ofSeconds(5);

	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final LockOptions RENEWED = LockOptions.ofLease(LEASE)
		.withDeclaredName(DECLARED_NAME)
		.withAutoRenew();

	private static final LockOptions RENEWED_RARELY = RENEWED.withLease(LEASE.multipliedBy(6));

	private static final Duration PAUSE = Duration.ofSeconds(8);

	private static final Duration STUCK = Duration.ofMinutes(1);

	private static final Duration WORK = Duration.ofSeconds(4);

	private static final Duration HEAD_START = Duration.ofMillis(500);

	private final Insider first;

	private final Insider second;

	private final Instances instances;

	private final @Nullable EmbeddedRedis redis;

	private final LiveFeed feed;

	private final AtomicReference<@Nullable String> happening = new AtomicReference<>();

	private volatile boolean redisBroken;

	private final ExecutorService threads = Executors.newCachedThreadPool((task) -> {
		Thread thread = new Thread(null, task, "incident", 0, false);
		thread.setDaemon(true);
		return thread;
	});

	Incidents(Insider first, Insider second, Instances instances, @Nullable EmbeddedRedis redis, LiveFeed feed) {
		this.first = first;
		this.second = second;
		this.instances = instances;
		this.redis = redis;
		this.feed = feed;
	}

	boolean ownRedis() {
		return this.redis != null;
	}

	/** Whether the sample may do that to the Redis that it uses. */
	boolean isAllowed(String incident) {
		return ownRedis() || !NEED_OWN_REDIS.contains(incident);
	}

	/** Whether that breaks Redis or an instance. */
	boolean disturbsScenarios(String incident) {
		return NEED_OWN_REDIS.contains(incident) || incident.equals(KILLED_INSTANCE);
	}

	/** Whether Redis or an instance is broken, which no scenario expects. */
	boolean disturbScenarios() {
		return this.redisBroken || KILLED_INSTANCE.equals(this.happening.get());
	}

	/**
	 * Begin one.
	 * @return whether it was begun: not while it or another one is happening
	 * @throws IllegalArgumentException if there is no such incident
	 */
	boolean begin(String incident) {
		Runnable script = switch (incident) {
			case PAUSED_HOLDER -> this::pauseHolder;
			case STOPPED_REDIS -> this::stopRedis;
			case FULL_REDIS -> this::fillRedis;
			case READ_ONLY_REDIS -> this::makeRedisReadOnly;
			case DENYING_REDIS -> this::denyRenewals;
			case RESTARTED_REDIS -> this::restartRedis;
			case DELETED_KEY -> this::deleteKey;
			case KILLED_INSTANCE -> this::killInstance;
			case HELD_JOB -> this::holdJob;
			case STUCK_HOLDER -> this::getHolderStuck;
			default -> throw new IllegalArgumentException("There is no incident '" + incident + "'.");
		};
		if (!this.happening.compareAndSet(null, incident)) {
			return false;
		}
		tell(incident, true);
		start(() -> {
			try {
				script.run();
			}
			finally {
				tell(incident, false);
				this.happening.set(null);
			}
		});
		return true;
	}

	private void start(Runnable script) {
		this.threads.execute(() -> {
			try {
				script.run();
			}
			catch (RuntimeException ex) {
				// At the end of the sample everything is interrupted
				if (!this.threads.isShutdown()) {
					logger.error("An incident did not go as planned.", ex);
				}
			}
		});
	}

	private void tell(String incident, boolean happening) {
		this.feed.publishState("incident", incident, Map.of("incident", incident, "happening", happening));
	}

	/**
	 * A thread can be stopped from outside only together with its JVM, so this one
	 * sleeps.
	 */
	private void pauseHolder() {
		String name = Instances.fresh("incident:paused");
		start(() -> holdBehind(this.second, name));
		hold(this.first, name, LockOptions.ofLease(LEASE).withDeclaredName(DECLARED_NAME), PAUSE);
	}

	private void getHolderStuck() {
		String name = Instances.fresh("incident:stuck");
		start(() -> holdBehind(this.second, name));
		hold(this.first, name, RENEWED, STUCK);
	}

	private void stopRedis() {
		String name = Instances.fresh("incident:outage");
		breakRedis(Trouble.STOPPED, () -> {
			start(() -> hold(this.first, name, RENEWED, OUTAGE));
			Pause.of(LEASE.dividedBy(2));
		}, () -> {
			start(() -> hold(this.second, name, RENEWED, WORK));
			Pause.of(OUTAGE);
		});
	}

	private void fillRedis() {
		String newcomer = Instances.fresh("incident:new");
		breakRedis(Trouble.FULL, () -> holdAndWait("incident:full"), () -> askInVain(newcomer));
		hold(this.second, newcomer, RENEWED, HEAD_START);
	}

	private void makeRedisReadOnly() {
		String newcomer = Instances.fresh("incident:new");
		breakRedis(Trouble.READ_ONLY, () -> holdAndWait("incident:read-only"), () -> askInVain(newcomer));
		hold(this.second, newcomer, RENEWED, HEAD_START);
	}

	private void denyRenewals() {
		breakRedis(Trouble.DENYING, () -> holdAndWait("incident:right"), () -> {
			// Too short for a renewal
			hold(this.second, Instances.fresh("incident:new"), RENEWED, HEAD_START);
			Pause.of(OUTAGE);
		});
		hold(this.first, Instances.fresh("incident:again"), RENEWED, WORK);
	}

	private void restartRedis() {
		String name = Instances.fresh("incident:restarted");
		breakRedis(Trouble.RESTARTED, () -> {
			start(() -> hold(this.first, name, RENEWED_RARELY, OUTAGE));
			start(() -> holdBehind(this.second, name));
			Pause.until(() -> holds(this.first, name), OUTAGE);
			Pause.of(LEASE);
		}, () -> {
		});
		Pause.until(() -> holds(this.second, name), OUTAGE);
		Pause.until(() -> !holds(this.second, name), OUTAGE);
	}

	/** One instance holds a lock, for which the other one waits. */
	private void holdAndWait(String prefix) {
		String name = Instances.fresh(prefix);
		start(() -> holdBehind(this.second, name));
		start(() -> hold(this.first, name, RENEWED, OUTAGE));
		Pause.of(LEASE.dividedBy(2));
	}

	private void askInVain(String name) {
		hold(this.second, name, RENEWED, WORK);
		Pause.of(OUTAGE);
	}

	private void breakRedis(Trouble trouble, Runnable before, Runnable meanwhile) {
		EmbeddedRedis redis = this.redis;
		if (redis == null) {
			throw new IllegalStateException("This Redis does not belong to the sample.");
		}
		this.redisBroken = true;
		try {
			before.run();
			tellTrouble(trouble.what, trouble.why);
			trouble.begin.of(redis);
			meanwhile.run();
		}
		catch (IOException ex) {
			throw new IllegalStateException("Redis could not be broken.", ex);
		}
		finally {
			mend(redis, trouble);
			this.redisBroken = false;
		}
	}

	private void mend(EmbeddedRedis redis, Trouble trouble) {
		try {
			trouble.end.of(redis);
		}
		catch (IOException ex) {
			logger.warn("Redis could not be mended.", ex);
		}
		tellTrouble("", "");
	}

	private void tellTrouble(String what, String why) {
		this.feed.publishState("redis", "", Map.of("trouble", what, "why", why));
		logger.info("Redis {}", what.isEmpty() ? "goes on" : what + ", " + why);
	}

	private void deleteKey() {
		String name = Instances.fresh("incident:deleted");
		start(() -> {
			Pause.until(() -> holds(this.first, name), OUTAGE);
			Pause.of(LEASE);
			// Before the holder is told
			this.feed.publish("deleted", Map.of("lock", name));
			this.first.redis().delete("lock:" + name);
			logger.info("The key of '{}' is deleted", name);
		});
		hold(this.first, name, RENEWED_RARELY, OUTAGE);
	}

	/**
	 * Both instances share a JVM, so this one dies for Redis, for the page, and for its
	 * job.
	 */
	private void killInstance() {
		Scenarios.SCHEDULE.acquireUninterruptibly();
		try {
			Scenarios.awaitTimeToSetUp(this.instances);
			this.instances.bothAtOnce((instance) -> instance.post("/keywords/schedule?millis=" + SLOW.toMillis()));
			int before = linesOfJob();
			Pause.of(Scenarios.untilNextTick());
			Pause.until(() -> linesOfJob() >= before + 2, OUTAGE);
			this.first.plug().pull();
			this.instances.first().delete("/keywords/schedule?abruptly=true");
			tellKilled(true);
			Pause.until(() -> holds(this.second, Scenarios.JOB), OUTAGE);
			Pause.until(() -> !holds(this.second, Scenarios.JOB), OUTAGE);
			this.first.plug().restore();
			tellKilled(false);
			// Otherwise they would soon miss the next fire time, and catch that up as
			// well
			this.instances.bothAtOnce((instance) -> instance.post("/keywords/schedule"));
			Pause.of(Scenarios.untilNextTick().plus(Scenarios.CLOCK_BEHIND).plusSeconds(1));
		}
		finally {
			this.first.plug().restore();
			endSchedules();
		}
	}

	private void holdJob() {
		Scenarios.SCHEDULE.acquireUninterruptibly();
		try {
			Scenarios.awaitTimeToSetUp(this.instances);
			this.instances.bothAtOnce((instance) -> instance.post("/keywords/schedule?millis=200"));
			// Only a job that has run can be late
			Pause.of(Scenarios.untilNextTick().plus(Scenarios.CLOCK_BEHIND).plusSeconds(1));
			holdAsOperator(Scenarios.JOB, Scenarios.untilNextTick().plus(HELD_PAST_FIRE_TIME), "maintenance");
			Pause.until(this::isJobRun, Scenarios.PERIOD.multipliedBy(2));
			Pause.until(() -> !isJobRun(), OUTAGE);
		}
		finally {
			endSchedules();
		}
	}

	private void endSchedules() {
		try {
			this.instances.bothAtOnce((instance) -> instance.delete("/keywords/schedule"));
		}
		finally {
			Scenarios.SCHEDULE.release();
		}
	}

	private void holdAsOperator(String name, Duration time, String reason) {
		Answer answer = this.instances.second()
			.post("/actuator/locks", Map.of("name", name, "duration", time.toMillis() + "ms", "reason", reason));
		LockInfo held = this.first.locks().find(name).orElse(null);
		if (!answer.is(Answer.OK) || held == null) {
			throw new IllegalStateException("The operator does not hold '" + name + "': " + answer);
		}
		this.feed.publish("operator",
				Map.of("lock", name, "lasts", time.toMillis() / 1000d, "reason", reason, "holder", held.describe()));
	}

	private boolean isJobRun() {
		return holds(this.first, Scenarios.JOB) || holds(this.second, Scenarios.JOB);
	}

	private int linesOfJob() {
		Answer lines = this.instances.first().get("/keywords");
		return lines.is(Answer.OK) ? lines.body().size() : 0;
	}

	private void tellKilled(boolean killed) {
		this.feed.publishState("killed", FIRST, Map.of("instance", FIRST, "killed", killed));
		logger.info(killed ? "instance-1 is killed for Redis and for the page. It still logs here, "
				+ "because it shares its JVM with instance-2" : "instance-1 is started again");
	}

	private static boolean holds(Insider instance, String name) {
		return instance.inspector().held().stream().anyMatch((lock) -> lock.name().equals(name));
	}

	private void holdBehind(Insider instance, String name) {
		Pause.of(HEAD_START);
		hold(instance, name, RENEWED.withWaitTime(STUCK.plus(LEASE)), WORK);
	}

	private void hold(Insider instance, String name, LockOptions options, Duration time) {
		instance.mark().run(() -> {
			try (LockHandle lock = instance.locks().acquire(name, options)) {
				logger.info("holds '{}' with the fencing token {}", name, lock.fencingToken());
				Pause.until(() -> options.autoRenew() && !lock.isHeld(), time);
				lock.assertHeld();
			}
			catch (LockLostException ex) {
				logger.info("stops its work: {}", ex.getMessage());
			}
			catch (LockNotAcquiredException | LockUnavailableException | LockConfigurationException ex) {
				logger.info("did not get the lock: {}", ex.getMessage());
			}
		});
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
	}

	/** What may be wrong with Redis, how it begins and how it ends. */
	private enum Trouble {

		STOPPED("is stopped", "by SIGSTOP", EmbeddedRedis::stop, EmbeddedRedis::resume),

		FULL("is full", "its maxmemory is 1 byte", EmbeddedRedis::fill, EmbeddedRedis::empty),

		READ_ONLY("is read-only", "the replica of a server that does not exist", EmbeddedRedis::demote,
				EmbeddedRedis::promote),

		DENYING("refuses PEXPIRE", "its user lost that right", EmbeddedRedis::deny, EmbeddedRedis::allow),

		RESTARTED("restarts", "without its data", EmbeddedRedis::restart, (redis) -> {
		});

		private final String what;

		private final String why;

		private final Action begin;

		private final Action end;

		Trouble(String what, String why, Action begin, Action end) {
			this.what = what;
			this.why = why;
			this.begin = begin;
			this.end = end;
		}

	}

	private interface Action {

		void of(EmbeddedRedis redis) throws IOException;

	}

}
