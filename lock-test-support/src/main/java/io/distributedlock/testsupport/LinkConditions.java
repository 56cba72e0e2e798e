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

package io.distributedlock.testsupport;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * What the connections of a {@link FaultProxy} suffer at the moment.
 */
final class LinkConditions {

	private final Map<Direction, Traffic> traffic = new EnumMap<>(Direction.class);

	private final Map<Direction, Duration> delays = new EnumMap<>(Direction.class);

	private final List<Fault> faults = new ArrayList<>();

	private @Nullable UnaryOperator<byte[]> rewriting;

	LinkConditions() {
		clear();
	}

	synchronized void clear() {
		for (Direction direction : Direction.values()) {
			this.traffic.put(direction, Traffic.PASSES);
			this.delays.put(direction, Duration.ZERO);
		}
		this.faults.clear();
		this.rewriting = null;
		notifyAll();
	}

	synchronized void rewrite(UnaryOperator<byte[]> rewriting) {
		this.rewriting = rewriting;
	}

	/**
	 * Returns what becomes of a command.
	 */
	synchronized byte[] rewritten(byte[] command) {
		return (this.rewriting != null) ? this.rewriting.apply(command) : command;
	}

	synchronized void set(Direction direction, Traffic traffic) {
		this.traffic.put(direction, traffic);
		notifyAll();
	}

	synchronized void set(Direction direction, Duration delay) {
		this.delays.put(direction, delay);
	}

	synchronized Duration delay(Direction direction) {
		return this.delays.getOrDefault(direction, Duration.ZERO);
	}

	synchronized Fault arm(Fault fault) {
		this.faults.add(fault);
		return fault;
	}

	/**
	 * Takes the first fault that waits for this command.
	 * @return the fault, which strikes no other command, or {@code null}
	 */
	synchronized @Nullable Fault take(String command) {
		return take(command, false);
	}

	/**
	 * Takes the first fault that waits for this pushed message.
	 * @return the fault, which strikes no other message, or {@code null}
	 */
	synchronized @Nullable Fault takeForMessage(String message) {
		return take(message, true);
	}

	private @Nullable Fault take(String text, boolean message) {
		for (Iterator<Fault> faults = this.faults.iterator(); faults.hasNext();) {
			Fault fault = faults.next();
			if (fault.kind().isOnMessages() == message && fault.matches(text)) {
				faults.remove();
				return fault;
			}
		}
		return null;
	}

	/**
	 * Waits as long as traffic is held.
	 * @param onLoss called if it is lost, before the conditions can change again
	 * @return whether it passes; otherwise it is lost
	 * @throws InterruptedException if the connection is closed meanwhile
	 */
	synchronized boolean awaitPassage(Direction direction, Runnable onLoss) throws InterruptedException {
		while (this.traffic.get(direction) == Traffic.HELD) {
			wait();
		}
		if (this.traffic.get(direction) == Traffic.PASSES) {
			return true;
		}
		onLoss.run();
		return false;
	}

	enum Traffic {

		PASSES, HELD, LOST

	}

}
