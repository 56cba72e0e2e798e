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

package io.distributedlock.campaign.nemesis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

import io.distributedlock.campaign.fleet.Fleet;
import io.distributedlock.campaign.history.DataLoss;
import io.distributedlock.campaign.history.DataLoss.Extent;
import io.distributedlock.campaign.history.Span;
import io.distributedlock.campaign.nemesis.Nemesis.Harm;
import io.distributedlock.campaign.nemesis.Nemesis.Target;
import io.distributedlock.testsupport.Direction;
import io.distributedlock.testsupport.Fault;
import io.distributedlock.testsupport.FaultProxy;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.RespException;

/**
 * One Redis server that appends everything to its file, and a proxy in front of it for
 * each worker.
 * <p>
 * Nothing here delivers a request after what was sent over the next connection, which the
 * guarantees exclude: what is only held back for a while is held back for less time than
 * it takes a client to give up its connection; whatever takes longer is lost.
 */
public final class Standalone extends Topology {

	public static final String ANSWERS_DELAYED = "answers delayed";

	public static final String REQUESTS_REFUSED = "requests refused";

	public static final String FLUSHALL = "FLUSHALL";

	public static final String RESTARTED_WITHOUT_DATA = "Redis killed, restarted without data";

	/** Only when it is asked for: the seeds of published runs draw from the others. */
	private static final int NEVER = 0;

	private final RedisServer redis;

	private final List<FaultProxy> links = new ArrayList<>();

	private final Path data;

	/**
	 * Starts the server and the proxies.
	 */
	public Standalone(int size) {
		// Written before each answer; only a crash of the machine would lose it
		this.redis = RedisServer.builder()
			.embedded()
			.config("appendonly", "yes")
			.config("appendfsync", "no")
			.config("auto-aof-rewrite-min-size", "16mb")
			.start();
		this.data = Path.of(setting("dir"), setting("appenddirname"));
		for (int i = 0; i < size; i++) {
			this.links.add(FaultProxy.to(this.redis));
		}
	}

	private String setting(String name) {
		List<?> pair = (List<?>) Objects.requireNonNull(this.redis.cli("CONFIG", "GET", name));
		return String.valueOf(pair.get(1));
	}

	@Override
	public String[] properties(int slot) {
		return this.links.get(slot).springProperties();
	}

	@Override
	public int connections() {
		return this.links.stream().mapToInt(FaultProxy::openConnections).sum();
	}

	@Override
	List<RedisServer> servers() {
		return List.of(this.redis);
	}

	@Override
	public void close() {
		this.links.forEach(FaultProxy::close);
		this.redis.close();
	}

	@Override
	List<Nemesis> ownNemeses(Fleet fleet) {
		return Stream.of(links(), messages(), servers(fleet)).flatMap(List::stream).toList();
	}

	private List<Nemesis> links() {
		return List.of(link("connections cut", 12, (link, random) -> link.resetConnections()),
				lasting("connections refused", 5, 100, 2500, (link, random) -> {
					link.refuseConnections();
					link.resetConnections();
				}), lasting("black hole", 6, 300, 5000, (link, random) -> link.blackHole()),
				lasting("half-open, requests lost", 4, 300, 4000,
						(link, random) -> link.cutOneWay(Direction.TO_SERVER)),
				lasting("half-open, answers lost", 4, 300, 4000, (link, random) -> link.cutOneWay(Direction.TO_CLIENT)),
				link("half-closed", 3, (link, random) -> {
					link.halfClose();
					pause(random, 50, 500);
					link.resetConnections();
				}),
				lasting(ANSWERS_DELAYED, 7, 500, 4000,
						(link, random) -> link.delay(Direction.TO_CLIENT, Duration.ofMillis(random.nextInt(20, 450)))),
				lasting("answers delayed, then a black hole", 5, 1000, 4000, (link, random) -> {
					link.delay(Direction.TO_CLIENT, Duration.ofMillis(random.nextInt(100, 450)));
					pause(random, 500, 2500);
					link.blackHole();
				}),
				lasting("requests delayed", 5, 500, 4000,
						(link, random) -> link.delay(Direction.TO_SERVER, Duration.ofMillis(random.nextInt(20, 300)))),
				lasting("network stands still", 5, 100, 1200, (link, random) -> link.stall()),
				link("a request lost", 8, (link, random) -> awaitStrike(link.dropNextRequest("EVALSHA"))),
				link("an answer lost", 8, (link, random) -> awaitStrike(link.dropNextReply("EVALSHA"))),
				link(REQUESTS_REFUSED, NEVER, Harm.REFUSAL, (link, random) -> {
					long end = System.nanoTime() + Duration.ofMillis(random.nextInt(1, 400)).toNanos();
					do {
						awaitStrike(link.answerNext("EVALSHA", "-BUSY Redis is busy running a script."));
					}
					while (System.nanoTime() < end);
				}));
	}

	private List<Nemesis> messages() {
		return List.of(link("messages lost", 8, Harm.NONE, (link, random) -> {
			int count = random.nextInt(1, 6);
			for (int i = 0; i < count; i++) {
				awaitStrike(link.loseNextMessage("lock:inbox:"));
			}
		}), link("messages repeated", 8, Harm.NONE, (link, random) -> {
			int count = random.nextInt(1, 6);
			for (int i = 0; i < count; i++) {
				Fault fault = link.repeatNextMessage("lock:inbox:");
				awaitStrike(fault);
				List<String> message = fault.struckWords();
				if (message.size() >= 3) {
					pause(random, 0, 1500);
					publishAgain(message);
				}
			}
		}));
	}

	private void publishAgain(List<String> message) {
		try {
			this.redis.cli("PUBLISH", message.get(1), message.get(2));
		}
		catch (UncheckedIOException | RespException ex) {
			// Another fault has struck Redis
		}
	}

	private List<Nemesis> servers(Fleet fleet) {
		return List.of(server("Redis killed, restarted with its data", 4, Harm.OUTAGE, (random) -> {
			this.redis.kill();
			pause(random, 50, 1500);
			this.redis.restart();
		}), server(RESTARTED_WITHOUT_DATA, 2, Harm.OUTAGE, (random) -> {
			long from = System.nanoTime();
			this.redis.kill();
			lost(fleet, from, wallMicros(), Extent.ALL, true);
			pause(random, 50, 1500);
			deleteData();
			this.redis.restart();
		}), server(FLUSHALL, 5, Harm.NONE, (random) -> {
			long from = System.nanoTime();
			long wallMicros = flush();
			lost(fleet, from, wallMicros, Extent.ALL, false);
		}), server("SCRIPT FLUSH", 5, Harm.NONE, (random) -> this.redis.cli("SCRIPT", "FLUSH")),
				server("CLIENT KILL, commands", 4, Harm.OUTAGE,
						(random) -> this.redis.cli("CLIENT", "KILL", "TYPE", "normal")),
				server("CLIENT KILL, subscriptions", 4, Harm.NONE,
						(random) -> this.redis.cli("CLIENT", "KILL", "TYPE", "pubsub")),
				server("Redis stands still", 3, Harm.OUTAGE, (random) -> {
					this.redis.pause();
					try {
						pause(random, 100, 1200);
					}
					finally {
						this.redis.resume();
					}
				}));
	}

	/**
	 * Tell the checker that the store lost data.
	 * @param from since when it may have
	 */
	private static void lost(Fleet fleet, long from, long wallMicros, Extent extent, boolean noticed) {
		Span span = new Span(from, System.nanoTime());
		fleet.checking((checker) -> checker.dataLost(new DataLoss(span, wallMicros, extent, noticed)));
	}

	/**
	 * Do something by which the store loses data, and tell the checker before and after
	 * it: as long as two masters live, for example, holds may begin and end at both.
	 */
	static <T> T losing(Fleet fleet, Extent extent, Callable<T> action) throws Exception {
		long from = System.nanoTime();
		DataLoss open = new DataLoss(new Span(from, Long.MAX_VALUE / 2), Long.MAX_VALUE / 2, extent, true);
		fleet.checking((checker) -> checker.dataLost(open));
		try {
			return action.call();
		}
		finally {
			lost(fleet, from, wallMicros(), extent, true);
			fleet.checking((checker) -> checker.dataLossOver(open));
		}
	}

	private static long wallMicros() {
		Instant now = Instant.now();
		return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
	}

	/**
	 * Removes all keys. Its answer may take longer than the next grants.
	 * @return when it was done, by the clock from which the tokens come, in microseconds
	 */
	private long flush() {
		Object time = this.redis.cli("EVAL", """
				local time = redis.call('TIME')
				redis.call('FLUSHALL', 'SYNC')
				return string.format('%s%06d', time[1], time[2])
				""", "0");
		return Long.parseLong(String.valueOf(time));
	}

	private void deleteData() {
		try (Stream<Path> files = Files.walk(this.data)) {
			for (Path path : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.deleteIfExists(path);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** A fault that waits for something that does not come has not struck. */
	private static void awaitStrike(Fault fault) throws InterruptedException {
		long deadline = System.nanoTime() + Duration.ofSeconds(1).toNanos();
		while (!fault.hasStruck() && System.nanoTime() < deadline) {
			Thread.sleep(2);
		}
	}

	static void pause(RandomGenerator random, int fromMillis, int toMillis) throws InterruptedException {
		Thread.sleep(random.nextInt(fromMillis, toMillis));
	}

	private Nemesis lasting(String label, int weight, int fromMillis, int toMillis, LinkBlow blow) {
		return link(label, weight, (link, random) -> {
			blow.strike(link, random);
			pause(random, fromMillis, toMillis);
		});
	}

	private Nemesis link(String label, int weight, LinkBlow blow) {
		return link(label, weight, Harm.OUTAGE, blow);
	}

	private Nemesis link(String label, int weight, Harm harm, LinkBlow blow) {
		return new Nemesis(label, weight, Target.LINK, harm, (slot, random) -> {
			FaultProxy link = this.links.get(slot);
			try {
				blow.strike(link, random);
			}
			finally {
				link.heal();
			}
		});
	}

	private interface LinkBlow {

		void strike(FaultProxy link, RandomGenerator random) throws Exception;

	}

}
