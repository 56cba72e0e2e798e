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

package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.EngineProbe;
import io.distributedlock.engine.simulation.World.Event.Kind;
import io.distributedlock.engine.simulation.World.SimulatedThread;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;
import org.jspecify.annotations.Nullable;

/**
 * One run of an instance: an engine with its threads, its clock and its connections to
 * the server. It may stand still, and it dies at once.
 *
 * <p>
 * The connection for commands behaves as that of the real store: what is sent over it is
 * carried out in order; when it is cut, some of what was under way is still carried out,
 * and what was not answered is sent again over the next one, unless its time was over.
 */
final class Process implements LockStore {

	/** What lengthens no lease. */
	private static final Duration QUESTION = Duration.ofMillis(1);

	private static final long COMMAND_TIMEOUT = World.SECOND;

	/** Two or three of them delay the news of a loss. */
	private static final long LONG_DELAY = 50 * World.MILLI;

	private static final Duration LONGEST_GRANT = Duration.ofSeconds(3);

	private static final Set<Object> NOT_HELD = Set.of(ReleaseOutcome.ABSENT, ReleaseOutcome.OTHER,
			new RecordChange.Outcome.NotHeld());

	private final World world;

	final int number;

	final String instance;

	/** Decides about this process only. */
	final Chance chance;

	final EngineProbe probe;

	private final double rate;

	private final SimulatedThread io = new SimulatedThread();

	private final SimulatedThread callbacks = new SimulatedThread();

	private final SimulatedThread watchdog = new SimulatedThread();

	private final SimulatedThread commands = new SimulatedThread();

	private final SimulatedThread messages = new SimulatedThread();

	/** Nothing must be collected: a handle that is unreachable is released. */
	private final List<Object> reachable = new ArrayList<>();

	boolean dead;

	/** Commands were not answered. */
	boolean hadFailures;

	/** How many. */
	int failures;

	long pausedUntil;

	/** How often something was slow, cut or refused. */
	private int disturbances;

	long slowUntil;

	private long latestTask;

	/** When the watchdog has woken that is late. */
	private long latestTimer;

	private long armedFor = Long.MAX_VALUE;

	private EngineProbe.@Nullable Closing closing;

	private boolean closed;

	private boolean closedEarly;

	// The connection for commands

	private boolean connected = true;

	/** When it tries again to connect to a server that was down. */
	private long connectedAt;

	private boolean failsAtOnce;

	private int disconnects;

	/** Not answered yet, in the order of their submission. */
	private final List<Command<?>> unanswered = new ArrayList<>();

	private final Set<String> carriedOutLate = new HashSet<>();

	/** On their way to the server. */
	private final Deque<Command<?>> underWay = new ArrayDeque<>();

	private long lastArrival;

	private long lastAnswer;

	/** Of its own, so that reports do not change what else happens. */
	private final Chance reportChance;

	// The subscription

	private @Nullable GrantListener listener;

	/** As long as the server believes that it reaches the process. */
	private @Nullable InMemoryLockStore subscription;

	/** Whether what the server sends arrives. */
	private boolean listening;

	private int subscriptions;

	private long lastMessage;

	Process(World world, int number, int incarnation) {
		this.world = world;
		this.number = number;
		this.chance = Chance.of(world.script.seed(), 100 + incarnation);
		this.reportChance = Chance.of(world.script.seed(), 400 + incarnation);
		// The last characters as in real identities
		this.instance = "sim~" + "ABCDEFGHIJKLMNOPQRSTU".charAt(incarnation % 21) + "aaaaaaaaaaaaaaaaaaaaa";
		int drift = world.script.weather().drift();
		this.rate = 1 + this.chance.between(-drift, drift) * 1e-6;
		this.probe = new EngineProbe(this, this::local, this.instance, world.script.weather().handoffs(),
				executor(this.io), executor(this.callbacks), executor(null),
				Chance.of(world.script.seed(), 200 + incarnation), this.chance::nextDouble);
	}

	// Time and threads

	long local() {
		return (long) (this.world.now * this.rate);
	}

	/**
	 * Return when the clock of this process reads the given time, or a moment later.
	 */
	long trueTime(long local) {
		return (long) (local / this.rate) + 2;
	}

	private Executor executor(@Nullable SimulatedThread thread) {
		return (task) -> {
			if (this.dead) {
				return;
			}
			this.reachable.add(task);
			long time = this.world.now + delay();
			if (thread != null) {
				time = Math.max(time, thread.last);
				thread.last = time;
			}
			this.latestTask = Math.max(this.latestTask, time);
			this.world.at(time, Kind.TASK, this, thread, task);
		};
	}

	private long delay() {
		if (this.world.healed) {
			return 1000;
		}
		if (this.slowUntil > this.world.now) {
			this.disturbances++;
			return this.chance.magnitude(World.MILLI, 100 * World.MILLI);
		}
		return noted(this.chance.happens(this.world.script.weather().spikes())
				? this.chance.magnitude(1000, this.world.script.weather().scale()) : this.chance.between(500, 20_000));
	}

	private long noted(long delay) {
		this.disturbances += (delay > LONG_DELAY) ? 1 : 0;
		return delay;
	}

	void disturbed() {
		this.disturbances++;
	}

	private long latency() {
		return latency(this.world.script.weather().lateCommands());
	}

	private long latency(int late) {
		if (this.world.healed) {
			return 50_000;
		}
		if (this.chance.happens(late)) {
			long scale = this.world.script.weather().scale();
			return noted(this.chance.magnitude(scale / 20, scale * 8 / 5));
		}
		return noted(this.chance.happens(this.world.script.weather().spikes())
				? this.chance.magnitude(World.MILLI / 10, 2 * this.world.script.weather().scale())
				: this.chance.between(20_000, 200_000));
	}

	void rearm() {
		long due = this.probe.nextDue();
		if (due == Long.MAX_VALUE || due >= this.armedFor) {
			return;
		}
		this.armedFor = due;
		long late = (!this.world.healed && this.chance.happens(this.world.script.weather().lateTimers()))
				? this.chance.magnitude(1000, this.world.script.weather().scale()) : this.chance.between(0, 60_000);
		noted(late);
		this.latestTimer = Math.max(this.latestTimer, (late > LONG_DELAY) ? trueTime(due) + late : 0);
		this.world.at(trueTime(due) + late, Kind.TIMER, this, this.watchdog, () -> {
			this.armedFor = Long.MAX_VALUE;
			this.probe.runDue();
		});
	}

	void beOnTime() {
		this.armedFor = Long.MAX_VALUE;
		rearm();
	}

	/**
	 * Return when what is under way has arrived.
	 */
	long busyUntil() {
		return Math.max(Math.max(Math.max(this.lastArrival, this.lastAnswer), this.connectedAt),
				Math.max(this.lastMessage, this.latestTask));
	}

	/**
	 * Return when nothing is slow any more that was slow before.
	 */
	long steadyFrom() {
		return Math.max(Math.max(busyUntil(), this.latestTimer), Math.max(this.slowUntil, this.pausedUntil));
	}

	void die() {
		this.dead = true;
		loseConnection();
		this.connected = false;
		// The server finds out sooner or later
		this.listening = false;
		this.world.at(this.world.now + latency(), Kind.SERVER, null, null, this::unsubscribe);
	}

	@Override
	public void close() {
		if (this.closing != null) {
			return;
		}
		this.closing = this.probe.close();
		awaitClosing();
	}

	private void awaitClosing() {
		if (this.closing != null && this.closing.isReady()) {
			this.closing.finish();
			this.closed = true;
		}
		else {
			this.world.at(this.world.now + 5 * World.MILLI, Kind.TASK, this, null, this::awaitClosing);
		}
	}

	boolean isClosed() {
		return this.closed;
	}

	// The store, as the engine sees it

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireRequest request) {
		AtomicReference<AcquireOutcome> afterLoss = new AtomicReference<>();
		Command<AcquireOutcome> command = new Command<>(() -> {
			boolean lost = this.world.checker.wasTakenAway(request);
			AcquireOutcome outcome = acquireFromServer(request);
			if (outcome instanceof AcquireOutcome.Granted && request.limit() != 1) {
				this.world.changed(request.name(), this);
			}
			afterLoss.set(lost ? outcome : null);
			return outcome;
		}, false,
				() -> "acquire " + request.name() + " #" + request.token().sequence() + " lease "
						+ Script.millis(request.lease().toNanos())
						+ ((request.waiting() != null) ? ", queued, sign " + request.waiting().sign() : ""));
		command.tokens = List.of(request.token().text());
		command.changes = true;
		command.thenAccept((outcome) -> {
			// A command may be executed twice, before and after the loss
			if (outcome == afterLoss.get() && outcome instanceof AcquireOutcome.Busy) {
				this.world.checker.refused(request);
			}
		});
		return submit(command);
	}

	private AcquireOutcome acquireFromServer(AcquireRequest request) {
		LockToken beside = request.beside();
		if (beside == null) {
			return this.world.server.acquire(request);
		}
		Set<String> holders = this.world.server.holders(request.name()).keySet();
		boolean queues = !holders.contains(beside.text()) && !holders.contains(request.token().text());
		AcquireOutcome outcome = this.world.server.acquire(request);
		if (queues && outcome instanceof AcquireOutcome.Granted && this.world.server.isAwaited(request.name())) {
			this.world.fail("overtaken: a caller gets '%s' before those that wait, beside a holder that is gone"
				.formatted(request.name()));
		}
		return outcome;
	}

	@Override
	public List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions) {
		return extend(extensions, false);
	}

	@Override
	public List<CompletableFuture<ExtendOutcome>> extendAndWatch(List<LeaseExtension> extensions) {
		return extend(extensions, true);
	}

	@Override
	public boolean canWatch() {
		return this.world.reports;
	}

	private ExtendOutcome extendInServer(LeaseExtension extension, boolean watch) {
		ExtendOutcome outcome = this.world.server.extend(extension);
		boolean held = outcome == ExtendOutcome.EXTENDED;
		if (held && extension.lease().compareTo(QUESTION) > 0) {
			this.world.changed(extension.name(), this);
		}
		if (held && watch) {
			this.world.watch(extension.name(), this);
		}
		return outcome;
	}

	private List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions, boolean watch) {
		List<CompletableFuture<ExtendOutcome>> answers = new ArrayList<>();
		extensions.forEach((extension) -> answers.add(new CompletableFuture<>()));
		Command<List<ExtendOutcome>> command = new Command<>(
				() -> extensions.stream().map((each) -> extendInServer(each, watch)).toList(), false,
				() -> "extend " + extensions.stream()
					.map((each) -> each.name() + " #" + each.token().sequence() + " to "
							+ Script.millis(each.lease().toNanos()) + " " + each.mode())
					.toList());
		command.whenComplete((outcomes, failure) -> {
			for (int i = 0; i < answers.size(); i++) {
				if (failure != null) {
					answers.get(i).completeExceptionally(failure);
				}
				else {
					answers.get(i).complete(outcomes.get(i));
					if (outcomes.get(i) != ExtendOutcome.EXTENDED) {
						this.world.checker.denied(this, extensions.get(i));
					}
				}
			}
		});
		command.changes = true;
		command.tokens = extensions.stream().map((extension) -> extension.token().text()).toList();
		submit(command);
		return answers;
	}

	@Override
	public CompletableFuture<ReleaseOutcome> release(String name, LockToken token) {
		Command<ReleaseOutcome> command = new Command<>(() -> releaseInServer(name, token), true,
				() -> "release " + name + " #" + token.sequence());
		command.changes = true;
		return submit(command);
	}

	@Override
	public CompletableFuture<ReleaseOutcome> forceRelease(String name, String holder) {
		return submit(new Command<>(() -> takeFrom(name, holder), true, () -> "force release " + name));
	}

	private ReleaseOutcome releaseInServer(String name, LockToken token) {
		ReleaseOutcome outcome = this.world.server.release(name, token);
		if (outcome == ReleaseOutcome.RELEASED) {
			this.world.changed(name, this);
		}
		return outcome;
	}

	/** Over the connection for commands. It may get lost. */
	void report(String name) {
		report((listener) -> listener.changed(name), () -> this.world.checker.reported(this, name, this.disturbances));
	}

	/** All locks are gone. */
	void reportFlush() {
		report(GrantListener::interrupted, () -> this.world.checker.interrupted(this, this.disturbances));
	}

	private void report(Consumer<GrantListener> message, Runnable check) {
		GrantListener told = this.listener;
		if (this.dead || !this.connected || told == null || this.reportChance.happens(10)) {
			return;
		}
		int connection = this.disconnects;
		this.lastAnswer = Math.max(this.lastAnswer, this.world.now + this.reportChance.between(0, World.MILLI));
		this.world.at(this.lastAnswer, Kind.ANSWER, this, this.commands, () -> {
			if (connection == this.disconnects) {
				message.accept(told);
				check.run();
			}
		});
	}

	private ReleaseOutcome takeFrom(String name, String holder) {
		if (this.world.server.holders(name).containsKey(holder)) {
			this.world.checker.revoked(name, holder);
		}
		ReleaseOutcome outcome = this.world.server.forceRelease(name, holder);
		if (outcome == ReleaseOutcome.RELEASED) {
			this.world.changed(name, this);
		}
		return outcome;
	}

	@Override
	public CompletableFuture<RecordChange.Outcome> replaceRecord(RecordChange change) {
		Command<RecordChange.Outcome> command = new Command<>(() -> replaceInServer(change), true,
				() -> "record '%s' of %s #%d".formatted(change.text(), change.name(), change.token().sequence()));
		command.changes = true;
		return submit(command);
	}

	private RecordChange.Outcome replaceInServer(RecordChange change) {
		boolean held = this.world.server.holders(change.name()).keySet().equals(Set.of(change.token().text()));
		String before = this.world.server.record(change.name());
		RecordChange.Outcome outcome = this.world.server.replaceRecord(change);
		boolean replaced = outcome instanceof RecordChange.Outcome.Replaced;
		boolean expected = Objects.equals(before, change.expected()) || change.text().equals(before);
		String after = (held && expected) ? change.text() : before;
		if (replaced != (held && expected) || !Objects.equals(this.world.server.record(change.name()), after)) {
			this.world.fail("record: %s of the record '%s' led to %s".formatted(change, before, outcome));
		}
		if (replaced) {
			this.world.recordReplaced(before, change.text());
		}
		return outcome;
	}

	@Override
	public CompletableFuture<Optional<StoredLock>> find(String name) {
		return submit(new Command<>(() -> this.world.server.find(name), false, () -> "find " + name));
	}

	@Override
	public void listen(String instance, GrantListener listener) {
		if (this.listener == null && !this.dead) {
			this.listener = listener;
			if (this.disconnects > 0) {
				listener.interrupted();
			}
			subscribe(0);
		}
	}

	@Override
	public String description() {
		return "simulated";
	}

	// Commands

	private <T> Command<T> submit(Command<T> command) {
		this.world.preempt(this);
		if (this.dead) {
			return command;
		}
		this.world.tell(() -> "process " + this.number + " sends " + command.text.get());
		command.disconnectsBefore = this.disconnects;
		if (!this.connected && this.failsAtOnce) {
			command.fail("unreachable");
			return command;
		}
		this.reachable.add(command);
		this.unanswered.add(command);
		this.world.at(trueTime(local() + COMMAND_TIMEOUT), Kind.TIMEOUT, this, null, () -> timedOut(command));
		if (this.connected) {
			transmit(command);
		}
		this.world.preempt(this);
		return command;
	}

	private void transmit(Command<?> command) {
		this.underWay.add(command);
		this.lastArrival = Math.max(this.lastArrival, this.world.now + latency());
		int connection = this.disconnects;
		this.world.at(this.lastArrival, Kind.SERVER, null, null, () -> {
			if (connection == this.disconnects) {
				this.underWay.remove();
				arrive(command);
			}
		});
	}

	private <T> void arrive(Command<T> command) {
		int connection = this.disconnects;
		T answer = execute(command);
		this.lastAnswer = Math.max(this.lastAnswer, this.world.now + latency());
		this.world.at(this.lastAnswer, Kind.ANSWER, this, this.commands, () -> {
			if (connection == this.disconnects && this.unanswered.remove(command)) {
				command.answer(answer, this.disconnects != command.disconnectsBefore);
			}
		});
	}

	/**
	 * @return the answer, or {@code null} if the server refuses it
	 */
	@SuppressWarnings("NullAway")
	private <T> T execute(Command<T> command) {
		if (this.world.serverRefusesUntil > this.world.now) {
			this.world.tell(() -> "server refuses " + command.text.get() + " of process " + this.number);
			if (command.changes) {
				refused();
			}
			return null;
		}
		T answer = command.execution.get();
		this.world.note(answer.toString().hashCode());
		if (command.isDone()) {
			this.carriedOutLate.addAll(command.tokens);
		}
		this.world.tell(() -> "server: " + command.text.get() + " of process " + this.number + " -> " + answer);
		return answer;
	}

	/** When the answer has arrived, the process knows that something was wrong. */
	private void refused() {
		this.world.at(Math.max(this.world.now, this.world.serverRefusesUntil) + World.MILLI, Kind.FAULT, null, null,
				() -> {
					if (!this.dead && this.connected && this.listener != null) {
						this.world.checker.interrupted(this, this.disturbances);
					}
				});
	}

	int disturbances() {
		return this.disturbances;
	}

	private void timedOut(Command<?> command) {
		if (this.unanswered.remove(command)) {
			this.disturbances++;
			this.world.tell(() -> "process " + this.number + " has no answer to " + command.text.get());
			command.fail("timed out");
		}
	}

	/**
	 * Whether a request that was given up was carried out later, and its release may have
	 * been lost with the connection: then the lock ends with its lease.
	 */
	boolean mayHaveBeenLeft(String token) {
		return this.disconnects > 0 && this.carriedOutLate.contains(token);
	}

	/**
	 * Whether releases that were not answered are not repeated any more.
	 */
	boolean mayHaveLeftLocks() {
		return this.closedEarly && this.hadFailures;
	}

	void closeEarly() {
		this.disturbances++;
		this.world.tell(() -> "process " + this.number + " shuts down");
		this.closedEarly = true;
		close();
	}

	/**
	 * Some of what is under way is still carried out.
	 */
	private void loseConnection() {
		this.disturbances++;
		while (!this.underWay.isEmpty() && this.chance.happens(50)) {
			execute(this.underWay.remove());
		}
		this.underWay.clear();
		this.disconnects++;
	}

	void cut(long length, boolean failsAtOnce) {
		if (this.dead) {
			return;
		}
		boolean wasConnected = this.connected;
		loseConnection();
		this.connected = false;
		this.failsAtOnce = failsAtOnce;
		if (wasConnected) {
			this.world.at(this.world.now + length, Kind.CONNECTION, this, this.commands, this::reconnect);
		}
	}

	private void reconnect() {
		if (this.world.serverDownUntil > this.world.now) {
			this.connectedAt = this.world.serverDownUntil + latency();
			this.world.at(this.connectedAt, Kind.CONNECTION, this, this.commands, this::reconnect);
			return;
		}
		this.connected = true;
		this.lastArrival = this.world.now;
		this.lastAnswer = this.world.now;
		List.copyOf(this.unanswered).forEach(this::transmit);
		GrantListener told = this.listener;
		if (told != null) {
			told.interrupted();
			this.world.checker.interrupted(this, this.disturbances);
		}
	}

	void stall(long until, boolean requests) {
		this.disturbances++;
		if (requests) {
			this.lastArrival = Math.max(this.lastArrival, until);
		}
		else {
			this.lastAnswer = Math.max(this.lastAnswer, until);
		}
	}

	// Messages

	private void subscribe(long after) {
		int subscription = ++this.subscriptions;
		this.world.at(this.world.now + after + latency(), Kind.SERVER, null, null, () -> subscribed(subscription));
	}

	private void subscribed(int subscription) {
		if (this.dead || subscription != this.subscriptions) {
			return;
		}
		if (this.world.serverDownUntil > this.world.now) {
			subscribe(this.world.serverDownUntil - this.world.now);
			return;
		}
		this.listening = true;
		this.lastMessage = this.world.now;
		unsubscribe();
		this.subscription = this.world.server.subscribe(this.instance, new Inbox());
	}

	void cutInbox(long length, boolean noticed) {
		if (this.listener == null || this.dead) {
			return;
		}
		this.listening = false;
		if (noticed) {
			unsubscribe();
		}
		subscribe(length);
	}

	private void unsubscribe() {
		if (this.subscription != null) {
			this.world.server.unsubscribe(this.instance, this.subscription);
			this.subscription = null;
		}
	}

	void stallInbox(long until) {
		this.lastMessage = Math.max(this.lastMessage, until);
	}

	private void receive(Consumer<GrantListener> message) {
		boolean lost = !this.world.healed && this.chance.happens(this.world.script.weather().lost());
		if (this.listening && !lost) {
			deliver(message);
			if (!this.world.healed && this.chance.happens(this.world.script.weather().doubled())) {
				// Anybody may publish it again
				this.world.at(
						this.world.now + this.chance.magnitude(World.MILLI, 3 * this.world.script.weather().scale()),
						Kind.SERVER, null, null, () -> {
							if (this.listening) {
								deliver(message);
							}
						});
			}
		}
	}

	private void deliver(Consumer<GrantListener> message) {
		deliver(message, this.world.script.weather().lateMessages());
	}

	private void deliver(Consumer<GrantListener> message, int late) {
		GrantListener listener = this.listener;
		if (listener == null) {
			return;
		}
		int subscription = this.subscriptions;
		if (!this.world.healed && this.chance.happens(this.world.script.weather().lost())) {
			// Not lost, but late, with all that come after it
			this.lastMessage = Math.max(this.lastMessage,
					this.world.now + this.chance.magnitude(World.MILLI, 2 * this.world.script.weather().scale()));
		}
		this.lastMessage = Math.max(this.lastMessage, this.world.now + latency(late));
		this.world.at(this.lastMessage, Kind.MESSAGE, this, this.messages, () -> {
			if (subscription == this.subscriptions) {
				message.accept(listener);
			}
		});
	}

	/**
	 * A client that may publish, and knows all tokens but no secret, lies.
	 */
	void forge() {
		for (String name : Checker.NAMES) {
			for (String holder : this.world.server.holders(name).keySet()) {
				if (holder.startsWith(this.instance + ":")) {
					LockToken token = LockToken.parse(holder);
					deliver((listener) -> listener.revoked(name, token));
				}
			}
			for (String waiting : this.world.server.queue(name)) {
				if (waiting.startsWith(this.instance + ":")) {
					Grant grant = new Grant(name, LockToken.parse(waiting), this.world.serverTime(), 1, LONGEST_GRANT,
							this.chance.nextLong());
					deliver((listener) -> listener.granted(grant));
				}
			}
		}
	}

	private final class Inbox implements GrantListener {

		@Override
		public void subscribed() {
			deliver(GrantListener::subscribed, 0);
		}

		@Override
		public void granted(Grant grant) {
			Process.this.world.tell(() -> "server publishes grant of " + grant.name() + " to "
					+ grant.token().sequence() + " of process " + Process.this.number + ", fencing token "
					+ grant.fencingToken() + ", lease " + grant.lease());
			receive((listener) -> listener.granted(grant));
		}

		@Override
		public void revoked(String name, LockToken token) {
			receive((listener) -> listener.revoked(name, token));
		}

	}

	private final class Command<T> extends CompletableFuture<T> {

		private final Supplier<T> execution;

		private final Supplier<String> text;

		/** The answer to a repetition may say that the lock is not held. */
		private final boolean needsTheLock;

		/** Of a request for a lock, or for longer leases. */
		private List<String> tokens = List.of();

		/** Not only a look: if it fails, the locks that are held are asked for. */
		private boolean changes;

		private int disconnectsBefore;

		Command(Supplier<T> execution, boolean needsTheLock, Supplier<String> text) {
			this.execution = execution;
			this.needsTheLock = needsTheLock;
			this.text = text;
		}

		void answer(@Nullable T answer, boolean maybeRepeated) {
			if (answer == null) {
				fail("refused");
			}
			else if (this.needsTheLock && maybeRepeated && NOT_HELD.contains(answer)) {
				fail("the connection was lost meanwhile, and this may be the answer to a repetition");
			}
			else {
				complete(answer);
			}
		}

		void fail(String why) {
			Process.this.hadFailures = true;
			Process.this.failures++;
			completeExceptionally(new LockUnavailableException("", why, null));
		}

	}

}
