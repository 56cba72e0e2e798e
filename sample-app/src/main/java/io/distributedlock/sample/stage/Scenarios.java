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

package io.distributedlock.sample.stage;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import tools.jackson.databind.JsonNode;

import org.springframework.scheduling.support.CronExpression;

/**
 * All scenarios that are played: first what each is about, then how it is played, in the
 * order of the documentation.
 */
final class Scenarios {

	static final List<Scenario> ALL = List.of(new Scenario("A report that is asked for twice", """
			An impatient click has queued a query twice; workers on both instances pick it up.
			Then a query fails: its caller gets the exception itself, and can ask again.""", Scenarios::report),
			new Scenario("A scheduled job, once", """
					A cron job reads five documents and appends a line of keywords for each to a file, in 0.2 s.
					It is scheduled three times: without a lock, with a lock alone (keyword-lock), and once per fire
					time (keyword-job). The clock of instance-2 is 3 s late: when it fires, both locks are free, but
					the record of keyword-job says that this fire time was run.""", Scenarios::scheduledJob),
			new Scenario("Double payment", """
					Five threads pay the same order at the same moment; a payment takes 2 s. The lock spares the
					gateway a second call; the unique key refuses what slips through.""", Scenarios::payment),
			new Scenario("The same request again", """
					A cart is ordered, which takes no time at all. The same cart is not to be ordered again
					within 4 s, however often it is submitted and wherever.""", Scenarios::repeatedOrder),
			new Scenario("Stock",
					"""
							40 customers buy one of 25 pieces at the same moment, on both instances: read, check, write,
							in a transaction of the database that both use. First without a lock. Then each takes the lock in
							its transaction and releases it before the commit, which writes. So that both go wrong each time,
							an instance writes only when all of its customers have read. Last, the lock ends after the commit.""",
					Scenarios::stock),
			new Scenario("Cache stampede", """
					A cache entry expires. 100 readers find that out at the same moment, on both instances;
					loading it from the database takes half a second.""", Scenarios::cache),
			new Scenario("Jobs, skipped if taken", """
					A worker on each instance goes through the same six jobs. A job that the other one is
					processing is skipped without a wait. The lease of 300 s is renewed while a job runs.""",
					Scenarios::jobs),
			new Scenario("A long task with LockService", """
					Two exports take 9 s each under a lease of 4 s. One lock is renewed every third of its
					lease. The other is not: its holder must learn of the loss before it writes on.""",
					Scenarios::longTask),
			new Scenario("Leader", """
					Both instances wait for the same lock; the holder is the leader. The leader resigns,
					then the next one loses its lock, because the key vanishes from Redis. Until it learns of it,
					there are two.""", Scenarios::leader),
			new Scenario("Another language", """
					A worker in Python locks the same key with redis-py (played with the same commands:
					SET NX PX, and its script to release). Each side finds the lock of the other one taken.""",
					Scenarios::feed),
			new Scenario("Reactive method", """
					A method returns a Mono: a question to an exchange, which takes 2 s. Both instances ask at
					the same moment. Then an impatient caller asks and gives up after half a second.""",
					Scenarios::rate),
			new Scenario("@Async method", """
					A newsletter is sent by a method that is @Async: its caller gets a future at once, and the
					lock is taken in the thread of the executor. Four clients want the same issue sent.""",
					Scenarios::mailing),
			new Scenario("Fenced transaction", """
					Two instances deposit 10 in one account. While the first one is between reading and writing,
					the key of its lock vanishes from Redis, and the second one gets the lock as well.""",
					Scenarios::fencedTransaction),
			new Scenario("At most three at a time", """
					Nine clients want invoices exported, on both instances at the same moment. The database
					bears three exports at a time, on all instances together: the others wait for a permit.""",
					Scenarios::invoices),
			new Scenario("Many readers, one writer", """
					Six readers on two instances read an index again and again, without a break. They share its
					lock. Meanwhile each instance rebuilds the index once, and must be alone for that.""",
					Scenarios::index));

	private static final CronExpression FIRE_TIMES = CronExpression.parse("*/10 * * * * *");

	static final Duration PERIOD = Duration.ofSeconds(10);

	/** The schedule of the job, which an incident uses as well: they take turns. */
	static final Semaphore SCHEDULE = new Semaphore(1);

	/** That of instance-2. */
	static final Duration CLOCK_BEHIND = Duration.ofSeconds(3);

	static final String JOB = "keyword-job";

	/** When a holder has asked for its lock, which it does once, after half a second. */
	private static final Duration ASKED_FOR = Duration.ofMillis(1200);

	/** How long to wait for a lock: less than its lease, which ends by itself. */
	private static final Duration SOON = Duration.ofSeconds(8);

	/** So that they can be told apart on the time line. */
	private static final Duration BETWEEN_STEPS = Duration.ofMillis(300);

	private Scenarios() {
	}

	private static List<Finding> report(Instances instances) {
		String report = "/reports/" + Instances.fresh("query");
		List<Answer> answers = instances.bothAtOnce((instance) -> instance.post(report));
		List<Answer> written = ok(answers);
		List<Answer> skipped = busyMeanwhile(answers);
		Answer failed = instances.first().post(report + "?failOnce=true");
		Answer again = instances.second().post(report);
		return List.of(Finding.number("reports written", 1, written.size()),
				Finding.number("duplicates skipped, without waiting for the report", 1, skipped.size()),
				new Finding("who runs it, according to the caller that skipped",
						written.stream().map(Answer::instance).toList(),
						skipped.stream().map((answer) -> answer.text("holder")).toList()),
				new Finding("exception of the failed query, as its caller saw it", "502 QueryFailedException",
						failed.status() + " " + failed.text("exception")),
				Finding.that("the other instance could run it right afterwards", again.is(Answer.OK)));
	}

	private static List<Finding> scheduledJob(Instances instances) {
		SCHEDULE.acquireUninterruptibly();
		try {
			return fireOnce(instances);
		}
		finally {
			SCHEDULE.release();
		}
	}

	private static List<Finding> fireOnce(Instances instances) {
		awaitTimeToSetUp(instances);
		for (String guard : List.of("NONE", "LOCK", "FIRE_TIME")) {
			instances.bothAtOnce((instance) -> instance.post("/keywords/schedule?guard=" + guard));
		}
		Pause.of(untilNextTick());
		long before = holdsThatEnded(instances.second(), JOB);
		Pause.of(CLOCK_BEHIND);
		Duration untilTheyFireAgain = PERIOD.minus(CLOCK_BEHIND).minusSeconds(2);
		Pause.until(() -> holdsThatEnded(instances.second(), JOB) > before
				&& isWrittenTwice(instances.second().get("/keywords")), untilTheyFireAgain);
		instances.bothAtOnce((instance) -> instance.delete("/keywords/schedule"));
		JsonNode lines = instances.second().get("/keywords").body();
		List<String> once = linesOf(lines, "FIRE_TIME");
		return List.of(
				Finding.number("lines in the file without a lock", 10, linesOf(lines, "NONE").size())
					.shows("written twice"),
				Finding.number("lines in the file with a lock alone", 10, linesOf(lines, "LOCK").size())
					.shows("written twice"),
				Finding.number("lines in the file, once per fire time", 5, once.size()),
				Finding.number("instances that wrote them", 1, once.stream().distinct().count()),
				Finding.note("it was", once.stream().distinct().collect(Collectors.joining(", "))));
	}

	/** What is guarded by less than a fire time. */
	private static boolean isWrittenTwice(Answer lines) {
		return lines.is(Answer.OK)
				&& Stream.of("NONE", "LOCK").allMatch((guard) -> linesOf(lines.body(), guard).size() >= 10);
	}

	/** The instances that wrote them. */
	private static List<String> linesOf(JsonNode lines, String guard) {
		return StreamSupport.stream(lines.spliterator(), false)
			.filter((line) -> line.path("guard").asString().equals(guard))
			.map((line) -> line.path("instance").asString())
			.toList();
	}

	/**
	 * After the last fire time of instance-2, and before the next one of instance-1. The
	 * job is as if it had never run.
	 */
	static void awaitTimeToSetUp(Instances instances) {
		// Otherwise the first run may lose its lock, as its lease is short
		instances.awaitWarm();
		Duration time = Duration.ofSeconds(2);
		Pause.until(() -> untilNextTick().compareTo(time) > 0
				&& untilNextTick().plus(CLOCK_BEHIND).plus(time.dividedBy(2)).compareTo(PERIOD) < 0, PERIOD);
		instances.first().delete("/keywords");
	}

	static Duration untilNextTick() {
		LocalDateTime now = LocalDateTime.now();
		LocalDateTime next = FIRE_TIMES.next(now);
		return (next != null) ? Duration.between(now, next) : Duration.ZERO;
	}

	private static List<Finding> payment(Instances instances) {
		String order = Instances.fresh("order");
		List<Answer> answers = instances.atOnce(5, (instance) -> instance.post("/pay?user=7&order=" + order));
		List<String> refusals = busyMeanwhile(answers).stream().map(Answer::detail).toList();
		return List.of(
				Finding.number("payments in the database", 1,
						instances.first().get("/payments/" + order + "/count").body().asLong()),
				Finding.number("refused at once, while the payment was under way", 4, refusals.size()),
				new Finding("what the refusals say", List.of("being processed, please do not submit again"),
						refusals.stream().distinct().toList()));
	}

	private static List<Finding> repeatedOrder(Instances instances) {
		String cart = "/orders/" + Instances.fresh("cart");
		Answer ordered = instances.first().post(cart);
		long start = System.nanoTime();
		List<Answer> atOnce = instances.bothAtOnce((instance) -> instance.post(cart));
		Pause.of(Duration.ofNanos(start - System.nanoTime()).plusMillis(1500));
		Answer tooEarly = instances.second().post(cart);
		Pause.of(Duration.ofNanos(start - System.nanoTime()).plusMillis(4500));
		Answer later = instances.second().post(cart);
		return List.of(Finding.that("the first order was accepted", ordered.is(Answer.OK)),
				Finding.number("orders refused right afterwards, on both instances", 2, count(atOnce, Answer.BUSY)),
				Finding.that("still refused after 1.5 s", tooEarly.is(Answer.BUSY)),
				Finding.that("accepted again after 4.5 s", later.is(Answer.OK)));
	}

	private static List<Finding> stock(Instances instances) {
		instances.step("no lock to see: 40 sold");
		String oversold = "/stock/" + Instances.fresh("tablet");
		List<Answer> unlocked = sell(instances, oversold, "?locked=false&buyers=20");
		Pause.of(BETWEEN_STEPS);
		instances.step("lock ends before commit");
		String early = "/stock/" + Instances.fresh("camera");
		List<Answer> released = sell(instances, early, "?early=true&buyers=20");
		Pause.of(BETWEEN_STEPS);
		instances.step("lock ends after commit");
		String product = "/stock/" + Instances.fresh("phone");
		List<Answer> answers = sell(instances, product, "");
		JsonNode unguarded = instances.second().get(oversold).body();
		JsonNode tooEarly = instances.second().get(early).body();
		JsonNode stock = instances.second().get(product).body();
		return List.of(new Finding("without the lock", "sold 40 of 25, 15 too many", sold(unlocked)).shows("oversold"),
				new Finding("released before the commit", "sold 40 of 25, 15 too many", sold(released))
					.shows("oversold"),
				new Finding("with the lock", "sold 25 of 25", sold(answers)),
				soldInDatabase("without the lock", 40, unguarded).shows("oversold"),
				leftByLostUpdates("without the lock", unguarded),
				soldInDatabase("released before the commit", 40, tooEarly).shows("oversold"),
				leftByLostUpdates("released before the commit", tooEarly),
				Finding.number("with the lock: customers who were told that it is sold out", 15,
						count(answers, Answer.SOLD_OUT)),
				Finding.number("with the lock: pieces left in the database", 0, stock.path("quantity").asLong()),
				soldInDatabase("with the lock", 25, stock),
				Finding.note("with the lock: sold by", byInstance(ok(answers))));
	}

	private static String sold(List<Answer> answers) {
		int sold = ok(answers).size();
		return "sold " + sold + " of 25" + ((sold > 25) ? ", " + (sold - 25) + " too many" : "");
	}

	private static Finding soldInDatabase(String how, long expected, JsonNode stock) {
		return Finding.number(how + ": pieces sold in the database", expected, stock.path("sold").asLong());
	}

	/**
	 * Customers write when all of their instance have read: those of the first instance
	 * 24, and those of the other one, who may have read that, 24 or 23.
	 */
	private static Finding leftByLostUpdates(String how, JsonNode stock) {
		return Finding.note(how + ": pieces left in the database",
				stock.path("quantity").asLong() + " (lost updates: each customer read 25 or 24, and wrote one less)");
	}

	/** 25 pieces to 40 customers. */
	private static List<Answer> sell(Instances instances, String product, String how) {
		instances.first().put(product + "?quantity=25");
		return instances.atOnce(40, (instance) -> instance.post(product + "/purchase" + how));
	}

	private static List<Finding> cache(Instances instances) {
		String price = "/cache/" + Instances.fresh("book");
		instances.step("first load fills the cache");
		instances.first().get(price);
		instances.step("expired: 100 readers, one load");
		instances.first().delete(price);
		List<Answer> answers = instances.atOnce(100, (instance) -> instance.get(price));
		return List.of(
				Finding.number("readers who got the price", 100,
						count(answers, "CACHE", "CACHE_AFTER_WAIT", "DATABASE")),
				Finding.number("loads from the database since it expired", 1, count(answers, "DATABASE")),
				Finding.number("different prices", 1,
						answers.stream().map((answer) -> answer.text("cents")).distinct().count()));
	}

	private static long count(List<Answer> answers, String... sources) {
		return answers.stream().filter((answer) -> List.of(sources).contains(answer.text("source"))).count();
	}

	private static List<Finding> jobs(Instances instances) {
		List<String> jobs = Stream.generate(() -> "/jobs/" + Instances.fresh("job")).limit(6).toList();
		List<List<Answer>> passes = instances.bothAtOnce((worker) -> jobs.stream().map(worker::post).toList());
		List<String> results = passes.stream().flatMap(List::stream).map((answer) -> answer.text("result")).toList();
		List<Integer> runs = jobs.stream().map((job) -> instances.first().get(job + "/runs").body().size()).toList();
		long skipped = results.stream().filter((result) -> !result.equals("PROCESSED")).count();
		return List.of(new Finding("runs of each job", List.of(1, 1, 1, 1, 1, 1), runs),
				Finding.number("attempts that processed a job", 6, results.size() - skipped),
				Finding.number("attempts that skipped a job", 6, skipped), Finding
					.that("at least one was skipped because it was taken at that moment", results.contains("TAKEN")));
	}

	private static List<Finding> longTask(Instances instances) {
		Duration lease = Duration.ofSeconds(4);
		Duration twiceTheLease = lease.multipliedBy(2);
		String id = Instances.fresh("renewed");
		String renewed = "/exports/" + id;
		String notRenewed = "/exports/" + Instances.fresh("plain") + "?renew=false";
		CompletableFuture<Answer> held = startHolding("export:" + id, instances.first(), renewed);
		CompletableFuture<Answer> lost = inTheBackground(() -> instances.second().post(notRenewed));
		Pause.of(lease.plusSeconds(1));
		Answer refused = instances.second().post(renewed);
		Answer stopped = lost.join();
		Answer finished = held.join();
		return List.of(
				Finding.that("with renewal: finished after more than twice the lease",
						finished.is(Answer.OK) && finished.took().compareTo(twiceTheLease) > 0),
				Finding.that("with renewal: still held at the end", finished.body().path("heldAtEnd").asBoolean(false)),
				Finding.that("with renewal: the other instance was refused after the first lease",
						refused.is(Answer.BUSY)),
				new Finding("without renewal: the cause that the holder received", causeOfExpiry(stopped),
						stopped.text("cause")),
				Finding.that("without renewal: it stopped before all parts were written",
						stopped.took().compareTo(twiceTheLease) < 0));
	}

	/** On a busy machine the timer may be late, which is taken for a pause. */
	private static String causeOfExpiry(Answer stopped) {
		String late = "PROCESS_PAUSED";
		return stopped.text("cause").equals(late) ? late : "LEASE_EXPIRED";
	}

	private static List<Finding> leader(Instances instances) {
		Duration lease = Duration.ofSeconds(3);
		instances.first().post("/leader");
		Duration elected = Pause.until(() -> leads(instances.first()), lease);
		instances.second().post("/leader");
		List<Finding> findings = new ArrayList<>();
		findings.add(Finding.that("the first candidate leads", elected != null && !leads(instances.second())));
		instances.first().delete("/leader");
		Duration handedOver = Pause.until(() -> leads(instances.second()), lease);
		instances.first().post("/leader");
		findings.add(Finding.that("it resigns, and the other one leads at once",
				handedOver != null && handedOver.compareTo(lease.dividedBy(2)) < 0));
		findings.add(Finding.number("leaders while both are candidates", 1, leaders(instances)));
		int lost = lost(instances.second());
		instances.second().delete("/leader/key");
		Duration told = Pause.until(() -> lost(instances.second()) == lost + 1, lease);
		// The former leader stands again at once, and may be the first to ask
		Duration takenOver = Pause.until(() -> leaders(instances) > 0, lease);
		findings.add(Finding.that("the key vanishes, and one of them leads within the lease", takenOver != null));
		findings.add(Finding.that("the former leader learns of it within the lease", told != null));
		findings.add(Finding.number("leaders afterwards", 1, leaders(instances)));
		instances.bothAtOnce((instance) -> instance.delete("/leader"));
		return findings;
	}

	private static long leaders(Instances instances) {
		return Stream.of(instances.first(), instances.second()).filter(Scenarios::leads).count();
	}

	private static boolean leads(Instance instance) {
		return instance.get("/leader").body().path("leader").asBoolean(false);
	}

	private static int lost(Instance instance) {
		return instance.get("/leader").body().path("lost").asInt(0);
	}

	private static List<Finding> feed(Instances instances) {
		String name = Instances.fresh("feed");
		String lock = "feed:" + name;
		String feed = "/feeds/" + name;
		CompletableFuture<Answer> python = startHolding(lock, instances.first(), feed + "/python");
		Answer refused = instances.second().post(feed);
		Answer inTurn = instances.second().post(feed + "?inTurn=true");
		Answer pythons = python.join();
		CompletableFuture<Answer> ours = startHolding(lock, instances.first(), feed);
		Answer pythonRefused = instances.second().post(feed + "/python");
		return List.of(Finding.that("the worker in Python did its import", pythons.is(Answer.OK)),
				Finding.that("meanwhile ours was refused, without waiting", refused.isBusyBefore(pythons)),
				Finding.that("ours got the lock in its turn, when it was released", inTurn.is(Answer.OK)),
				Finding.that("the worker in Python was refused while ours was at work",
						pythonRefused.is(Answer.BUSY) && ours.join().is(Answer.OK)));
	}

	private static List<Finding> rate(Instances instances) {
		String currency = Instances.fresh("currency");
		String rate = "/rates/" + currency;
		List<Answer> answers = instances.bothAtOnce((instance) -> instance.post(rate));
		List<Answer> given = ok(answers);
		List<Answer> refused = busyMeanwhile(answers);
		Answer impatient = instances.first().post(rate + "?patience=500ms");
		// Its lock is released after the answer
		Pause.until(() -> isLocked(instances.first(), "rate:" + currency, false), SOON);
		Answer next = instances.second().post(rate);
		return List.of(Finding.number("questions to the exchange", 1, given.size()),
				Finding.number("refused at once, while the question was under way", 1, refused.size()),
				new Finding("who asks, according to the refused caller", given.stream().map(Answer::instance).toList(),
						refused.stream().map((answer) -> answer.text("holder")).toList()),
				Finding.that("the impatient one was cancelled, and its lock is free",
						impatient.is(Answer.TOO_SLOW) && next.is(Answer.OK)));
	}

	private static List<Finding> mailing(Instances instances) {
		String mailing = "/mailings/" + Instances.fresh("issue");
		List<Answer> answers = instances.atOnce(4, (instance) -> instance.post(mailing));
		List<Answer> sent = ok(answers);
		List<Answer> refused = busyMeanwhile(answers);
		return List.of(Finding.number("mailings sent", 1, sent.size()),
				Finding.number("refused by their futures, while it was being sent", 3, refused.size()),
				Finding.that("it was sent by a thread of the executor",
						sent.stream().allMatch((answer) -> answer.text("thread").startsWith("task-"))),
				new Finding("what the refusals say", List.of("is being sent already"),
						refused.stream().map(Answer::detail).distinct().toList()));
	}

	private static List<Finding> fencedTransaction(Instances instances) {
		CompletableFuture<List<Finding>> unfenced = inTheBackground(
				() -> depositTwice(instances, "without a fence", false, 10));
		List<Finding> fenced = depositTwice(instances, "with a fence", true, 20);
		return Stream.of(unfenced.join(), fenced).flatMap(List::stream).toList();
	}

	private static List<Finding> depositTwice(Instances instances, String how, boolean fenced, int expected) {
		String id = Instances.fresh(fenced ? "fenced" : "unfenced");
		String account = "/accounts/" + id;
		String deposit = account + "/deposits?amount=10&fenced=" + fenced;
		CompletableFuture<Answer> slow = inTheBackground(() -> instances.first().post(deposit + "&millis=6000"));
		Pause.until(() -> slow.isDone() || age(instances.first(), "account:" + id).compareTo(ASKED_FOR) > 0, SOON);
		instances.first().delete(account + "/lock");
		Answer quick = instances.second().post(deposit);
		boolean both = quick.is(Answer.OK) && slow.join().is(Answer.OK);
		int balance = instances.second().get(account).body().path("balance").asInt(-1);
		Finding sum = Finding.number(how + ": balance after two deposits of 10", expected, balance);
		return List.of(Finding.that(how + ": both deposits are committed", both),
				fenced ? sum : sum.shows("one deposit is lost"));
	}

	private static List<Finding> invoices(Instances instances) {
		List<Answer> answers = instances.atOnce(9,
				(instance) -> instance.post("/invoices/" + Instances.fresh("month") + "/export"));
		List<Answer> finished = ok(answers);
		int mostAtOnce = finished.stream().mapToInt((answer) -> answer.body().path("atOnce").asInt()).max().orElse(0);
		return List.of(Finding.number("exports that finished", 9, finished.size()),
				Finding.that("never more than three at a time, as the database counts them", mostAtOnce <= 3),
				Finding.that("three at a time were seen", mostAtOnce >= 3),
				Finding.note("exported by", byInstance(finished)));
	}

	private static List<Finding> index(Instances instances) {
		Duration timeToRead = Duration.ofMillis(1200);
		String index = "/indexes/" + Instances.fresh("index");
		instances.first().put(index);
		AtomicBoolean done = new AtomicBoolean();
		AtomicInteger readers = new AtomicInteger();
		CompletableFuture<List<List<Answer>>> reading = inTheBackground(() -> instances.atOnce(6, (instance) -> {
			// Of different length, so that there is no moment at which nobody reads
			String path = index + "?millis=" + (250 + 40 * readers.getAndIncrement());
			return read(instance, path, done);
		}));
		List<Answer> rebuilds = new ArrayList<>();
		try {
			for (Instance instance : List.of(instances.first(), instances.second())) {
				Pause.of(timeToRead);
				rebuilds.add(instance.post(index + "/rebuild"));
			}
			Pause.of(timeToRead);
		}
		finally {
			done.set(true);
		}
		return findings(rebuilds, reading.join().stream().flatMap(List::stream).toList());
	}

	private static List<Answer> read(Instance instance, String path, AtomicBoolean done) {
		List<Answer> answers = new ArrayList<>();
		do {
			answers.add(instance.get(path));
		}
		while (!done.get());
		return answers;
	}

	private static List<Finding> findings(List<Answer> rebuilds, List<Answer> answers) {
		List<JsonNode> readings = ok(answers).stream().map(Answer::body).toList();
		return List.of(
				Finding.number("rebuilds that got their turn among readers that never cease", 2, ok(rebuilds).size()),
				Finding.number("readers who were refused", 0, answers.size() - readings.size()),
				Finding.that("readers read at the same time",
						readings.stream().anyMatch((reading) -> reading.path("readers").asInt() > 1)),
				Finding.number("readers who saw a part of the index before a rebuild and a part after it", 0,
						readings.stream()
							.filter((reading) -> reading.path("atFirst").asInt() != reading.path("atLast").asInt())
							.count()),
				new Finding("versions of the index that were read", List.of(0, 1, 2),
						readings.stream()
							.map((reading) -> reading.path("atLast").asInt())
							.distinct()
							.sorted()
							.toList()),
				Finding.note("readings", readings.size()),
				Finding.note("longest time until the index was rebuilt, in ms",
						rebuilds.stream().mapToLong((answer) -> answer.took().toMillis()).max().orElse(0)));
	}

	/** In a thread of its own: the common pool has a single one on two processors. */
	private static <T> CompletableFuture<T> inTheBackground(Supplier<T> work) {
		return CompletableFuture.supplyAsync(work, (task) -> {
			Thread thread = new Thread(task, "sample-client");
			thread.setDaemon(true);
			thread.start();
		});
	}

	/** Let an instance take a lock, and go on as soon as it is held. */
	private static CompletableFuture<Answer> startHolding(String lock, Instance instance, String path) {
		CompletableFuture<Answer> answer = inTheBackground(() -> instance.post(path));
		Pause.until(() -> answer.isDone() || isLocked(instance, lock, true), SOON);
		return answer;
	}

	/** How long it has been held, zero if it is free. */
	private static Duration age(Instance instance, String lock) {
		JsonNode age = find(instance, lock).path("age");
		return age.isString() ? Duration.parse(age.asString()) : Duration.ZERO;
	}

	private static boolean isLocked(Instance instance, String lock, boolean locked) {
		JsonNode found = find(instance, lock).path("locked");
		return found.isBoolean() && found.asBoolean() == locked;
	}

	/** What Redis says of a lock. */
	private static JsonNode find(Instance instance, String lock) {
		return instance.get("/actuator/locks?name=" + lock).body();
	}

	private static long holdsThatEnded(Instance instance, String lock) {
		return (long) instance.get("/actuator/metrics/distributed.lock.hold?tag=lock.name:" + lock)
			.body()
			.path("measurements")
			.valueStream()
			.filter((measurement) -> measurement.path("statistic").asString().equals("COUNT"))
			.mapToDouble((measurement) -> measurement.path("value").asDouble())
			.sum();
	}

	private static List<Answer> ok(List<Answer> answers) {
		return answers.stream().filter((answer) -> answer.is(Answer.OK)).toList();
	}

	/** Those that were refused while one that succeeded was still at work. */
	private static List<Answer> busyMeanwhile(List<Answer> answers) {
		List<Answer> done = ok(answers);
		return answers.stream().filter((answer) -> done.stream().anyMatch(answer::isBusyBefore)).toList();
	}

	private static long count(List<Answer> answers, int status) {
		return answers.stream().filter((answer) -> answer.is(status)).count();
	}

	private static String byInstance(List<Answer> answers) {
		return answers.stream()
			.collect(Collectors.groupingBy(Answer::instance, TreeMap::new, Collectors.counting()))
			.entrySet()
			.stream()
			.map((count) -> count.getKey() + " (" + count.getValue() + ")")
			.collect(Collectors.joining(", "));
	}

}
