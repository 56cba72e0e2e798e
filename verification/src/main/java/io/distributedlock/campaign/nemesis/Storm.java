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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.distributedlock.campaign.fleet.Fleet;
import io.distributedlock.campaign.history.Outage;
import io.distributedlock.campaign.history.Rule;
import io.distributedlock.campaign.nemesis.Nemesis.Target;
import io.distributedlock.internal.DaemonThread;

/**
 * Draws one fault after the other from its seed, and lets several strike at once, each
 * another target.
 */
public final class Storm implements AutoCloseable {

	private final Fleet fleet;

	private final List<Nemesis> nemeses;

	private final int total;

	private final double meanMillis;

	private final SplittableRandom random;

	private final Set<String> struck = ConcurrentHashMap.newKeySet();

	private final ExecutorService executor = Executors.newCachedThreadPool(DaemonThread.factory("campaign-nemesis"));

	private final Map<String, Long> counts = new TreeMap<>();

	private long faults;

	public Storm(Fleet fleet, List<Nemesis> nemeses, Duration mean, long seed) {
		this.fleet = fleet;
		this.nemeses = List.copyOf(nemeses);
		this.total = nemeses.stream().mapToInt(Nemesis::weight).sum();
		this.meanMillis = mean.toMillis();
		this.random = new SplittableRandom(seed);
	}

	public Map<String, Long> counts() {
		return this.counts;
	}

	public long faults() {
		return this.faults;
	}

	/**
	 * Rages for a while, and returns when everything is mended.
	 */
	public void rage(Duration length) throws InterruptedException {
		long end = this.fleet.activeNanos() + length.toNanos();
		List<Future<?>> striking = new ArrayList<>();
		while (this.fleet.activeNanos() < end && !this.fleet.isViolated()) {
			double pause = -Math.log(1 - this.random.nextDouble()) * this.meanMillis;
			Thread.sleep(Math.min((long) pause, 2000));
			striking.removeIf(Future::isDone);
			strike(striking);
		}
		if (this.fleet.isViolated()) {
			return;
		}
		for (Future<?> future : striking) {
			try {
				future.get(60, TimeUnit.SECONDS);
			}
			catch (ExecutionException | TimeoutException ex) {
				this.fleet.violated(Rule.CAMPAIGN, "A fault does not end: " + ex);
			}
		}
	}

	private void strike(List<Future<?>> striking) {
		Nemesis nemesis = draw();
		int slot = this.random.nextInt(this.fleet.size());
		SplittableRandom own = this.random.split();
		String target = (nemesis.target() == Target.SERVER) ? "server" : nemesis.target() + " " + slot;
		if (!this.struck.add(target)) {
			return;
		}
		this.counts.merge(nemesis.label(), 1L, Long::sum);
		this.faults++;
		striking.add(this.executor.submit(() -> {
			boolean atServer = nemesis.target() == Target.SERVER;
			String where = atServer ? "" : " (slot " + slot + ")";
			long from = System.nanoTime();
			Outage outage = Outage.since(atServer ? Outage.ALL : slot, from);
			this.fleet.checking((checker) -> {
				checker.note(from, nemesis.label() + where + " begins");
				switch (nemesis.harm()) {
					case NONE -> {
					}
					case NO_WRITES -> checker.beganToRefuse(outage);
					default -> checker.began(outage);
				}
			});
			try {
				nemesis.blow().strike(slot, own);
			}
			catch (InterruptedException ex) {
				// The storm was closed
				Thread.currentThread().interrupt();
			}
			catch (Exception ex) {
				if (this.executor.isShutdown()) {
					// So may be what it was to mend
					return;
				}
				this.fleet.violated(Rule.CAMPAIGN,
						"The fault '%s' could not be carried out: %s".formatted(nemesis.label(), ex));
			}
			finally {
				long to = System.nanoTime();
				this.fleet.checking((checker) -> {
					checker.note(to, String.format(Locale.ROOT, "%s%s ends after %d ms", nemesis.label(), where,
							(to - from) / 1_000_000));
					checker.ended(outage, to + nemesis.harm().aftermath().toNanos());
				});
				this.struck.remove(target);
			}
		}));
	}

	private Nemesis draw() {
		int left = this.random.nextInt(this.total);
		for (Nemesis nemesis : this.nemeses) {
			left -= nemesis.weight();
			if (left < 0) {
				return nemesis;
			}
		}
		throw new IllegalStateException("There is no fault to draw from");
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

}
