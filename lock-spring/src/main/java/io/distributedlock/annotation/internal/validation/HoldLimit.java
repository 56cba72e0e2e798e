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

package io.distributedlock.annotation.internal.validation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.LockOptions;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.internal.LockAttribute;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * Finds a lock that can be held for longer than the application allows, and proposes a
 * time that no other check of the start refuses.
 *
 * @param limit the longest time for which a method may hold its lock
 */
record HoldLimit(InspectedMethod.Lock lock, LockOptions options, Duration limit) {

	/**
	 * A lock that is not renewed is held for its lease, if its instance dies.
	 */
	static @Nullable LockFinding check(InspectedMethod.Lock lock, @Nullable Duration limit) {
		LockOptions options = lock.options().get();
		Duration longest = options.autoRenew() ? options.maxHold() : options.lease();
		if (limit == null || (longest != null && longest.compareTo(limit) <= 0)) {
			return null;
		}
		String held = (longest != null) ? "for " + Printable.of(longest) : "without a limit";
		return lock.scope()
			.method()
			.error("Its lock can be held %s, and this application allows %s.".formatted(held, Printable.of(limit)),
					new HoldLimit(lock, options, limit).action());
	}

	private String action() {
		LockOptions shorter = withLease();
		List<LockFinding> others = List.of();
		if (this.options.autoRenew()) {
			Duration hold = hold(shorter);
			others = (hold != null) ? others : findings(shorter, this.limit);
			shorter = shorter.withMaxHold((hold != null) ? hold : this.limit);
		}
		return "Set %s; with Spring Boot, a property of this lock overrides it. The limit is 'distributed-lock.annotation.max-hold-limit'.%s"
			.formatted(changes(shorter),
					others.stream().map((other) -> " " + other.action()).collect(Collectors.joining()));
	}

	/**
	 * Return the options with a lease within the limit, and what must not be longer than
	 * that.
	 */
	private LockOptions withLease() {
		Duration lease = this.options.lease();
		if (lease.compareTo(this.limit) > 0) {
			lease = this.options.autoRenew() ? shorter(LockOptions.defaults().lease(), this.limit) : this.limit;
		}
		Duration interval = this.options.renewInterval();
		return this.options.withMaxHold(null)
			.withMinHold(shorter(this.options.minHold(), lease))
			.withRenewInterval((interval != null && interval.compareTo(lease.dividedBy(2)) > 0) ? null : interval)
			.withLease(lease);
	}

	/**
	 * Return the first half, quarter and so on of the limit about which nothing is
	 * reported, or {@code null} if there is none.
	 */
	private @Nullable Duration hold(LockOptions withoutHold) {
		Duration lease = withoutHold.lease();
		return Stream
			.concat(Stream.iterate(this.limit, (hold) -> hold.compareTo(lease) > 0,
					(hold) -> Duration.ofSeconds(hold.dividedBy(2).toSeconds())), Stream.of(lease))
			.filter((hold) -> findings(withoutHold, hold).isEmpty())
			.findFirst()
			.orElse(null);
	}

	private List<LockFinding> findings(LockOptions withoutHold, Duration hold) {
		List<LockFinding> findings = new ArrayList<>(this.lock.warnings(withoutHold.withMaxHold(hold)));
		findings.removeAll(this.lock.warnings(withoutHold));
		return findings;
	}

	private String changes(LockOptions shorter) {
		List<String> changes = new ArrayList<>();
		LockAttribute limited = this.options.autoRenew() ? LockAttribute.MAX_HOLD : LockAttribute.TIMEOUT;
		changes.add(setting(limited, shorter, ", or less"));
		Stream.of(LockAttribute.TIMEOUT, LockAttribute.MIN_HOLD)
			.filter((each) -> each != limited && !Objects.equals(each.of(shorter), each.of(this.options)))
			.forEach((each) -> changes.add(setting(each, shorter, "")));
		if (shorter.renewInterval() == null && this.options.renewInterval() != null) {
			changes.add("remove renewInterval");
		}
		return String.join(", and ", changes);
	}

	private String setting(LockAttribute attribute, LockOptions options, String qualifier) {
		Duration value = (Duration) Objects.requireNonNull(attribute.of(options));
		return this.lock.attributes().setting(this.lock.scope().method(), attribute, value, qualifier);
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

}
