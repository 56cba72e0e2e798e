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

package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.internal.Failures;
import io.distributedlock.internal.ModuleVersion;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoreReport;
import io.distributedlock.store.StoredLock;
import io.distributedlock.store.StoredLockDetails;
import io.distributedlock.store.StoredLocks;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.util.ClassUtils;

/**
 * A {@link LockStore} on Redis: one key for each lock, a plain string if its holder is
 * alone, and while they are needed, the last fencing token and the queue of waiters.
 * Every atomic operation is one Lua script; an uncontended acquisition is one command,
 * and so is its release.
 *
 * <p>
 * Does not connect before the {@linkplain #warmUp() warm-up} or the first use. An
 * unreachable Redis fails the futures, never the creation.
 *
 * @since 0.1.0
 */
public final class RedisLockStore implements LockStore {

	private static final Log logger = LogFactory.getLog(RedisLockStore.class);

	private static final boolean LETTUCE_PRESENT = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			RedisLockStore.class.getClassLoader());

	/**
	 * As many as the engine passes at once, so that none of its batches is sent as two.
	 */
	private static final int LEASES_PER_SCRIPT = 100;

	/** Some hundred years; Redis refuses what overflows. */
	private static final long MAX_MILLIS = 1L << 42;

	/** Enough to meet every master of a cluster of a usual size. */
	private static final int NAMES_TO_INSPECT = 200;

	/** The same, if the client does not say whom it asks: each name costs a command. */
	private static final int NAMES_TO_INSPECT_BLINDLY = 64;

	private static final byte[] NOTHING = new byte[0];

	private static final byte[] YES = number(1);

	private static final byte[] NO = number(0);

	private static final int DESCRIBED_TOGETHER = 16;

	/** How many holders, and how many waiters. */
	private static final byte[] DESCRIBED = number(100);

	private final KeyLayout layout;

	private final FailureTranslator failures;

	private final SuspendableConnection connection;

	/** Calls without an answer yet. */
	private final Map<LockToken, ScriptCall<?>> acquiring = new ConcurrentHashMap<>();

	private final Duration longestScan;

	private final KeyScanner scanner;

	private final Duration longestGrant;

	private final long fenceRetention;

	private final AtomicBoolean refusalLogged = new AtomicBoolean();

	/** The settings of the release script, which no call changes. */
	private final byte[] handOffSettings;

	private RedisLockStore(Supplier<StoreConnection> opening, RedisLockSettings settings) {
		ModuleVersion.check(RedisLockStore.class, "lock-redis");
		SuspendableConnection connection = new SuspendableConnection(opening);
		this.connection = connection;
		this.layout = new KeyLayout(settings.keyPrefix(), settings.keys());
		this.failures = new FailureTranslator(connection.get().setup, this.layout,
				() -> connection.get().outageLog.everAnswered());
		this.longestScan = settings.commandTimeout().multipliedBy(5);
		this.scanner = new KeyScanner(() -> connection.get().connectionFactory(), this.longestScan,
				this.layout::nameOf);
		this.longestGrant = settings.maxGrantLease();
		this.fenceRetention = millis(settings.fenceRetention());
		this.handOffSettings = utf8(
				millis(settings.maxGrantLease()) + (connection.get().countsReceivers() ? " 1 " : " 0 ")
						+ this.fenceRetention + ' ' + this.layout.inboxPrefix());
	}

	/**
	 * Create a store that opens connections of its own, with the settings of the
	 * connections of a template: same servers, credentials and encryption, but timeouts
	 * that suit locks, so that no lock queues behind application commands or waits a
	 * minute for a dead server. This is supported with Lettuce; another client, or a
	 * connection factory of a custom type, is used unchanged.
	 * @param template the template
	 * @param settings the settings
	 * @return the store
	 */
	public static RedisLockStore withOwnConnection(StringRedisTemplate template, RedisLockSettings settings) {
		RedisConnectionFactory connectionFactory = template.getRequiredConnectionFactory();
		if (LETTUCE_PRESENT && DedicatedLettuceConnections.canDerive(connectionFactory)) {
			return new RedisLockStore(() -> LettuceStoreConnection.dedicated(connectionFactory, settings), settings);
		}
		logger.info("Locks use the connections of the application: with a %s they cannot have their own."
			.formatted(connectionFactory.getClass().getSimpleName())
				+ " With Spring Boot, 'distributed-lock.redis.dedicated-connection' has no effect."
				+ " A holder learns only at its next renewal or deadline that its key was deleted. To tell it at once, define a LettuceConnectionFactory, and with Spring Boot name it in 'distributed-lock.redis.connection-factory'.");
		return withConnectionOf(template, settings);
	}

	/**
	 * Create a store that uses the connections of a template.
	 * @param template the template
	 * @param settings the settings; the connect timeout is not used
	 * @return the store
	 */
	public static RedisLockStore withConnectionOf(StringRedisTemplate template, RedisLockSettings settings) {
		RedisConnectionFactory connectionFactory = template.getRequiredConnectionFactory();
		boolean lettuce = LETTUCE_PRESENT && LettuceStoreConnection.supports(connectionFactory);
		return new RedisLockStore(() -> lettuce ? LettuceStoreConnection.shared(connectionFactory, settings)
				: new BlockingStoreConnection(template, settings), settings);
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireRequest request) {
		boolean alone = request.limit() == 1;
		long lease = millis(request.lease());
		AcquireRequest.Waiting waiting = request.waiting();
		List<byte[]> arguments = new ArrayList<>();
		arguments.add(token(request.token()));
		arguments.add(number(lease));
		arguments.add(number(request.fenceBlock()));
		arguments.add(number(Math.max(this.fenceRetention, 2 * lease)));
		if (!alone) {
			arguments.add(limit(request.limit()));
			arguments.add(utf8(request.name()));
			arguments.add(this.handOffSettings);
			arguments.add((request.beside() != null) ? token(request.beside()) : NOTHING);
		}
		if (waiting != null) {
			arguments.add(number(millis(waiting.life())));
			arguments.add(number(waiting.sign()));
			arguments.add(number(waiting.nonce()));
		}
		byte[][] keys = (alone && waiting == null) ? this.layout.keysOfAttempt(request.name())
				: this.layout.keys(request.name());
		PublishingCall<AcquireOutcome> call = new PublishingCall<>(alone ? LockScript.ACQUIRE : LockScript.JOIN, keys,
				arguments.toArray(byte[][]::new), Replies::acquired, request.name(), request.token());
		call.send();
		if (waiting != null) {
			this.connection.get().waiting();
		}
		return call;
	}

	private static byte[] limit(int limit) {
		return (limit == AcquireRequest.NO_LIMIT) ? NO : number(limit);
	}

	@Override
	public List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions) {
		return extend(extensions, false);
	}

	/**
	 * Watches with {@code CLIENT TRACKING}.
	 */
	@Override
	public List<CompletableFuture<ExtendOutcome>> extendAndWatch(List<LeaseExtension> extensions) {
		return extend(extensions, canWatch());
	}

	/**
	 * With a Lettuce connection of its own, unless a server refuses to report changes.
	 */
	@Override
	public boolean canWatch() {
		return this.connection.get().canWatch();
	}

	private List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions, boolean watch) {
		List<Renewal> renewals = extensions.stream().map(Renewal::new).toList();
		if (this.connection.get().setup.topology().mayBeCluster()) {
			// The keys of one script must be in one slot
			renewals.stream()
				.collect(Collectors.groupingBy(Renewal::name, LinkedHashMap::new, Collectors.toList()))
				.values()
				.forEach((ofOneName) -> renew(ofOneName, watch));
		}
		else {
			renew(renewals, watch);
		}
		return renewals.stream().map(Renewal::outcome).toList();
	}

	private void renew(List<Renewal> renewals, boolean watch) {
		for (int from = 0; from < renewals.size(); from += LEASES_PER_SCRIPT) {
			renewTogether(renewals.subList(from, Math.min(from + LEASES_PER_SCRIPT, renewals.size())), watch);
		}
	}

	private void renewTogether(List<Renewal> batch, boolean watch) {
		byte[][] keys = batch.stream().map((renewal) -> this.layout.main(renewal.name())).toArray(byte[][]::new);
		List<byte[]> arguments = new ArrayList<>();
		for (Renewal renewal : batch) {
			LeaseExtension extension = renewal.extension();
			arguments.add(token(extension.token()));
			arguments.add(number(millis(extension.lease())));
			arguments.add((extension.mode() == LeaseExtension.Mode.EXACTLY) ? YES : NO);
			arguments.add(limit(extension.limit()));
		}
		if (watch) {
			arguments.add(YES);
		}
		String name = (batch.size() == 1) ? batch.get(0).name() : "";
		ScriptCall<List<ExtendOutcome>> call = new ScriptCall<>(LockScript.EXTEND, keys,
				arguments.toArray(byte[][]::new), Replies.extended(keys.length), name, this.failures);
		if (watch) {
			call.watch();
		}
		run(call).whenComplete((answers, failure) -> {
			for (int i = 0; i < batch.size(); i++) {
				if (failure != null) {
					batch.get(i).outcome().completeExceptionally(failure);
				}
				else {
					batch.get(i).outcome().complete(answers.get(i));
				}
			}
		});
	}

	@Override
	public CompletableFuture<ReleaseOutcome> release(String name, LockToken token) {
		ScriptCall<?> unanswered = this.acquiring.get(token);
		if (unanswered != null) {
			unanswered.supersede();
		}
		return release(name, token(token), utf8(name), this.handOffSettings);
	}

	private CompletableFuture<ReleaseOutcome> release(String name, byte[]... arguments) {
		PublishingCall<ReleaseOutcome> call = new PublishingCall<>(LockScript.RELEASE, this.layout.keys(name),
				arguments, Replies::released, name, null);
		call.send();
		return call;
	}

	@Override
	public CompletableFuture<ReleaseOutcome> forceRelease(String name, String holder) {
		return release(name, utf8(holder), utf8(name), this.handOffSettings, YES);
	}

	@Override
	public CompletableFuture<Optional<StoredLock>> find(String name) {
		return run(LockScript.FIND, new byte[][] { this.layout.main(name) }, new byte[0][], Replies::found, name);
	}

	@Override
	public CompletableFuture<Optional<StoredLockDetails>> describe(String name) {
		return run(LockScript.DESCRIBE, this.layout.keys(name), new byte[][] { DESCRIBED, DESCRIBED },
				Replies.described(name), name);
	}

	/**
	 * Scans every key on every master, for at most five times the command timeout.
	 */
	@Override
	public CompletableFuture<StoredLocks> list(int limit) {
		return this.scanner.scan(limit).handle((found, failure) -> {
			if (failure != null) {
				throw this.failures.translate("", failure, this.longestScan);
			}
			return found;
		})
			.thenCompose((found) -> new Listing(found.names(), System.nanoTime() + this.longestScan.toNanos())
				.describeNext(found.complete()));
	}

	@Override
	public CompletableFuture<RecordChange.Outcome> replaceRecord(RecordChange change) {
		byte[][] arguments = { token(change.token()), utf8((change.expected() != null) ? change.expected() : ""),
				utf8(change.text()), number(millis(change.timeToLive())) };
		return run(LockScript.RECORD, this.layout.keysOfRecord(change.name()), arguments, Replies::recordReplaced,
				change.name());
	}

	@Override
	public CompletableFuture<Optional<String>> record(String name) {
		return run(LockScript.RECORD, this.layout.keysOfRecord(name), new byte[0][],
				(reply, maybeRepeated) -> Optional.ofNullable(Replies.record(Replies.text(reply))), name);
	}

	@Override
	public void listen(String instance, GrantListener listener) {
		this.connection.listen(this.layout.inbox(instance),
				new InboxListener(listener, this.longestGrant, this.layout::nameOf));
	}

	/**
	 * Open the store's own connection in the background. A connection of the application
	 * is not touched before the first command.
	 */
	@Override
	public void warmUp() {
		this.connection.get().warmUp();
	}

	/**
	 * Close the connections that this store has opened, and end its threads. Subscribes
	 * again with the next command.
	 */
	@Override
	public void suspend() {
		this.connection.suspend();
	}

	/**
	 * Inspect the server, or the masters of a cluster. A refusal by a server is a
	 * finding. Fails only if one cannot be reached, which is logged as for any other
	 * command.
	 */
	@Override
	public CompletableFuture<StoreReport> inspect() {
		StoreConnection connection = this.connection.get();
		StoreInspection inspection = new StoreInspection(connection.setup, this.layout, connection.watches());
		if (connection.pausesAfterFailover()) {
			inspection.addPausesAfterFailover();
		}
		return inspect(inspection, new HashSet<>(), 0).exceptionally(RedisLockStore::refusal);
	}

	/** The locks that have an exact key, then one node after the other. */
	private CompletableFuture<StoreReport> inspect(StoreInspection inspection, Set<String> inspected, int number) {
		List<String> exact = this.layout.exactNames();
		boolean isExact = number < exact.size();
		String name = isExact ? exact.get(number) : "inspection:" + number;
		byte[][] keys = this.layout.keys(name);
		String expected = this.connection.get().nodeOf(keys[KeyLayout.MAIN]);
		int last = exact.size() + (expected.isEmpty() ? NAMES_TO_INSPECT_BLINDLY : NAMES_TO_INSPECT);
		if (number >= last) {
			return CompletableFuture.completedFuture(inspection.report());
		}
		if (!isExact && inspected.contains(expected)) {
			return inspect(inspection, inspected, number + 1);
		}
		byte[][] arguments = { this.layout.inbox(name) };
		return run(LockScript.INSPECT, keys, arguments, Replies::inspected, "").thenCompose((answer) -> {
			String node = this.connection.get().nodeOf(keys[KeyLayout.MAIN]);
			inspection.add(node, answer);
			if (!isExact && !(node.isEmpty() && answer.isOfCluster())) {
				inspected.add(node);
			}
			return inspect(inspection, inspected, number + 1);
		});
	}

	private static StoreReport refusal(Throwable failure) {
		Throwable cause = Failures.unwrap(failure);
		boolean refused = cause instanceof LockConfigurationException
				|| (cause.getCause() != null && !FailureTranslator.isOutage(cause.getCause()));
		if (refused) {
			String problem = String.valueOf(cause.getMessage());
			StoreReport.Severity severity = FailureTranslator.isForNow(cause) ? StoreReport.Severity.OUTAGE
					: StoreReport.Severity.ERROR;
			return new StoreReport(null, List.of(new StoreReport.Finding(severity, problem, "")));
		}
		throw new CompletionException(cause);
	}

	@Override
	public String description() {
		return this.connection.get().setup.description();
	}

	@Override
	public void close() {
		this.scanner.close();
		this.connection.close();
	}

	/**
	 * Publish the messages that the server refuses to publish inside a script. A waiter
	 * that gets no message finds its grant when it asks.
	 */
	private void publish(List<RefusedMessages.Message> messages) {
		if (this.refusalLogged.compareAndSet(false, true)) {
			logger.warn(description()
					+ " refuses PUBLISH inside scripts. Locks still work: messages are published with commands of their own, one more for each hand-off.");
		}
		for (RefusedMessages.Message message : messages) {
			this.connection.get().publish(message.channel(), message.message()).whenComplete((done, failure) -> {
				if (failure != null) {
					logger.debug("A message was not published.", failure);
				}
			});
		}
	}

	private <T> CompletableFuture<T> run(LockScript script, byte[][] keys, byte[][] arguments,
			ScriptCall.ReplyDecoder<T> decoder, String name) {
		return run(new ScriptCall<>(script, keys, arguments, decoder, name, this.failures));
	}

	private <T> CompletableFuture<T> run(ScriptCall<T> call) {
		this.connection.get().run(call);
		return call;
	}

	private static long millis(Duration duration) {
		return (duration.getSeconds() < MAX_MILLIS / 1000) ? Math.max(1, duration.toMillis()) : MAX_MILLIS;
	}

	private static byte[] token(LockToken token) {
		return utf8(token.text());
	}

	private static byte[] number(long number) {
		return Long.toString(number).getBytes(StandardCharsets.ISO_8859_1);
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Describes locks a few at a time, so that other commands need not queue behind all
	 * of them, and within the time that a listing may take.
	 */
	private final class Listing {

		private final List<String> names;

		private final long end;

		private final List<StoredLockDetails> known = new ArrayList<>();

		private @Nullable Throwable failure;

		private int described;

		Listing(List<String> names, long end) {
			this.names = names;
			this.end = end;
		}

		CompletableFuture<StoredLocks> describeNext(boolean complete) {
			if (this.described == this.names.size() || System.nanoTime() - this.end >= 0) {
				return (this.known.isEmpty() && this.failure != null) ? CompletableFuture.failedFuture(this.failure)
						: CompletableFuture.completedFuture(
								new StoredLocks(this.known, complete && this.described == this.names.size()));
			}
			int next = Math.min(this.described + DESCRIBED_TOGETHER, this.names.size());
			List<CompletableFuture<Optional<StoredLockDetails>>> locks = this.names.subList(this.described, next)
				.stream()
				.map(RedisLockStore.this::describe)
				.toList();
			this.described = next;
			return CompletableFuture.allOf(locks.toArray(CompletableFuture[]::new))
				.handle((done, ex) -> complete & locks.stream().map(this::isKnown).reduce(true, Boolean::logicalAnd))
				.thenCompose(this::describeNext);
		}

		/**
		 * Whether the answer is known. A key of another type under our prefix is no lock.
		 */
		private boolean isKnown(CompletableFuture<Optional<StoredLockDetails>> lock) {
			try {
				lock.join().ifPresent(this.known::add);
				return true;
			}
			catch (CompletionException ex) {
				if (FailureTranslator.isOtherType(ex)) {
					return true;
				}
				this.failure = ex.getCause();
				return false;
			}
		}

	}

	/**
	 * A lease to renew, and its outcome.
	 */
	private record Renewal(LeaseExtension extension, CompletableFuture<ExtendOutcome> outcome) {

		Renewal(LeaseExtension extension) {
			this(extension, new CompletableFuture<>());
		}

		String name() {
			return this.extension.name();
		}

	}

	/**
	 * A call of a script that publishes, unless the server refuses that inside a script.
	 * No script does more than a few steps, so that it does not block Redis: if there is
	 * more to do, another call follows.
	 */
	private final class PublishingCall<T> extends ScriptCall<T> {

		/** Another call follows, whose answer is the one that counts. */
		private static final byte MORE = 'm';

		/** Another call follows, which is of no interest to the caller. */
		private static final byte RELEASED_WITH_MORE = '2';

		/** Of the arguments of {@link LockScript#ACQUIRE}, how many came before. */
		private static final int SIGN = 5;

		/** The token that acquires, or {@code null}. */
		private final @Nullable LockToken token;

		private final ReplyDecoder<T> decoder;

		PublishingCall(LockScript script, byte[][] keys, byte[][] arguments, ReplyDecoder<T> decoder, String name,
				@Nullable LockToken token) {
			super(script, keys, arguments, decoder, name, RedisLockStore.this.failures);
			this.token = token;
			this.decoder = decoder;
		}

		void send() {
			if (this.token != null) {
				RedisLockStore.this.acquiring.put(this.token, this);
				whenComplete((outcome, failure) -> RedisLockStore.this.acquiring.remove(this.token, this));
			}
			RedisLockStore.this.connection.get().run(this);
		}

		@Override
		void answer(@Nullable Object reply, boolean maybeRepeated) {
			RefusedMessages refused = RefusedMessages.in(reply);
			if (refused != null) {
				publish(refused.messages());
			}
			Object answer = (refused != null) ? refused.answer() : reply;
			byte first = (answer instanceof byte[] text) ? text[0] : 0;
			if (maybeRepeated && mayHaveLeftAPlace(first) && !isSuperseded()) {
				byte[][] second = this.arguments.clone();
				second[SIGN] = YES;
				follow(second);
				return;
			}
			if (first != MORE) {
				super.answer(answer, maybeRepeated);
			}
			if (first == MORE || first == RELEASED_WITH_MORE) {
				follow(this.arguments);
			}
		}

		/**
		 * Whether this is the first request of a waiter, which may have entered the queue
		 * when it was executed the first time, and was granted the lock. Another request
		 * removes the place.
		 */
		private boolean mayHaveLeftAPlace(byte first) {
			return this.script == LockScript.ACQUIRE && this.arguments.length > SIGN
					&& Arrays.equals(this.arguments[SIGN], NO) && Character.isDigit(first);
		}

		private void follow(byte[][] arguments) {
			PublishingCall<T> next = new PublishingCall<>(this.script, this.keys, arguments, this.decoder,
					this.lockName, this.token);
			resend(next::send);
			next.whenComplete((outcome, failure) -> {
				if (failure != null) {
					completeExceptionally(failure);
				}
				else {
					complete(outcome);
				}
			});
		}

	}

	/**
	 * Reads the answers of the scripts.
	 */
	private static final class Replies {

		private static final String BUSY = "busy ";

		private static final String FULL = "full ";

		/** In front of the two others, if it is there. */
		private static final String LAST_FENCE = "@";

		/** Of the answer to {@link LockScript#DESCRIBE}. */
		private static final int FIXED_PARTS = 9;

		private Replies() {
		}

		static AcquireOutcome acquired(Object reply, boolean maybeRepeated) {
			String text = text(reply);
			long lastFence = 0;
			if (text.startsWith(LAST_FENCE)) {
				int end = text.indexOf(' ');
				lastFence = Long.parseLong(text, LAST_FENCE.length(), end, 10);
				text = text.substring(end + 1);
			}
			int space = text.indexOf(' ');
			if (text.startsWith(BUSY)) {
				int holder = text.indexOf(' ', space + 1) + 1;
				return new AcquireOutcome.Busy(text.substring(holder),
						remaining(Long.parseLong(text, space + 1, holder - 1, 10)), 1, 1, false, lastFence);
			}
			if (text.startsWith(FULL)) {
				String[] parts = text.split(" ", 6);
				return new AcquireOutcome.Busy(parts[5], remaining(Long.parseLong(parts[1])),
						Integer.parseInt(parts[2]), limitOf(Integer.parseInt(parts[3])), parts[4].equals("1"),
						lastFence);
			}
			int block = Integer.parseInt(text, space + 1, text.length(), 10);
			return new AcquireOutcome.Granted(Long.parseLong(text, 0, space, 10) - block + 1, block);
		}

		static ScriptCall.ReplyDecoder<List<ExtendOutcome>> extended(int size) {
			return (answers, maybeRepeated) -> {
				List<?> reply = (List<?>) answers;
				List<ExtendOutcome> outcomes = new ArrayList<>(size);
				for (int i = 0; i < size; i++) {
					outcomes.add(extended(number(reply, i)));
				}
				return outcomes;
			};
		}

		private static ExtendOutcome extended(long answer) {
			return (answer == 1) ? ExtendOutcome.EXTENDED : (answer == 0) ? ExtendOutcome.ABSENT : ExtendOutcome.OTHER;
		}

		static ReleaseOutcome released(Object reply, boolean maybeRepeated) {
			long answer = Long.parseLong(text(reply));
			if (answer > 0) {
				return ReleaseOutcome.RELEASED;
			}
			refuseIf(maybeRepeated);
			return (answer == 0) ? ReleaseOutcome.ABSENT : ReleaseOutcome.OTHER;
		}

		static Optional<StoredLock> found(Object answer, boolean maybeRepeated) {
			List<?> reply = (List<?>) answer;
			return reply.isEmpty() ? Optional.empty() : Optional.of(new StoredLock(text(reply, 1),
					remaining(number(reply, 0)), (int) number(reply, 2), limitOf((int) number(reply, 3))));
		}

		static ScriptCall.ReplyDecoder<Optional<StoredLockDetails>> described(String name) {
			return (answer, maybeRepeated) -> {
				List<?> reply = (List<?>) answer;
				if (reply.isEmpty()) {
					return Optional.empty();
				}
				int holders = (int) number(reply, 4);
				StoredLock lock = stored(reply, 0, holders, limitOf((int) number(reply, 5)));
				boolean ours = StoredLock.instanceNameIn(lock.holder()) != null;
				long age = number(reply, 2);
				long waiting = number(reply, 3);
				int next = FIXED_PARTS;
				List<StoredLock> nearest = new ArrayList<>();
				for (long following = number(reply, 8); following > 0; following--, next += 3) {
					nearest.add(stored(reply, next, holders, limitOf((int) number(reply, next + 2))));
				}
				nearest.sort(Comparator.comparing(StoredLock::remaining));
				StoredLockDetails.Company company = (lock.limit() == 1) ? null : new StoredLockDetails.Company(holders,
						limit(number(reply, 6)), limit(number(reply, 7)), nearest);
				List<StoredLockDetails.Waiter> queue = new ArrayList<>();
				for (int i = next; i + 1 < reply.size(); i += 2) {
					queue.add(new StoredLockDetails.Waiter(text(reply, i), micros(number(reply, i + 1))));
				}
				return Optional.of(new StoredLockDetails(name, lock, (ours && age >= 0) ? micros(age) : null,
						(waiting >= 0) ? waiting : null, queue, company));
			};
		}

		/** From the milliseconds that are left, and the holder. */
		private static StoredLock stored(List<?> reply, int index, int holders, int limit) {
			return new StoredLock(text(reply, index + 1), remaining(number(reply, index)), holders, limit);
		}

		private static int limitOf(int number) {
			return (number != 0) ? number : AcquireRequest.NO_LIMIT;
		}

		private static @Nullable Integer limit(long limit) {
			return (limit == 0) ? null : Math.toIntExact(limit);
		}

		private static Duration micros(long micros) {
			return Duration.of(micros, ChronoUnit.MICROS);
		}

		static StoreInspection.Answer inspected(Object answer, boolean maybeRepeated) {
			String[] lines = text(answer).split("\n", 5);
			return new StoreInspection.Answer(lines[0], lines[1], lines[2], lines[3], lines[4]);
		}

		static RecordChange.Outcome recordReplaced(Object reply, boolean maybeRepeated) {
			String text = text(reply);
			return switch (text) {
				case "1" -> new RecordChange.Outcome.Replaced();
				case "0" -> {
					refuseIf(maybeRepeated);
					yield new RecordChange.Outcome.NotHeld();
				}
				default -> new RecordChange.Outcome.Different(record(text));
			};
		}

		/** The first time, the answer may have been that the lock is held. */
		private static void refuseIf(boolean maybeRepeated) {
			if (maybeRepeated) {
				throw new IllegalStateException("the answer may be that to a repetition");
			}
		}

		static @Nullable String record(String text) {
			return text.startsWith("=") ? text.substring(1) : null;
		}

		private static @Nullable Duration remaining(long millis) {
			return (millis < 0) ? null : Duration.ofMillis(millis);
		}

		private static long number(List<?> reply, int index) {
			return number((index < reply.size()) ? reply.get(index) : reply);
		}

		private static long number(Object reply) {
			if (reply instanceof Long number) {
				return number;
			}
			throw unexpected(reply);
		}

		private static String text(List<?> reply, int index) {
			return text((index < reply.size()) ? reply.get(index) : reply);
		}

		private static String text(Object reply) {
			if (reply instanceof byte[] text) {
				return new String(text, StandardCharsets.UTF_8);
			}
			throw unexpected(reply);
		}

		private static IllegalStateException unexpected(Object reply) {
			return new IllegalStateException(
					"the script answered %s, which is not what it returns".formatted(reply.getClass().getSimpleName()));
		}

	}

}
