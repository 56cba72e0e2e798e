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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.Grant;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;
import io.distributedlock.store.StoredLockDetails;
import org.jspecify.annotations.Nullable;

/**
 * Writes what the server of a simulated history does as traces, one for each lock, in
 * nanoseconds. They end where the clock of the server is set back.
 */
public final class HistoryRecorder {

	private static final long LONGEST_GRANT_LEASE = Duration.ofSeconds(3).toNanos();

	private final String name;

	private final Map<String, Line> lines = new LinkedHashMap<>();

	private final Set<String> instances = new HashSet<>();

	private final Set<String> listening = new HashSet<>();

	private final List<Grant> granted = new ArrayList<>();

	private long latest = Long.MIN_VALUE;

	private boolean ended;

	/**
	 * Create a recorder of one history.
	 */
	public HistoryRecorder(String name) {
		this.name = name;
	}

	public void subscribed(String instance) {
		this.listening.add(instance);
	}

	public void unsubscribed(String instance) {
		this.listening.remove(instance);
	}

	/**
	 * A grant is pushed by what is recorded next.
	 */
	public void pushed(Grant grant) {
		this.granted.add(grant);
	}

	/**
	 * All data is lost.
	 */
	public void lost() {
		this.lines.values().forEach((line) -> line.lost = true);
	}

	public void acquired(long now, AcquireRequest request, AcquireOutcome outcome, Optional<StoredLockDetails> after) {
		long lease = request.lease().toNanos();
		LockToken beside = request.beside();
		Command command = Command.acquire(request.token().text(), request.limit(), lease, request.fenceBlock(),
				(beside != null) ? beside.text() : null);
		AcquireRequest.Waiting waiting = request.waiting();
		if (waiting != null) {
			command = command.waiting(waiting.sign(), waiting.life().toNanos(), Math.min(lease, LONGEST_GRANT_LEASE));
		}
		add(now, request.name(), request.token(), command, outcome, after);
	}

	public void extended(long now, LeaseExtension extension, ExtendOutcome outcome, Optional<StoredLockDetails> after) {
		add(now, extension.name(), extension.token(), Command.extend(extension.token().text(), extension.limit(),
				extension.lease().toNanos(), extension.mode() == LeaseExtension.Mode.EXACTLY), outcome, after);
	}

	public void released(long now, String lock, LockToken token, ReleaseOutcome outcome,
			Optional<StoredLockDetails> after) {
		add(now, lock, token, Command.of(Command.Op.RELEASE, token.text()), outcome, after);
	}

	public void recorded(long now, String lock, LockToken token, boolean held, Optional<StoredLockDetails> after) {
		add(now, lock, token, Command.of(Command.Op.RECORD, token.text()), held, after);
	}

	public void found(long now, String lock, Optional<StoredLock> found, Optional<StoredLockDetails> after) {
		add(now, lock, null, Command.of(Command.Op.FIND, ""), found, after);
	}

	private void add(long now, String lock, @Nullable LockToken token, Command command, Object answer,
			Optional<StoredLockDetails> after) {
		this.ended |= now < this.latest;
		this.latest = now;
		if (token != null) {
			this.instances.add(token.instance());
		}
		if (!this.ended) {
			Line line = this.lines.computeIfAbsent(lock, (absent) -> new Line(now));
			Set<String> deaf = new HashSet<>(this.instances);
			deaf.removeAll(this.listening);
			line.steps.add(new Step(now - line.latest, line.lost, command, answer,
					this.granted.stream().map((grant) -> MemorySubject.pushed(grant, 1)).toList(),
					MemorySubject.seen(after, 1), deaf));
			line.latest = now;
			line.lost = false;
		}
		this.granted.clear();
	}

	/**
	 * Return what was written.
	 */
	public List<Trace> traces() {
		return this.lines.entrySet()
			.stream()
			.map((line) -> new Trace("'" + line.getKey() + "' in " + this.name, false, 1,
					List.copyOf(line.getValue().steps)))
			.toList();
	}

	private static final class Line {

		private final List<Step> steps = new ArrayList<>();

		private long latest;

		private boolean lost;

		Line(long latest) {
			this.latest = latest;
		}

	}

}
