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

package io.distributedlock.configuration.internal;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.engine.Ticker;
import io.distributedlock.internal.Failures;
import io.distributedlock.internal.Printable;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreReport;
import io.distributedlock.store.StoreReport.Finding;
import io.distributedlock.store.StoreReport.Severity;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Checks the lock store when the application starts, and keeps the findings. Needs no
 * thread of its own: the store answers, or fails, within its timeouts.
 */
public final class LockStoreCheck implements Supplier<StoreReport> {

	private static final Log logger = LogFactory.getLog(LockStoreCheck.class);

	private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

	/** How often a start asks that depends on the answer. */
	private static final int ATTEMPTS = 3;

	private static final Duration PAUSE = Duration.ofSeconds(1);

	/** Enough for a store that can be reached, and short for one that cannot. */
	private static final Duration SHORT_WAIT = Duration.ofSeconds(1);

	private final LockStore store;

	private final LockSettings.Start start;

	/** Or the answer was an error, which somebody may have corrected. */
	private final AtomicBoolean unanswered = new AtomicBoolean();

	private final Ticker ticker;

	/** The findings in the log, or {@code null} before the start has logged. */
	private final AtomicReference<@Nullable Set<Finding>> logged = new AtomicReference<>();

	private volatile StoreReport latest = StoreReport.EMPTY;

	private volatile boolean answered;

	private final ReentrantLock asking = new ReentrantLock();

	/** The latest one after a failure, or {@code null}. */
	private @Nullable CompletableFuture<StoreReport> question;

	/** When the latest answer arrived, or when it was known that there is none. */
	private volatile long latestAt;

	LockStoreCheck(LockStore store, LockSettings.Start start, Ticker ticker) {
		this.store = store;
		this.start = start;
		this.ticker = ticker;
	}

	/**
	 * Return the findings, as far as the store has answered. If it did not answer last
	 * time, it is asked again, and an answer that comes soon is what is returned: a
	 * failure that is over is none. Otherwise the report says how long ago that was.
	 */
	@Override
	public StoreReport get() {
		StoreReport known = this.latest;
		long knownAt = this.latestAt;
		CompletableFuture<StoreReport> asked = askAgain();
		if (asked == null || isAnswered(asked)) {
			return this.latest;
		}
		String age = "This was "
				+ Printable.of(Duration.ofNanos(this.ticker.nanos() - knownAt).truncatedTo(ChronoUnit.SECONDS))
				+ " ago. The store has been asked again, and has not answered yet: look again in a moment.";
		return new StoreReport(known.version(),
				known.findings()
					.stream()
					.map((finding) -> new Finding(finding.severity(), finding.problem(), age))
					.toList(),
				known.unchecked());
	}

	/**
	 * Ask the store again, and return what it answers, or that it does not.
	 */
	public StoreReport repeat() {
		Finding unanswered = await(inspectAgain());
		return (unanswered != null) ? new StoreReport(null, List.of(unanswered)) : this.latest;
	}

	/**
	 * Return how many warnings the latest check has found, or NaN if it was not complete.
	 */
	Number warnings() {
		StoreReport report = this.latest;
		boolean complete = this.answered && errors(report).isEmpty() && report.unchecked() == null;
		return complete ? warnings(report).size() : Double.NaN;
	}

	/**
	 * Return what speaks against the store, as the end of a sentence that says which one
	 * it is, or an empty text.
	 */
	String objection() {
		if (errors(this.latest).isEmpty()) {
			return "";
		}
		return this.answered ? ", and may not work: see the warning" : ", and this could not be checked yet";
	}

	private @Nullable CompletableFuture<StoreReport> askAgain() {
		this.asking.lock();
		try {
			if (this.unanswered.compareAndSet(true, false)) {
				this.question = inspectAgain();
			}
			return this.question;
		}
		finally {
			this.asking.unlock();
		}
	}

	private static boolean isAnswered(CompletableFuture<StoreReport> asked) {
		try {
			asked.get(SHORT_WAIT.toMillis(), TimeUnit.MILLISECONDS);
			return true;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
		catch (ExecutionException | TimeoutException ex) {
			return false;
		}
	}

	/**
	 * Look at the store.
	 * @param log receives what to log: immediately if there is no check, otherwise with
	 * the answer, or when there will be none, which the store has logged then
	 * @throws RuntimeException if the start is to fail
	 */
	void run(Consumer<StoreReport> log) {
		Consumer<StoreReport> listener = (report) -> {
			this.logged.set(Set.copyOf(lasting(report)));
			log.accept(report);
		};
		switch (this.start.reaction()) {
			case OFF -> log.accept(StoreReport.EMPTY);
			case WARN -> inspect().thenAccept(listener).thenRun(() -> askOnceMore(listener));
			case FAIL, STRICT, STRICT_IF_REACHABLE -> {
				StoreReport report = awaitUsable();
				if (!this.answered && this.start.reaction() == Reaction.STRICT_IF_REACHABLE) {
					listener.accept(StoreReport.EMPTY);
					return;
				}
				StoreReport decisive = (this.start.reaction() == Reaction.STRICT_IF_REACHABLE) ? withoutOutages(report)
						: report;
				List<Finding> errors = errors(decisive);
				List<Finding> doubts = (this.start.reaction() != Reaction.FAIL) ? doubts(decisive) : List.of();
				if (!errors.isEmpty()) {
					throw unusable(errors, doubts);
				}
				if (!doubts.isEmpty()) {
					throw failed(
							decisive.findings().isEmpty() ? "Distributed locks work, but were not checked completely:"
									: "Distributed locks work, but a guarantee may fail:",
							doubts, Reaction.FAIL);
				}
				listener.accept(report);
			}
		}
	}

	/**
	 * An instance that is busy with its start may not connect in time: then the store has
	 * logged an outage, and logs its end with the next answer.
	 */
	private void askOnceMore(Consumer<StoreReport> listener) {
		if (!this.answered) {
			inspect().thenAccept((report) -> {
				if (!report.findings().isEmpty() || report.unchecked() != null) {
					listener.accept(report);
				}
			});
		}
	}

	private static StoreReport withoutOutages(StoreReport report) {
		return new StoreReport(report.version(),
				report.findings().stream().filter((finding) -> finding.severity() != Severity.OUTAGE).toList(),
				report.unchecked());
	}

	/**
	 * An instance that is busy with its start may not connect in time, and a store that
	 * starts as well refuses what it allows a moment later.
	 */
	private StoreReport awaitUsable() {
		for (int attempt = 1;; attempt++) {
			Finding unanswered = await(inspect());
			if (unanswered != null) {
				return new StoreReport(null, List.of(unanswered));
			}
			StoreReport report = this.latest;
			if (errors(report).isEmpty() || attempt == ATTEMPTS) {
				return report;
			}
			// An interrupt ends the next wait
			LockSupport.parkNanos(PAUSE.toNanos());
		}
	}

	private static List<Finding> doubts(StoreReport report) {
		List<Finding> doubts = new ArrayList<>(warnings(report));
		if (report.unchecked() != null) {
			doubts.add(new Finding(Severity.WARNING, report.unchecked(), ""));
		}
		return doubts;
	}

	/**
	 * Return the findings because of which locks do not work.
	 */
	public static List<Finding> errors(StoreReport report) {
		return report.findings().stream().filter((finding) -> finding.severity() != Severity.WARNING).toList();
	}

	/**
	 * Return the findings with which locks work.
	 */
	public static List<Finding> warnings(StoreReport report) {
		return report.findings().stream().filter((finding) -> finding.severity() == Severity.WARNING).toList();
	}

	/** A store that never answers must not keep anybody waiting. */
	private static @Nullable Finding await(CompletableFuture<StoreReport> answer) {
		try {
			answer.get(LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS);
			return null;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return unanswered("the wait for its answer was interrupted");
		}
		catch (ExecutionException | TimeoutException ex) {
			return unanswered("it did not answer within " + Printable.of(LONGEST_WAIT));
		}
	}

	private RuntimeException unusable(List<Finding> errors, List<Finding> doubts) {
		boolean outage = !this.answered || errors.stream().allMatch((finding) -> finding.severity() == Severity.OUTAGE);
		return failed("Distributed locks do not work:", Stream.concat(errors.stream(), doubts.stream()).toList(),
				(outage && this.start.reaction() == Reaction.STRICT) ? Reaction.STRICT_IF_REACHABLE : Reaction.WARN);
	}

	/**
	 * Return what the start throws.
	 * @param instead with which the application starts nevertheless
	 */
	private RuntimeException failed(String headline, List<Finding> findings, Reaction instead) {
		return this.start.refusal()
			.apply(findings.stream()
				.map(LockStoreCheck::text)
				.collect(Collectors.joining("%n".formatted(), headline + "%n%n".formatted(), "")), instead);
	}

	/**
	 * Return a finding as sentences.
	 */
	public static String text(Finding finding) {
		return finding.action().isEmpty() ? finding.problem() : finding.problem() + " " + finding.action();
	}

	private static Finding unanswered(String why) {
		return new Finding(Severity.ERROR, "The lock store could not be checked: " + why + ".",
				"Check whether it is reachable.");
	}

	private CompletableFuture<StoreReport> inspectAgain() {
		return inspect().thenApply((report) -> {
			logChange(this.latest);
			return report;
		});
	}

	/**
	 * An outage has lines of its own. During one, or while INFO is refused, warnings may
	 * be missing.
	 */
	private void logChange(StoreReport report) {
		List<Finding> findings = lasting(report);
		boolean known = this.answered && findings.stream().anyMatch((finding) -> finding.severity() == Severity.ERROR)
				|| errors(report).isEmpty() && report.unchecked() == null;
		Set<Finding> now = Set.copyOf(findings);
		if (!known || this.logged.get() == null || now.equals(this.logged.getAndSet(now))) {
			return;
		}
		if (now.isEmpty()) {
			logger.info("The check of the lock store no longer finds anything that weakens a guarantee.");
			return;
		}
		logger.warn("The check of the lock store now finds: "
				+ findings.stream().map(LockStoreCheck::text).collect(Collectors.joining(" ")));
	}

	/**
	 * Return the errors that are no outage or, if there are none, the warnings.
	 */
	private static List<Finding> lasting(StoreReport report) {
		List<Finding> errors = report.findings()
			.stream()
			.filter((finding) -> finding.severity() == Severity.ERROR)
			.toList();
		return errors.isEmpty() ? warnings(report) : errors;
	}

	private CompletableFuture<StoreReport> inspect() {
		return asked().handle((report, failure) -> {
			this.latestAt = this.ticker.nanos();
			this.answered = failure == null;
			this.latest = (failure == null) ? printable(report) : failed(failure);
			this.unanswered.set(!errors(this.latest).isEmpty());
			return (failure == null) ? this.latest : StoreReport.EMPTY;
		});
	}

	/** A store that throws, such as a mock, does not end the start-up. */
	private CompletableFuture<StoreReport> asked() {
		try {
			return Objects.requireNonNullElseGet(this.store.inspect(),
					() -> CompletableFuture.completedFuture(StoreReport.EMPTY));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static StoreReport failed(Throwable failure) {
		logger.debug("The lock store cannot be checked.", failure);
		Throwable cause = Failures.unwrap(failure);
		return new StoreReport(null,
				List.of(new Finding(Severity.ERROR, Printable.of(String.valueOf(cause.getMessage())), "")));
	}

	private static StoreReport printable(StoreReport report) {
		return new StoreReport(printable(report.version()),
				report.findings()
					.stream()
					.map((finding) -> new Finding(finding.severity(), Printable.of(finding.problem()),
							Printable.of(finding.action())))
					.toList(),
				printable(report.unchecked()));
	}

	private static @Nullable String printable(@Nullable String text) {
		return (text != null) ? Printable.of(text) : null;
	}

	/**
	 * What happens if the store cannot work.
	 */
	public enum Reaction {

		/** It is logged. */
		WARN,

		/** The start waits for the answer, and fails. */
		FAIL,

		/** It fails for a guarantee that may fail, too. */
		STRICT,

		/** The same, but it does not fail because of an outage. */
		STRICT_IF_REACHABLE,

		/** The store is not asked. */
		OFF;

		/**
		 * Return whether the start waits for the check, and may fail because of it.
		 */
		boolean endsStart() {
			return this == FAIL || this == STRICT || this == STRICT_IF_REACHABLE;
		}

	}

}
