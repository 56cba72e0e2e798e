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

package io.distributedlock.leadership.metrics;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.LeaderElection.Candidacy;
import io.distributedlock.leadership.LeadershipEvent;
import io.distributedlock.leadership.LeadershipListener;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Records a meter for the candidacies of this instance: the gauge
 * {@code distributed.lock.leader}, one while this instance leads and zero otherwise. Its
 * tag {@code lock.name} is the declared name of the leadership. The first names get a
 * value of their own, the rest share {@code other}, whose gauge counts those that lead.
 *
 * @since 0.1.0
 */
public final class LeadershipMetrics implements LeadershipListener, AutoCloseable {

	private static final String LEADER = "distributed.lock.leader";

	private static final String OTHER = "other";

	private final MeterRegistry registry;

	private final Supplier<? extends @Nullable LeaderElection> election;

	private final int maxNames;

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	private final Queue<Meter> gauges = new ConcurrentLinkedQueue<>();

	/**
	 * Create one.
	 * @param registry where to record
	 * @param election the election whose candidacies are counted; queried when a gauge is
	 * read; may be empty at first
	 * @param maxNames how many different names get a gauge of their own
	 */
	public LeadershipMetrics(MeterRegistry registry, Supplier<? extends @Nullable LeaderElection> election,
			int maxNames) {
		this.registry = registry;
		this.election = election;
		this.maxNames = maxNames;
	}

	@Override
	public void onLeadershipEvent(LeadershipEvent event) {
		if (event instanceof LeadershipEvent.Standing) {
			update();
		}
	}

	/**
	 * Ensure that each candidacy has a gauge.
	 */
	public void update() {
		LeaderElection election = this.election.get();
		if (election != null) {
			election.candidacies().forEach((candidacy) -> admit(candidacy.declaredName()));
		}
	}

	private synchronized void admit(String name) {
		if (this.names.contains(name)) {
			return;
		}
		if (this.names.size() < this.maxNames) {
			this.names.add(name);
		}
		String metered = meteredName(name);
		if (this.registry.find(LEADER).tag("lock.name", metered).gauge() == null) {
			this.gauges.add(Gauge.builder(LEADER, () -> leading(metered))
				.description("Whether this instance leads")
				.tag("lock.name", metered)
				.register(this.registry));
		}
	}

	private String meteredName(String name) {
		return this.names.contains(name) ? name : OTHER;
	}

	private long leading(String metered) {
		LeaderElection election = this.election.get();
		return (election != null) ? election.candidacies()
			.stream()
			.filter(Candidacy::leader)
			.filter((candidacy) -> metered.equals(meteredName(candidacy.declaredName())))
			.count() : 0;
	}

	/**
	 * Remove the gauges from a registry that may outlive the election.
	 */
	@Override
	public void close() {
		for (Meter gauge = this.gauges.poll(); gauge != null; gauge = this.gauges.poll()) {
			this.registry.remove(gauge);
		}
	}

}
