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

package io.distributedlock.campaign.history;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.LossCause;
import io.distributedlock.campaign.history.DataLoss.Extent;
import io.distributedlock.campaign.history.Event.Outcome;
import io.distributedlock.campaign.history.Tally.Count;
import org.jspecify.annotations.Nullable;

/**
 * Checks histories while they grow.
 * <p>
 * <b>What is compared.</b> A hold is the interval in which its handle said that the lock
 * is held: from the first look after the grant to the release, to the news of a loss, or
 * to the end of the time that {@code remaining()} promised. So the holders' own clocks
 * decide, and one that is stopped or killed counts for as long as it was promised. A hold
 * that has ended is compared with those that it overlaps and with its neighbours in time.
 * That needs no order between the journals of different processes: of two holds, the one
 * that is read last finds the other.
 * <p>
 * <b>Company.</b> Each holder says how many may have the lock while it has it: one, some
 * or any. Those who are alone are compared in pairs. Of the others, all that hold the
 * lock at one instant are counted, whenever one of them begins. Their tokens need only
 * differ among themselves, but follow those of a holder before them that was alone, and
 * precede those of one after them.
 * <p>
 * <b>What is excused.</b> Where the store {@linkplain DataLoss lost data}, a hold of
 * before and one of after may overlap. Their tokens must grow all the same, but for a
 * lease of before that an instance handed on just after the loss. These pairs are
 * counted. The hold of before must nevertheless end with its lease.
 * <p>
 * <b>Leadership.</b> A term is a hold too, from the first {@code isLeader()} that was
 * true to the last: nobody was promised anything beyond it.
 * <p>
 * <b>Jobs.</b> Each fire time is run no more often than it may be: see {@link FireTimes}.
 * <p>
 * <b>Losses.</b> Each loss of which a holder is told must be explained by what happened
 * to its worker, its network or the store: see {@link Losses}. It is judged when that is
 * known, a while later.
 * <p>
 * <b>Calm.</b> Some rules are about things that a fault may delay. They are checked for
 * what lies entirely in a time {@linkplain #calm without faults}, in which neither the
 * machine nor a worker was too slow. Where holders accept company, a lock counts as free
 * while fewer hold it than the most demanding of all who want it accepts, so that the
 * first in line may enter whoever it is.
 * <p>
 * Not thread-safe: one thread reads all journals.
 */
public final class Checker {

	/** Holds are compared with those that began up to this long before. */
	static final long MEMORY = TimeUnit.SECONDS.toNanos(60);

	/**
	 * What a local holder before may have left over beyond the lease, and the tolerance.
	 */
	private static final long LEFT_OVER = TimeUnit.MILLISECONDS.toNanos(1200);

	/** A waiter looks once a second; a busy machine takes its time. */
	private static final long LONGEST_GAP = TimeUnit.MILLISECONDS.toNanos(2000);

	/** How long it takes at most until it is known that a process stood still. */
	private static final long NEWS = TimeUnit.SECONDS.toNanos(1);

	/** So late a waiter is only if it was not told. */
	private static final long LATE = TimeUnit.MILLISECONDS.toNanos(600);

	/**
	 * Within the lease and a second the next one leads; a busy machine takes its time.
	 */
	private static final long SUCCESSION = TimeUnit.MILLISECONDS.toNanos(2000);

	/** So long a job tries to claim its fire time while the store refuses to write. */
	private static final long CLAIM = TimeUnit.SECONDS.toNanos(8);

	/** So long ago a delay may have kept a leader from renewing its lease. */
	private static final long LEASE_OF_LEADERS = TimeUnit.MILLISECONDS.toNanos(1000);

	/** A second, and what a busy machine needs. */
	private static final long TOLD_WITHIN = TimeUnit.MILLISECONDS.toNanos(2000);

	private static final int LATE_AT_LEAST = 8;

	private static final int MOST_PASSED = 300;

	private static final int MOST_VIOLATIONS = 20;

	private final Duration patience;

	private final IntFunction<String> workloads;

	private final HistoryFile history;

	private final Map<Integer, History> histories = new HashMap<>();

	private final Map<Integer, Timeline> timelines = new HashMap<>();

	/** The leases of the leaderships by their names. */
	private final Map<Integer, Long> leaderships = new TreeMap<>();

	private final Tally tally = new Tally();

	private final Transactions transactions = new Transactions(this::violated, this.tally);

	private final Farewells farewells = new Farewells();

	private final FireTimes fireTimes = new FireTimes(this::violated, this.tally);

	private final Outcomes outcomes = new Outcomes();

	private final Disturbances disturbances = new Disturbances();

	private final Losses losses = new Losses();

	private final List<DataLoss> dataLosses = new ArrayList<>();

	private final Deque<Note> notes = new ArrayDeque<>();

	private final List<Violation> violations = new ArrayList<>();

	/** When the last calm began, zero in a storm. */
	private long calmSince;

	private long suspendedUntil = Long.MIN_VALUE;

	private final List<Attempt> calmAttempts = new ArrayList<>();

	/**
	 * Creates a checker.
	 * @param patience how much longer than its wait a call may take: the time of a
	 * command without an answer, of connecting and of cleaning up, and what a busy
	 * machine needs
	 */
	public Checker(Duration patience, IntFunction<String> workloads) {
		this(patience, workloads, HistoryFile.none());
	}

	/**
	 * Creates a checker that also writes what it is told into a file.
	 * @param history the file, which whoever created it closes
	 */
	public Checker(Duration patience, IntFunction<String> workloads, HistoryFile history) {
		this.patience = patience;
		this.workloads = workloads;
		this.history = history;
	}

	public List<Violation> violations() {
		return this.violations;
	}

	public Tally tally() {
		return this.tally;
	}

	// What is told

	public void accept(Event event) {
		this.history.event(event);
		History history = history(event.worker());
		if (event.name() != Event.SEVERAL) {
			timeline(event.name()).remember(event);
		}
		this.outcomes.accept(event);
		switch (event.type()) {
			case ASKED -> history.attempts.put(event.attempt(), new Attempt(event));
			case ENDED -> ended(history, event);
			case GRANTED -> granted(history, event);
			case ELECTED -> elected(history, event);
			case COMMITTED -> committed(event);
			case BEGINNING -> this.transactions.beginning(event);
			case ROLLED_BACK -> this.transactions.rolledBack(event);
			case REFUSED -> this.tally.increment(Count.REFUSED);
			case CUT -> this.tally.increment(Count.CUT);
			case REVOKING -> {
				this.farewells.revoking(event);
				// An application that closes takes the locks of its leaders
				if (event.lossCause() != LossCause.SHUTDOWN) {
					history.find(event.name(), event.token()).forEach((hold) -> told(hold, event));
				}
			}
			case REVOKED -> this.farewells.revoked(event);
			case STALLED -> stalled(event);
			case CALLED -> called(history, event);
			case SUCCEEDED, FAILED -> this.fireTimes.ended(event);
			case REPORTED -> {
				// Compared with the runs when there are no more of them
			}
			default -> {
				Hold hold = history.holds.get(event.hold());
				if (hold != null) {
					goOn(history, hold, event);
				}
				else if (event.type() == Event.Type.TOLD && history.released.containsKey(event.hold())) {
					told(history.released.get(event.hold()), event);
				}
			}
		}
	}

	/**
	 * A worker was started.
	 * @param slot the slot whose network it has
	 */
	public void started(int worker, int slot) {
		this.disturbances.started(worker, slot);
	}

	/**
	 * From now on, renewals may fail.
	 */
	public void began(Outage outage) {
		this.disturbances.began(outage);
	}

	/**
	 * From now on, the store may refuse to write, but not to renew.
	 */
	public void beganToRefuse(Outage refusal) {
		this.disturbances.beganToRefuse(refusal);
	}

	/**
	 * An outage without a known end ends, if it began.
	 */
	public void ended(Outage outage, long at) {
		this.disturbances.ended(outage, at);
	}

	public void dataLost(DataLoss loss) {
		this.history.dataLost(loss);
		this.dataLosses.add(loss);
	}

	/**
	 * A loss of data without a known end was replaced by one with its end.
	 */
	public void dataLossOver(DataLoss open) {
		this.dataLosses.remove(open);
	}

	/**
	 * A worker was stopped for a while, and may be late for as long.
	 */
	public void stopped(int worker, Span span) {
		history(worker).stops.add(span);
		this.disturbances.delayed(worker, span);
	}

	/**
	 * The whole machine stood still for a while. A calm in which that happens does not
	 * count.
	 */
	public void suspended(Collection<Integer> workers, Span span) {
		workers.forEach((worker) -> stopped(worker, span));
		note(span.to(), "the machine stood still for " + millis(span.to() - span.from()));
		this.tally.increment(Count.SUSPENSIONS);
		this.suspendedUntil = span.to();
		forgetCalm();
	}

	/** Whatever is late then is late for that reason. */
	private void stalled(Event event) {
		Span delay = new Span(event.at() - event.amount(), event.at());
		this.disturbances.delayed(event.worker(), delay);
		this.disturbances.slow(new Span(notStoppedSince(event.worker(), delay), delay.to()));
		if (Disturbances.isLong(event.amount()) && this.calmSince != 0
				&& event.at() - event.amount() > this.calmSince) {
			note(event.at(), "%s was slow for %s".formatted(worker(event.worker()), millis(event.amount())));
			this.tally.increment(Count.STALLED_CALMS);
			forgetCalm();
		}
	}

	/** The beginning of a delay, or the end of a stop that is part of it. */
	private long notStoppedSince(int worker, Span delay) {
		return history(worker).stops.stream()
			.filter((stop) -> stop.overlap(delay.from(), delay.to()) > 0)
			.mapToLong(Span::to)
			.reduce(delay.from(), Math::max);
	}

	/**
	 * A worker is dead, and its journal read to the end.
	 */
	public void died(int worker) {
		History history = this.histories.remove(worker);
		this.transactions.died(worker);
		if (history != null) {
			this.tally.add(Count.KILLED_HOLDERS, history.holds.size());
			this.tally.add(Count.KILLED_WAITERS, history.attempts.size());
			history.holds.values().forEach(this::close);
		}
	}

	/**
	 * Remembers what was done to the locks, for the reports of violations.
	 */
	public void note(long at, String text) {
		this.history.fault(at, text);
		if (this.notes.size() == 100) {
			this.notes.removeFirst();
		}
		this.notes.add(new Note(at, text));
	}

	public void calm(long since) {
		this.calmSince = since;
	}

	/**
	 * The calm is over, and all that was asked for in it has ended.
	 */
	public void endCalm() {
		if (this.calmSince == 0) {
			return;
		}
		int contended = 0;
		int late = 0;
		Attempt latest = null;
		for (Attempt attempt : this.calmAttempts) {
			Timeline timeline = timeline(attempt.name());
			if (attempt.wait > 0 && attempt.endedAt - attempt.at > LATE / 100) {
				contended++;
				long gap = timeline.longestGap(attempt.at, attempt.endedAt);
				if (gap > LONGEST_GAP) {
					violated(Rule.FORGOTTEN_WAITER, attempt.name(), attempt.endedAt,
							"%s waited %s for %s, which was free for %s of that time".formatted(worker(attempt),
									millis(attempt.endedAt - attempt.at), name(attempt.name()), millis(gap)));
				}
				else if (gap > LATE) {
					late++;
					latest = attempt;
				}
			}
			if (attempt.outcome == Outcome.BUSY && attempt.wait > 2 * LATE) {
				long passed = timeline.grantedToLater(attempt.at, attempt.endedAt);
				if (passed > MOST_PASSED) {
					violated(Rule.FORGOTTEN_WAITER, attempt.name(), attempt.endedAt,
							"%s waited %s for %s in vain, while %d callers got it that had come later".formatted(
									worker(attempt), millis(attempt.endedAt - attempt.at), name(attempt.name()),
									passed));
				}
			}
		}
		if (latest != null && late >= LATE_AT_LEAST && late * 20 > contended) {
			violated(Rule.SLOW_HANDOVER, latest.name(), latest.endedAt,
					"%d of %d waiters got a free lock only when they looked for themselves, this one among them"
						.formatted(late, contended));
		}
		this.tally.add(Count.CALM_ATTEMPTS, this.calmAttempts.size());
		this.tally.add(Count.CALM_CONTENDED, contended);
		this.tally.add(Count.CALM_LATE, late);
		this.fireTimes.endCalm(this.calmSince);
		forgetCalm();
	}

	private void forgetCalm() {
		this.calmSince = 0;
		this.calmAttempts.clear();
	}

	public OptionalInt leader() {
		return this.histories.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().holds.values()
				.stream()
				.anyMatch((hold) -> this.leaderships.containsKey(hold.name)))
			.mapToInt(Map.Entry::getKey)
			.findFirst();
	}

	/**
	 * Leaders were stopped or killed, and nothing else was broken: the next one must have
	 * followed. The time in which a worker was slow is added, as it may have been the
	 * next one. Asked when all candidates have resigned, so that all terms are known.
	 * @param span since when nothing else was broken, and until when they stood
	 */
	public void checkSuccession(Span span) {
		if (this.suspendedUntil > span.from()) {
			return;
		}
		this.leaderships.forEach((name, lease) -> {
			long absence = timeline(name).absences(span)
				.stream()
				.mapToLong(this.disturbances::withoutSlowness)
				.max()
				.orElse(0);
			this.tally.succeeded(absence);
			if (absence > lease + SUCCESSION) {
				violated(Rule.LEADERLESS, name, span.to(),
						"Nobody led %s for %s in which no worker was slow, with a lease of %s".formatted(name(name),
								millis(absence), millis(lease)));
			}
		});
	}

	/**
	 * Leaders have resigned while nothing was broken: the next ones must have begun after
	 * that. Asked when all candidates have resigned, so that all terms are known.
	 * @param span since when nothing was broken, and until when they stood
	 */
	public void checkFarewells(Span span) {
		this.tally.add(Count.RESIGNATIONS, this.farewells.count(span));
		this.farewells.early(span).stream().filter((early) -> !isDelayed(early)).forEach((early) -> {
			violated(Rule.EARLY_SUCCESSION, early.next().name(), early.next().at(), early.summary());
		});
	}

	/** Whoever stands still may lose its lease while it resigns. */
	private boolean isDelayed(Farewells.Early early) {
		return this.disturbances.isDelayed(early.last().worker(),
				new Span(early.last().at() - LEASE_OF_LEADERS, early.next().at()));
	}

	/**
	 * All calls of jobs have ended, and the store has lost nothing: each fire time must
	 * have been run, or be reported.
	 * @return how many fire times have which fate
	 */
	public Map<Outcomes.Fate, Long> checkOutcomes() {
		return this.outcomes.check((name, summary) -> violated(Rule.OUTCOME, name, System.nanoTime(), summary));
	}

	/**
	 * The scripts of a load that did not change were counted while nothing was broken. It
	 * does not count if a worker was so slow that it may have repeated commands.
	 * @return whether it counts
	 */
	public boolean cost(Cost cost) {
		boolean repeated = this.histories.keySet()
			.stream()
			.anyMatch((worker) -> this.disturbances.mayHaveRepeated(worker, cost.span()));
		if (repeated) {
			return false;
		}
		this.tally.increment(Count.COSTS);
		if (cost.isTooHigh()) {
			violated(cost.rule(), cost.summary());
		}
		return true;
	}

	/**
	 * Looks for waits that should have ended, and forgets what is old.
	 */
	public void tick(long now) {
		this.histories.forEach((worker, history) -> {
			for (Attempt attempt : history.attempts.values()) {
				if (!attempt.overdue && isTooLong(history, attempt, now - NEWS)) {
					attempt.overdue = true;
					violated(Rule.WAIT_LIMIT, attempt.name(), now,
							"%s still waits %s after it asked for %s with a wait of %s (%s)".formatted(worker(worker),
									millis(now - attempt.at), name(attempt.name()), millis(attempt.wait),
									this.workloads.apply(attempt.asked.kind())));
				}
			}
		});
		this.histories.values().forEach((history) -> history.late.removeIf((attempt) -> judge(history, attempt, now)));
		this.histories.values()
			.forEach((history) -> history.released.values().removeIf((hold) -> hold.released < now - NEWS));
		this.losses.takeBefore(now - NEWS).forEach(this::judge);
		this.fireTimes.judgeBefore(now - NEWS, this.dataLosses, this.disturbances);
		this.timelines.values().forEach((timeline) -> timeline.forgetBefore(now - MEMORY));
		this.dataLosses.removeIf((loss) -> loss.span().to() < now - 2 * MEMORY);
		this.transactions.forgetBefore(now - MEMORY);
		this.farewells.forgetBefore(now - MEMORY);
		this.fireTimes.forgetBefore(now - MEMORY);
		this.disturbances.forgetBefore(now - 2 * MEMORY);
	}

	public void violated(Rule rule, String summary) {
		add(new Violation(rule, summary, notesAround(System.nanoTime())));
	}

	/**
	 * Tells whether a worker has attempts that have not ended.
	 */
	public boolean isAnythingOpen() {
		return this.histories.values()
			.stream()
			.anyMatch((history) -> !history.attempts.isEmpty() || !history.holds.isEmpty());
	}

	// What is checked

	private void ended(History history, Event event) {
		Attempt attempt = history.attempts.remove(event.attempt());
		if (attempt == null) {
			return;
		}
		attempt.endedAt = event.at();
		attempt.outcome = Outcome.values()[event.detail()];
		this.tally.ended(attempt.outcome);
		if (attempt.outcome == Outcome.FAILED) {
			violated(Rule.UNEXPECTED_FAILURE, attempt.name(), event.at(), "%s failed to get %s (%s); its log says why"
				.formatted(worker(event.worker()), name(attempt.name()), this.workloads.apply(attempt.asked.kind())));
		}
		if (!attempt.overdue && isTooLong(history, attempt, event.at())) {
			history.late.add(attempt);
		}
		if (this.calmSince != 0 && attempt.at > this.calmSince && attempt.name() != Event.SEVERAL) {
			this.calmAttempts.add(attempt);
		}
	}

	/**
	 * Judge a wait that took too long, once it is known whether its worker was stopped.
	 * @return whether that is known
	 */
	private boolean judge(History history, Attempt attempt, long now) {
		if (now - attempt.endedAt < NEWS) {
			return false;
		}
		if (isTooLong(history, attempt, attempt.endedAt)) {
			violated(Rule.WAIT_LIMIT, attempt.name(), attempt.endedAt,
					"%s waited %s for %s, with a wait of %s (%s)".formatted(worker(attempt),
							millis(attempt.endedAt - attempt.at), name(attempt.name()), millis(attempt.wait),
							this.workloads.apply(attempt.asked.kind())));
		}
		return true;
	}

	private void judge(Losses.Loss loss) {
		judgeNews(loss);
		String mystery = loss.mystery(this.disturbances, this.dataLosses);
		if (mystery != null) {
			Hold hold = loss.hold();
			violated(Rule.UNEXPLAINED_LOSS, hold.name, loss.at(),
					"%s had %s (token %d, %s) for %s, %s renewed it, and was told that it has lost it: %s, %s"
						.formatted(worker(hold.worker), name(hold.name), hold.token, this.workloads.apply(hold.kind),
								millis(loss.at() - hold.start), loss.renewed() ? "always" : "never", loss.cause(),
								mystery));
		}
	}

	/**
	 * Of several losses of data, the latest one may have been the one that took it. If
	 * only the latest writes were lost, the lock may also have been there and ended
	 * early.
	 */
	private void judgeNews(Losses.Loss loss) {
		long untold = this.dataLosses.stream()
			.filter((each) -> each.extent() == Extent.ALL)
			.mapToLong((each) -> each.untold(loss, this.disturbances))
			.filter((each) -> each > 0)
			.min()
			.orElse(0);
		this.tally.told(untold);
		if (untold > TOLD_WITHIN) {
			Hold hold = loss.hold();
			violated(Rule.TOLD_LATE, hold.name, loss.at(),
					"%s had %s (token %d, %s), and was told that it has lost it %s after the store could say so"
						.formatted(worker(hold.worker), name(hold.name), hold.token, this.workloads.apply(hold.kind),
								millis(untold)));
		}
	}

	private boolean isTooLong(History history, Attempt attempt, long now) {
		long limit = attempt.wait + this.patience.toNanos() + (attempt.ofJob ? CLAIM : 0);
		if (now - attempt.at <= limit) {
			return false;
		}
		long stopped = history.stops.stream().mapToLong((span) -> span.overlap(attempt.at, now)).sum();
		return now - attempt.at - stopped > limit;
	}

	private void called(History history, Event event) {
		this.fireTimes.called(event);
		Attempt attempt = history.attempts.get(event.attempt());
		if (attempt != null) {
			attempt.ofJob = true;
		}
	}

	private void granted(History history, Event event) {
		Attempt attempt = history.attempts.get(event.attempt());
		Hold hold = new Hold(event, (attempt != null) ? attempt.at : event.at());
		history.holds.put(event.hold(), hold);
		this.tally.granted(this.workloads.apply(event.kind()));
	}

	private void elected(History history, Event event) {
		this.leaderships.put(event.name(), event.amount());
		this.farewells.elected(event);
		history.holds.put(event.hold(), new Hold(event, event.at()));
		this.tally.increment(Count.TERMS);
	}

	private void committed(Event event) {
		this.tally.increment(Count.COMMITTED);
		if (event.detail() != Event.Place.OUTER.ordinal()) {
			this.tally.increment(Count.COMMITTED_INSIDE);
		}
		this.transactions.committed(event);
	}

	private void goOn(History history, Hold hold, Event event) {
		switch (event.type()) {
			case CHECKED -> {
				this.tally.increment(Count.CHECKS);
				hold.claim(event.at(), Math.max(event.at(), event.until()));
			}
			case EXTENDING -> hold.extending(event.amount());
			case RUNNING -> {
				this.fireTimes.began(event, hold);
				if (event.amount() > 0) {
					violated(Rule.CATCH_UP, event.name(), event.at(),
							"Fire time %d of job %d is run late, %d ms after it may be".formatted(event.until(),
									event.name(), event.amount()));
				}
			}
			case LOST, TOLD -> lost(hold, event);
			case RELEASING -> hold.releasing = Math.min(hold.releasing, event.at());
			case RELEASED -> {
				hold.released = event.at();
				history.holds.remove(event.hold());
				history.released.put(event.hold(), hold);
				close(hold);
			}
			default -> throw new IllegalStateException("Not an event of a hold: " + event);
		}
	}

	private void lost(Hold hold, Event event) {
		if (event.type() == Event.Type.TOLD) {
			told(hold, event);
		}
		else if (event.detail() == 1) {
			violated(Rule.UNCLOSED_END, hold.name, event.at(),
					"%s had %s, and its handle says that it was released, which nobody did"
						.formatted(worker(hold.worker), name(hold.name)));
		}
		hold.lost = Math.min(hold.lost, event.at());
	}

	private void told(Hold hold, Event event) {
		LossCause cause = event.lossCause();
		if (cause != null) {
			boolean renewed = event.amount() == 1;
			this.tally.increment(Count.LOSSES_TOLD);
			if (renewed) {
				this.tally.increment(Count.LOSSES_OF_RENEWED);
			}
			this.losses.add(new Losses.Loss(hold, cause, renewed, event.at()));
		}
	}

	private void close(Hold hold) {
		hold.close();
		if (hold.isEmpty()) {
			this.tally.increment(Count.GRANTED_TOO_LATE);
			return;
		}
		Collection<Hold> others = timeline(hold.name).add(hold);
		for (Hold other : others) {
			boolean otherIsFirst = other.start < hold.start || (other.start == hold.start && other.token < hold.token);
			compare(otherIsFirst ? other : hold, otherIsFirst ? hold : other);
		}
		if (!hold.isAlone()) {
			countCompany(hold, others.stream().filter((other) -> !other.isAlone() && other.overlaps(hold)).toList());
		}
		for (DataLoss loss : this.dataLosses) {
			if (loss.extent() == Extent.ALL && loss.isClearlyBefore(hold)
					&& hold.end > loss.span().to() + hold.wanted() + LEFT_OVER) {
				violated(Rule.RESURRECTION, hold.name, hold.end,
						"%s was told for %s after the store had lost all keys that it holds %s"
							.formatted(worker(hold.worker), millis(hold.end - loss.span().to()), name(hold.name)));
			}
		}
	}

	private void compare(Hold first, Hold second) {
		boolean apart = first.excludes(second);
		boolean overlap = apart && first.end > second.start;
		boolean disorder = apart ? first.token >= second.token : first.token == second.token;
		boolean tooSoon = apart && first.minHold > 0 && !first.wasLost() && first.released != Long.MAX_VALUE
				&& second.start < first.asked + first.minHold;
		if (!overlap && !disorder && !tooSoon) {
			return;
		}
		boolean orderExcused = !disorder
				|| this.dataLosses.stream().anyMatch((loss) -> loss.excusesOrder(first, second));
		if (orderExcused && isExcused(first, second)) {
			this.tally.increment(Count.EXCUSED);
		}
		else if (overlap && !(disorder && isExcused(first, second))) {
			violated(Rule.EXCLUSION, first.name, second.start,
					"%s had %s (token %d, %s) and until %s after the grant to %s (token %d, %s) was told that it holds it"
						.formatted(worker(first.worker), name(first.name), first.token,
								this.workloads.apply(first.kind), millis(first.end - second.start),
								worker(second.worker), second.token, this.workloads.apply(second.kind)));
		}
		else if (disorder) {
			violated(Rule.TOKEN_ORDER, first.name, second.start,
					"%s had %s with token %d, and %s had it later with token %d".formatted(worker(first.worker),
							name(first.name), first.token, worker(second.worker), second.token));
		}
		else {
			violated(Rule.MINIMUM_HOLD, first.name, second.start,
					"%s had %s with a minimum hold of %s, and %s had it %s after it was asked for".formatted(
							worker(first.worker), name(first.name), millis(first.minHold), worker(second.worker),
							millis(second.start - first.asked)));
		}
	}

	/**
	 * Count those who had the lock while a holder had it, at each instant at which there
	 * were more of them than before.
	 * @param others those that overlap it, without any that is alone
	 */
	private void countCompany(Hold hold, List<Hold> others) {
		List<Hold> all = new ArrayList<>(others);
		all.add(hold);
		all.sort(Comparator.comparingLong((each) -> each.start));
		boolean excused = false;
		for (Hold latest : all) {
			long instant = Math.max(latest.start, hold.start);
			List<Hold> company = all.stream().filter((each) -> each.start <= instant && each.end > instant).toList();
			for (Hold each : company) {
				if (company.size() <= each.limit) {
					continue;
				}
				List<Hold> counted = company.stream()
					.filter((other) -> other == each || !isExcused(each, other))
					.toList();
				if (counted.size() > each.limit) {
					tooLarge(each, counted, instant);
					return;
				}
				excused = true;
			}
		}
		if (excused) {
			this.tally.increment(Count.EXCUSED);
		}
	}

	private void tooLarge(Hold hold, List<Hold> company, long instant) {
		violated(Rule.EXCLUSION, hold.name, instant,
				"%s had %s (token %d, %s) in a company of at most %d, and %d were told that they hold it: %s".formatted(
						worker(hold.worker), name(hold.name), hold.token, this.workloads.apply(hold.kind), hold.limit,
						company.size(),
						company.stream()
							.map((each) -> "%s (token %d, %s, %s)".formatted(worker(each.worker), each.token,
									this.workloads.apply(each.kind), limit(each.limit)))
							.collect(Collectors.joining(", "))));
	}

	private boolean isExcused(Hold one, Hold other) {
		return this.dataLosses.stream().anyMatch((loss) -> loss.excuses(one, other));
	}

	// What is reported

	private void violated(Rule rule, int name, long at, String summary) {
		List<String> around = new ArrayList<>(notesAround(at));
		if (name != Event.SEVERAL) {
			timeline(name).events()
				.stream()
				.filter((event) -> Math.abs(event.at() - at) < TimeUnit.SECONDS.toNanos(10))
				.sorted((one, other) -> Long.compare(Math.abs(one.at() - at), Math.abs(other.at() - at)))
				.limit(40)
				.sorted((one, other) -> Long.compare(one.at(), other.at()))
				.forEach((event) -> around.add(line(event, at)));
		}
		add(new Violation(rule, summary, around));
	}

	private void add(Violation violation) {
		this.tally.violated(violation.rule());
		if (this.violations.size() < MOST_VIOLATIONS) {
			this.violations.add(violation);
		}
	}

	private List<String> notesAround(long at) {
		return this.notes.stream()
			.filter((note) -> Math.abs(note.at - at) < TimeUnit.SECONDS.toNanos(10))
			.map((note) -> "%+10.1f ms  fault: %s".formatted((note.at - at) / 1e6, note.text))
			.toList();
	}

	private String line(Event event, long at) {
		StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%+10.1f ms  %s %s", (event.at() - at) / 1e6,
				worker(event.worker()), event.type().name().toLowerCase(Locale.ROOT)));
		line.append(" attempt ").append(event.attempt());
		if (event.token() != 0) {
			line.append(" token ").append(event.token());
		}
		switch (event.type()) {
			case ASKED -> line.append(", waits ")
				.append(millis(event.amount()))
				.append(", ")
				.append(limit(event.largestCompany()));
			case COMMITTED -> line.append(", balance ")
				.append(event.amount())
				.append(' ')
				.append(Event.Place.values()[event.detail()].text());
			case CALLED, RUNNING, SUCCEEDED, FAILED -> line.append(", fire time ").append(event.until());
			case REPORTED -> line.append(": %d fire times up to %d %s".formatted(event.amount(), event.until(),
					event.jobOutcome().name().toLowerCase(Locale.ROOT)));
			case BEGINNING -> line.append(' ').append(Event.Place.values()[event.detail()].text());
			case REVOKING -> line.append((event.amount() == 1) ? ": lost" : ": resigned");
			case TOLD -> line.append(": ").append(event.lossCause());
			case GRANTED, CHECKED -> line.append(", valid for ")
				.append((event.until() != 0) ? millis(event.until() - event.at()) : "no time");
			case ENDED -> line.append(": ").append(Outcome.values()[event.detail()].name().toLowerCase(Locale.ROOT));
			default -> {
			}
		}
		return line.append(" (").append(this.workloads.apply(event.kind())).append(')').toString();
	}

	private static String worker(int worker) {
		return "worker " + worker;
	}

	private static String worker(Attempt attempt) {
		return worker(attempt.asked.worker());
	}

	private static String name(int name) {
		return (name != Event.SEVERAL) ? "lock " + name : "several locks";
	}

	private static String limit(int limit) {
		return switch (limit) {
			case 1 -> "alone";
			case Integer.MAX_VALUE -> "shared";
			default -> limit + " permits";
		};
	}

	private static String millis(long nanos) {
		return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
	}

	private History history(int worker) {
		return this.histories.computeIfAbsent(worker, (key) -> new History());
	}

	private Timeline timeline(int name) {
		return this.timelines.computeIfAbsent(name, (key) -> new Timeline());
	}

	/**
	 * What is open in one worker.
	 */
	private static final class History {

		final Map<Long, Attempt> attempts = new HashMap<>();

		final Map<Long, Hold> holds = new HashMap<>();

		/** A moment ago: their loss may become known with the answer. */
		final Map<Long, Hold> released = new HashMap<>();

		final List<Span> stops = new ArrayList<>();

		/** They have ended, but late. */
		final List<Attempt> late = new ArrayList<>();

		List<Hold> find(int name, long token) {
			return Stream.concat(this.holds.values().stream(), this.released.values().stream())
				.filter((hold) -> hold.name == name && hold.token == token)
				.limit(1)
				.toList();
		}

	}

	/**
	 * One attempt to acquire.
	 */
	private static final class Attempt {

		final Event asked;

		final long at;

		final long wait;

		long endedAt;

		@Nullable Outcome outcome;

		boolean overdue;

		boolean ofJob;

		Attempt(Event asked) {
			this.asked = asked;
			this.at = asked.at();
			this.wait = asked.amount();
		}

		int name() {
			return this.asked.name();
		}

	}

	private record Note(long at, String text) {
	}

}
