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

package io.distributedlock.actuate.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LossCause;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LockDescriptor;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Declared;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Leading;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Store;
import io.distributedlock.internal.DeclaredLock;
import io.distributedlock.internal.DeclaredLocks;
import io.distributedlock.internal.KnownLosses;
import io.distributedlock.internal.LockAttribute;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What holds for one lock, and why. Texts are {@linkplain Printable#of(String)
 * printable}.
 *
 * @param name the name of the lock, or of what declares it
 * @param undeclared what to know if nothing declares the lock, or {@code null}
 * @param uses what declares it, the closest first, or {@link LockService} if nothing does
 * @param leading the leadership with this name, or {@code null}
 * @param lock its present holder and waiters, or {@code null} if the name is that of a
 * declaration
 * @param lastLoss the last loss that this instance remembers, or {@code null}
 * @param store where the lock is kept
 * @param guarantees what the store guarantees
 * @param findings what the report at start-up says about it
 */
record LockExplanation(String name, @Nullable String undeclared, List<Use> uses, @Nullable Leading leading,
		@Nullable LockDescriptor lock, @Nullable Loss lastLoss, Store store, List<String> guarantees,
		List<Finding> findings) implements OperationResponseBody {

	private static final String UNDECLARED = "No annotation of this instance declares this lock: the options are those of LockService. Check the spelling, unless code uses the name.";

	static @Nullable String undeclared(boolean declared) {
		return declared ? null : UNDECLARED;
	}

	/**
	 * @param keepsRecords whether the store keeps records, or {@code null} if it did not
	 * answer
	 */
	static List<String> guarantees(@Nullable Boolean keepsRecords) {
		return List.of(
				"The store grants the lock as \"holders\" says, as long as it keeps what it has acknowledged. A failover, a restart or an eviction that loses writes can bring two exclusive holders together. The findings of the store say what makes that likelier.",
				"Each exclusive hold has a larger fencing token than all earlier ones.",
				(keepsRecords == null)
						? "Whether the store keeps records for @OncePerFireTime is unknown: it does not answer."
						: keepsRecords ? "The store keeps a record beside the lock, as @OncePerFireTime needs it."
								: "The store keeps no records beside its locks: @OncePerFireTime does not work.");
	}

	/**
	 * A declaration, or {@link LockService}.
	 *
	 * @param match how its names relate to the name that was asked for: {@code name},
	 * {@code declaration}, {@code pattern}, or {@code any} if the whole name is evaluated
	 * @param declaredName the declared name
	 * @param names the names as declared
	 * @param location where it is declared
	 * @param options the options in force
	 * @param sources where each of them comes from
	 * @param onContention what happens if the lock is held elsewhere
	 * @param holders who may hold it at the same time
	 * @param told when a holder learns that it has lost the lock
	 */
	record Use(String match, String declaredName, List<String> names, String location, Map<String, Object> options,
			Map<String, String> sources, String onContention, String holders, String told) {

		static Use of(DeclaredLock lock, DeclaredLock.Match match, boolean watched) {
			Declared shown = Declared.of(lock);
			return new Use(match.name().toLowerCase(Locale.ROOT), shown.declaredName(), shown.names(), shown.location(),
					shown.options(), shown.sources(), shown.onContention(), holders(lock.options()),
					told(lock.options(), watched));
		}

		static Use ofService(LockService service, String name, boolean watched) {
			LockOptions options = service.optionsFor(name);
			Map<String, Object> builtIn = LockAttribute.describe(LockOptions.defaults());
			Map<String, Object> defaults = LockAttribute.describe(service.defaults());
			Map<String, String> sources = new LinkedHashMap<>();
			LockAttribute.describe(options)
				.forEach((option,
						value) -> sources.put(option, !value.equals(defaults.get(option))
								? "distributed-lock.locks or a customizer, for this name"
								: value.equals(builtIn.get(option)) ? "built in" : "defaults of the application"));
			sources.putAll(LockAttribute.derived(options));
			return new Use("none", Printable.of(options.declaredName()), List.of(Printable.of(name)), "LockService",
					LockAttribute.describe(options), sources,
					"throws LockNotAcquiredException, or answers empty to tryAcquire", holders(options),
					told(options, watched));
		}

		private static String holders(LockOptions options) {
			int permits = options.permits();
			String who = (options.mode() == LockMode.SHARED)
					? "any number of shared holders, and none beside an exclusive one"
					: (permits == LockAttribute.PERMITS_OF_CALL) ? "as many holders as permitsString gives for the call"
							: (permits > 1) ? "at most " + permits + " holders, and fewer if one of them accepts fewer"
									: "one holder";
			return who
					+ ", on all instances together. A holder is a call, an operator, or another program that uses the same key.";
		}

		private static String told(LockOptions options, boolean watched) {
			String inTime = options.autoRenew() ? "if renewals fail" : "if the work takes longer than the lease";
			String late = options.autoRenew()
					? "at the next renewal (%s)".formatted(Printable.of(options.effectiveRenewInterval()))
					: "at the end of the lease (%s)".formatted(Printable.of(options.lease()));
			return "before the store frees the lock, %s. If the store has lost the lock: %s%s.".formatted(inTime,
					watched ? "at once, if it reports that, otherwise " : "", late);
		}

	}

	/**
	 * The last loss that this instance remembers, of the last 100 names.
	 *
	 * @param name the name of the lock
	 * @param at when it was, by the clock of this instance
	 * @param cause the likely cause
	 * @param explanation the likely cause, and what to do
	 * @param held from the grant to the loss
	 * @param owner the thread that had acquired it, or {@code async}
	 * @param fencingToken the fencing token of the hold
	 */
	record Loss(String name, Instant at, LossCause cause, String explanation, Duration held, String owner,
			long fencingToken) {

		static Loss of(KnownLosses.Loss loss, String name, String explanation, Instant now) {
			return new Loss(name, now.minus(loss.age()), loss.event().cause(), explanation, loss.event().held(),
					Printable.of(loss.holder()), loss.event().fencingToken());
		}

	}

	/**
	 * A finding of the report.
	 *
	 * @param severity {@code ERROR} or {@code WARNING}
	 * @param location where it was found
	 * @param problem the problem
	 * @param action how to solve it
	 */
	record Finding(String severity, String location, String problem, String action) {

		static Finding of(DeclaredLocks.Finding finding) {
			return new Finding(finding.severity(), finding.location(), Printable.of(finding.problem()),
					Printable.of(finding.action()));
		}

		/**
		 * A call on {@code this} is reported at the caller, and names the locked method
		 * without its package.
		 */
		static boolean isAbout(DeclaredLocks.Finding finding, DeclaredLock lock) {
			String location = lock.location();
			String method = location.substring(0, Math.max(0, location.indexOf('(')));
			String shortName = method
				.substring(Math.max(method.lastIndexOf('.', method.lastIndexOf('.') - 1), method.lastIndexOf('$')) + 1);
			return finding.location().equals(location) || finding.problem().contains(location)
					|| finding.problem().contains(" " + shortName + "(), ");
		}

	}

}
