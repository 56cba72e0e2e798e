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

package io.distributedlock.campaign.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.campaign.history.Event;
import io.distributedlock.campaign.history.Event.Outcome;
import io.distributedlock.campaign.worker.Attempt.Request;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * The ways in which a campaign uses locks.
 */
public final class Workloads {

	/** How often each is drawn, and what it is called in reports. */
	static final List<Entry> ALL = List.of(new Entry("blocking", Pace.SHORT, 24, Workloads::blocking),
			new Entry("execute", Pace.SHORT, 10, Workloads::execute),
			new Entry("skip", Pace.SHORT, 14, Workloads::skip), new Entry("future", Pace.SHORT, 8, Workloads::future),
			new Entry("future, cancelled", Pace.SHORT, 5, Workloads::cancelledFuture),
			new Entry("work of a future", Pace.SHORT, 8, Workloads::workOfFuture),
			new Entry("reactive", Pace.SHORT, 8, Workloads::reactive),
			new Entry("reactive, cancelled", Pace.SHORT, 5, Workloads::cancelledReactive),
			new Entry("several names", Pace.SHORT, 5, Workloads::several),
			new Entry("re-entry", Pace.SHORT, 6, Workloads::reentry),
			new Entry("java.util.concurrent.Lock", Pace.SHORT, 4, Workloads::view),
			new Entry("interrupted", Pace.SHORT, 6, Workloads::interrupted),
			new Entry("annotation", Pace.SHORT, 6, Workloads::annotated),
			new Entry("annotation, skip", Pace.SHORT, 4, Workloads::annotatedSkip),
			new Entry("annotation, future", Pace.SHORT, 4, Workloads::annotatedFuture),
			new Entry("annotation, reactive", Pace.SHORT, 4, Workloads::annotatedMono),
			new Entry("fenced transaction", Pace.SHORT, 3, Workloads::fenced),
			new Entry("crowd", Pace.SHORT, 4, Workloads::crowd), new Entry("extend", Pace.LONG, 8, Workloads::extend),
			new Entry("minimum hold", Pace.LONG, 8, Workloads::minimumHold),
			new Entry("renewed", Pace.LONG, 8, Workloads::renewed),
			new Entry("longer than its lease", Pace.LONG, 2, Workloads::overrun),
			new Entry("long fenced transaction", Pace.LONG, 3, Workloads::fencedForLong),
			new Entry("late fenced transaction", Pace.LONG, 3, Workloads::fencedLate),
			new Entry("fenced transaction with callbacks", Pace.LONG, 4, Workloads::fencedWithCallbacks),
			new Entry("annotated transaction with callbacks", Pace.LONG, 4, Workloads::annotatedWithCallbacks),
			new Entry("with company", Pace.SHORT, 10, withCompany(Workloads::blocking)),
			new Entry("with company, skip", Pace.SHORT, 6, withCompany(Workloads::skip)),
			new Entry("with company, future", Pace.SHORT, 4, withCompany(Workloads::future)),
			new Entry("with company, future, cancelled", Pace.SHORT, 4, withCompany(Workloads::cancelledFuture)),
			new Entry("with company, reactive, cancelled", Pace.SHORT, 3, withCompany(Workloads::cancelledReactive)),
			new Entry("with company, re-entry", Pace.SHORT, 4, withCompany(Workloads::reentry)),
			new Entry("with company, java.util.concurrent.Lock", Pace.SHORT, 2, withCompany(Workloads::view)),
			new Entry("with company, interrupted", Pace.SHORT, 4, withCompany(Workloads::interrupted)),
			new Entry("with company, crowd", Pace.SHORT, 4, withCompany(Workloads::crowd)),
			new Entry("with company, extend", Pace.LONG, 6, withCompany(Workloads::extend)),
			new Entry("with company, renewed", Pace.LONG, 8, withCompany(Workloads::renewed)),
			new Entry("with company, longer than its lease", Pace.LONG, 6, withCompany(Workloads::overrun)));

	/** The kind of what candidates write. */
	static final int LEADERSHIP = -1;

	/** The kind of a job that is called at its fire time. */
	static final int JOB = -2;

	static final int LATE_JOB = -3;

	private Workloads() {
	}

	public static String label(int kind) {
		return switch (kind) {
			case LEADERSHIP -> "leadership";
			case JOB -> "job";
			case LATE_JOB -> "job, late";
			default -> ALL.get(kind).label();
		};
	}

	static int draw(Pace pace, RandomGenerator random) {
		int left = random.nextInt(ALL.stream().filter((entry) -> entry.pace() == pace).mapToInt(Entry::weight).sum());
		int kind = -1;
		while (left >= 0) {
			kind++;
			left -= (ALL.get(kind).pace() == pace) ? ALL.get(kind).weight() : 0;
		}
		return kind;
	}

	/** The same with a lock that several may hold. */
	private static Workload withCompany(Workload workload) {
		return (bench, attempt) -> {
			attempt.allowCompany();
			workload.run(bench, attempt);
		};
	}

	private static void blocking(Bench bench, Attempt attempt) {
		hold(bench, attempt, attempt.ask(), attempt::drawSection);
	}

	/** Works under a lock for a length that is drawn then, and leaves. */
	private static void hold(Bench bench, Attempt attempt, Request request, Supplier<Duration> length) {
		try (LockHandle handle = bench.locks().acquire(request.name(), request.options())) {
			request.granted(handle).work(length.get());
			attempt.leave();
		}
	}

	private static void execute(Bench bench, Attempt attempt) {
		Request request = attempt.ask();
		bench.locks().executeWithoutResult(request.name(), request.options(), request::work);
	}

	private static void skip(Bench bench, Attempt attempt) {
		int name = attempt.drawName();
		Request request = attempt.ask(name, attempt.options(name, Duration.ZERO));
		Optional<LockHandle> found = bench.locks().tryAcquire(request.name(), request.options());
		if (found.isEmpty()) {
			attempt.end(Outcome.BUSY);
			return;
		}
		try (LockHandle handle = found.get()) {
			request.work(handle);
		}
	}

	private static void future(Bench bench, Attempt attempt) throws Exception {
		Request request = attempt.ask();
		LockHandle handle = bench.locks().acquireAsync(request.name(), request.options()).get();
		request.work(handle);
		handle.releaseAsync().get();
	}

	private static void cancelledFuture(Bench bench, Attempt attempt) throws Exception {
		Request request = attempt.ask();
		CompletableFuture<LockHandle> future = bench.locks().acquireAsync(request.name(), request.options());
		bench.alarm().cancel(drawInstant(attempt), () -> future.cancel(true));
		try (LockHandle handle = future.get()) {
			request.work(handle);
		}
	}

	private static void workOfFuture(Bench bench, Attempt attempt) throws Exception {
		Request request = attempt.ask();
		bench.locks().executeAsync(request.name(), request.options(), (handle) -> {
			request.work(handle);
			return CompletableFuture.completedFuture(true);
		}).get();
	}

	private static void reactive(Bench bench, Attempt attempt) {
		Request request = attempt.ask();
		bench.reactive().execute(request.name(), request.options(), (handle) -> Mono.fromCallable(() -> {
			request.work(handle);
			return true;
		})).block();
	}

	private static void cancelledReactive(Bench bench, Attempt attempt) throws Exception {
		Request request = attempt.ask();
		CompletableFuture<Boolean> over = new CompletableFuture<>();
		Duration instant = drawInstant(attempt);
		Disposable subscription = bench.reactive()
			.execute(request.name(), request.options(), (handle) -> Mono.defer(() -> {
				request.granted(handle).check();
				return Mono.delay(Duration.ofMillis(3)).map((tick) -> {
					attempt.leave();
					return true;
				});
			}))
			.subscribe((ignored) -> {
			}, over::completeExceptionally, () -> over.complete(true));
		bench.alarm().cancel(instant, () -> {
			// The lock is given back before dispose returns
			attempt.leave();
			subscription.dispose();
			over.cancel(false);
		});
		over.get();
	}

	private static void several(Bench bench, Attempt attempt) {
		List<Integer> names = new ArrayList<>(
				List.of(LockNames.drawCold(attempt.random()), LockNames.drawCold(attempt.random())));
		if (names.get(0).equals(names.get(1))) {
			names.remove(1);
		}
		// All of them have the lease of the first
		int first = names.get(0);
		names.removeIf((name) -> !LockNames.lease(name).equals(LockNames.lease(first)));
		if (names.size() == 1) {
			names.add((first + 4 < 64) ? first + 4 : first - 4);
		}
		Duration wait = Duration.ofMillis(attempt.random().nextInt(400));
		LockOptions options = attempt.options(first, wait);
		attempt.ask(Event.SEVERAL, wait);
		bench.locks().executeAllWithoutResult(names.stream().map(LockNames::text).toList(), options, (handle) -> {
			List<Section> sections = new ArrayList<>();
			for (LockHandle part : handle.parts()) {
				int name = Integer.parseInt(part.name().substring(LockNames.text(0).length() - 1));
				sections.add(attempt.granted(name, part, options));
			}
			sections.get(0).work(attempt.drawSection());
			sections.forEach(Section::check);
			attempt.leave();
		});
	}

	private static void reentry(Bench bench, Attempt attempt) {
		Request request = attempt.ask();
		try (LockHandle handle = bench.locks().acquire(request.name(), request.options())) {
			Section outer = request.granted(handle);
			outer.work(attempt.drawSection());
			try (LockHandle inner = bench.locks()
				.acquire(request.name(), request.options().withWaitTime(Duration.ZERO))) {
				if (inner.fencingToken() == handle.fencingToken()) {
					outer.check();
				}
			}
			outer.work(attempt.drawSection());
			attempt.leave();
		}
	}

	/** Nobody comes later who would find a waiter that was forgotten. */
	private static void crowd(Bench bench, Attempt attempt) {
		int name = attempt.nameOfTheMoment();
		Request request = attempt.ask(name, attempt.options(name, Duration.ofSeconds(3)));
		hold(bench, attempt, request, () -> Duration.ofMillis(attempt.random().nextInt(5, 40)));
	}

	private static void extend(Bench bench, Attempt attempt) {
		int name = attempt.drawNameForLong(bench.names());
		Request request = attempt.ask(name, attempt.options(name, attempt.drawWait()));
		try (LockHandle handle = bench.locks().acquire(request.name(), request.options())) {
			Section section = request.granted(handle);
			section.work(Duration.ofMillis(attempt.random().nextInt(30)));
			try {
				section.extend(Duration.ofMillis(attempt.random().nextInt(100, 1000)));
				section.work(Duration.ofMillis(attempt.random().nextInt(30)));
			}
			finally {
				attempt.leave();
			}
		}
	}

	private static void minimumHold(Bench bench, Attempt attempt) {
		int name = attempt.drawNameForLong(bench.names());
		LockOptions options = attempt.options(name, Duration.ofMillis(attempt.random().nextInt(100)))
			.withMinHold(Duration.ofMillis(attempt.random().nextInt(200, 600)));
		hold(bench, attempt, attempt.ask(name, options), attempt::drawSection);
	}

	private static void renewed(Bench bench, Attempt attempt) {
		int name = attempt.drawNameForLong(bench.names());
		LockOptions options = attempt.options(name, Duration.ofMillis(500)).withAutoRenew();
		long longest = 3 * options.lease().toMillis();
		hold(bench, attempt, attempt.ask(name, options), () -> Duration.ofMillis(attempt.random().nextLong(longest)));
	}

	private static void overrun(Bench bench, Attempt attempt) {
		int name = attempt.drawNameForLong(bench.names());
		LockOptions options = attempt.options(name, Duration.ofMillis(500));
		hold(bench, attempt, attempt.ask(name, options),
				() -> options.lease().plusMillis(attempt.random().nextInt(200)));
	}

	private static void view(Bench bench, Attempt attempt) throws Exception {
		Request request = attempt.ask();
		Lock lock = bench.locks().asLock(request.name(), request.options());
		if (!lock.tryLock(request.options().waitTime().toNanos(), TimeUnit.NANOSECONDS)) {
			attempt.end(Outcome.BUSY);
			return;
		}
		try {
			bench.locks().current(request.name()).ifPresent(request::work);
			attempt.end(Outcome.GRANTED);
			attempt.leave();
		}
		finally {
			lock.unlock();
		}
	}

	private static void interrupted(Bench bench, Attempt attempt) {
		bench.alarm().interrupting(drawInstant(attempt), () -> blocking(bench, attempt));
	}

	private static void annotated(Bench bench, Attempt attempt) {
		int name = LockNames.drawAnnotated(attempt.random());
		attempt.ask(name, AnnotatedWork.WAIT);
		bench.annotated().run(name, attempt, null);
	}

	private static void annotatedSkip(Bench bench, Attempt attempt) {
		int name = LockNames.drawAnnotated(attempt.random());
		attempt.ask(name, Duration.ZERO);
		bench.annotated().skip(name, attempt, null);
		attempt.end(Outcome.BUSY);
	}

	private static void annotatedFuture(Bench bench, Attempt attempt) throws Exception {
		int name = LockNames.drawAnnotated(attempt.random());
		attempt.ask(name, AnnotatedWork.WAIT);
		bench.annotated().future(name, attempt, null).get();
	}

	private static void annotatedMono(Bench bench, Attempt attempt) {
		int name = LockNames.drawAnnotated(attempt.random());
		attempt.ask(name, AnnotatedWork.WAIT);
		bench.annotated().mono(name, attempt, null).block();
	}

	/**
	 * The transaction begins, and may wait for a row, before the grant can be written
	 * down. So the rules for waiters, who then seem to wait for a free lock, are not for
	 * accounts.
	 */
	private static void fenced(Bench bench, Attempt attempt) throws Exception {
		attempt.ask(Event.SEVERAL, AnnotatedWork.WAIT);
		bench.fenced().annotated(LockNames.drawAccount(attempt.random()), attempt, attempt.drawSection(), null);
	}

	/** Every second one takes longer than its lease, so that the next holder begins. */
	private static void fencedForLong(Bench bench, Attempt attempt) throws Exception {
		claim(bench, attempt, LockNames.LONG_ACCOUNT, Duration.ZERO, Duration.ofMillis(attempt.random().nextInt(2000)));
	}

	/** Some begin after the transaction of the next holder, which is seldom late. */
	private static void fencedLate(Bench bench, Attempt attempt) throws Exception {
		int longest = (attempt.random().nextInt(3) == 0) ? 1500 : 50;
		claim(bench, attempt, LockNames.LATE_ACCOUNT, Duration.ofMillis(attempt.random().nextInt(longest)),
				attempt.drawSection());
	}

	private static void claim(Bench bench, Attempt attempt, int account, Duration before, Duration length)
			throws Exception {
		holdAccount(bench, attempt, account, (section) -> {
			TimeUnit.NANOSECONDS.sleep(before.toNanos());
			bench.fenced().claim(account, section, attempt, length);
		});
	}

	private static void fencedWithCallbacks(Bench bench, Attempt attempt) throws Exception {
		int account = LockNames.drawAccountWithCallbacks(attempt.random());
		CallbackWork.Run run = new CallbackWork.Run(account, attempt, false);
		holdAccount(bench, attempt, account, (section) -> bench.callbacks().claim(run, section));
	}

	private static void holdAccount(Bench bench, Attempt attempt, int account, AccountWork work) throws Exception {
		LockOptions options = attempt.options(account, AnnotatedWork.WAIT);
		attempt.ask(Event.SEVERAL, options.waitTime());
		try (LockHandle handle = bench.locks().acquire(LockNames.text(account), options)) {
			work.run(attempt.granted(account, handle, options));
			attempt.leave();
		}
	}

	private static void annotatedWithCallbacks(Bench bench, Attempt attempt) {
		int account = LockNames.drawAccountWithCallbacks(attempt.random());
		CallbackWork.Run run = new CallbackWork.Run(account, attempt, true);
		attempt.ask(Event.SEVERAL, AnnotatedWork.WAIT);
		run.beginning(Event.Place.OUTER);
		run.end(() -> bench.callbacks().annotated(account, run, null));
	}

	/** Many hit the first round trip, some the wait. */
	private static Duration drawInstant(Attempt attempt) {
		RandomGenerator random = attempt.random();
		return Duration.ofNanos(random.nextBoolean() ? random.nextLong(2_000_000) : random.nextLong(100_000_000));
	}

	/**
	 * How long a workload takes: a few threads have the long ones, so that they do not
	 * keep all from the short ones.
	 */
	enum Pace {

		SHORT, LONG

	}

	record Entry(String label, Pace pace, int weight, Workload workload) {
	}

	private interface AccountWork {

		void run(Section section) throws InterruptedException;

	}

	/**
	 * Uses a lock once, and writes down what happens. What is thrown ends the attempt:
	 * the documented exceptions as what they say, all others as a failure.
	 */
	interface Workload {

		void run(Bench bench, Attempt attempt) throws Exception;

	}

}
