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

import java.net.SocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Function;

import io.distributedlock.LockException;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.event.ClusterTopologyChangedEvent;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connections of Lettuce, either dedicated to locks or those of the application. Scripts
 * go over the one that a {@link LettuceConnectionFactory} shares, without a thread of
 * their own and without blocking: the caller's thread writes the command, the event loop
 * of Lettuce completes the call.
 *
 * <p>
 * <b>Order.</b> One connection carries commands out in the order in which they are
 * written. Only the first connect blocks; so calls made before there is a connection are
 * queued for the connector thread, and as long as one of them is unsent, later calls
 * queue up behind it. Lettuce itself keeps what is written while it reconnects. A call
 * that has timed out is neither sent nor sent again; if it was written, it is carried out
 * before what was written after it. In a cluster this holds for each node, once it is
 * connected.
 *
 * <p>
 * <b>Repetition.</b> After a reconnect, Lettuce resends unanswered commands, regardless
 * of its replay filter. The scripts are idempotent, but the answer to a repeated release
 * may be "not held" although the first one released the lock. Comparing the number of
 * disconnects before and after identifies such answers.
 */
final class LettuceStoreConnection extends StoreConnection {

	private static final Log logger = LogFactory.getLog(LettuceStoreConnection.class);

	private static final int MAX_UNSENT = 10_000;

	private static final int ATTEMPTS_WITHOUT_REASON = 3;

	private static final long MILLIS_BETWEEN_QUESTIONS_FOR_MASTERS = 500;

	/** A node that is dead may not answer for a minute. */
	private static final long LONGEST_QUESTION_MILLIS = 2000;

	private final LettuceConnectionFactory connectionFactory;

	private final @Nullable DedicatedLettuceConnections dedicated;

	/** How much longer calls may take as long as there never was a connection. */
	private final Duration connectTimeout;

	/** {@code null} if the application owns the connection. */
	private final @Nullable ConnectionWatchdog watchdog;

	final ConnectorThread connector = new ConnectorThread();

	/** Calls that wait for the connector thread. */
	private final AtomicInteger unsent = new AtomicInteger();

	private final Disconnects disconnects = new Disconnects(this::disconnected, this::interrupted);

	private volatile @Nullable NativeConnection connection;

	/** That of the latest connection, {@code null} before the first one. */
	private volatile @Nullable AbstractRedisClient client;

	/** {@code null} before the first connection, and if there can be none. */
	private volatile @Nullable KeyTracking tracking;

	private final Disposable.Swap otherMasters = Disposables.swap();

	/** The latest question to one node for the masters; only in the connector thread. */
	private @Nullable RedisFuture<?> look;

	/** When this last asked a cluster for its masters. */
	private final AtomicLong askedForMasters = new AtomicLong(System.nanoTime());

	/**
	 * The latest question to all nodes for the masters, {@code null} before the first.
	 */
	private volatile @Nullable CompletableFuture<Void> question;

	/** The failures so far, which an answer may have ended: see {@link #recovered}. */
	private final AtomicInteger failures = new AtomicInteger();

	/** How many failures are over; negative before the first answer. */
	private volatile int failuresOver = -1;

	/** Whether to refuse calls until the connection is open again. */
	private volatile boolean down;

	private volatile boolean closed;

	private LettuceStoreConnection(LettuceConnectionFactory connectionFactory,
			@Nullable DedicatedLettuceConnections dedicated, RedisLockSettings settings) {
		super(LettuceTopology.of(connectionFactory).setup(connectionFactory.isUseSsl()), Duration.ZERO, settings);
		this.connectionFactory = connectionFactory;
		this.dedicated = dedicated;
		this.connectTimeout = settings.connectTimeout();
		this.watchdog = (dedicated != null) ? new ConnectionWatchdog(this::reset, this::disconnectInbox) : null;
	}

	/** Whether all commands go over one connection. */
	static boolean supports(RedisConnectionFactory connectionFactory) {
		return connectionFactory instanceof LettuceConnectionFactory lettuce && lettuce.getShareNativeConnection();
	}

	static LettuceStoreConnection dedicated(RedisConnectionFactory application, RedisLockSettings settings) {
		DedicatedLettuceConnections dedicated = DedicatedLettuceConnections
			.derive((LettuceConnectionFactory) application, settings);
		return new LettuceStoreConnection(dedicated.forCommands(), dedicated, settings);
	}

	static LettuceStoreConnection shared(RedisConnectionFactory application, RedisLockSettings settings) {
		return new LettuceStoreConnection((LettuceConnectionFactory) application, null, settings);
	}

	@Override
	RedisConnectionFactory connectionFactory() {
		this.connectionFactory.start();
		return this.connectionFactory;
	}

	@Override
	boolean countsReceivers() {
		return super.countsReceivers() && (this.dedicated == null || this.dedicated.subscribesToMaster());
	}

	/** A connection of the application may have tracking of its own. */
	@Override
	boolean watches() {
		return this.dedicated != null && this.dedicated.subscribesToMaster();
	}

	@Override
	boolean canWatch() {
		KeyTracking tracking = this.tracking;
		return watches() && (tracking == null || !tracking.isRefused());
	}

	private void disconnected() {
		KeyTracking tracking = this.tracking;
		if (tracking != null) {
			tracking.disconnected();
		}
	}

	@Override
	Inbox createInbox(byte[] channel, InboxWatch watch) {
		return new LettuceInbox(() -> (this.dedicated != null) ? this.dedicated.forInbox() : this.connectionFactory,
				this.connector, channel, watch, this.outageLog::isUnderWay);
	}

	/** The next call fails, as its connection is closed; later ones get another. */
	private void reset() {
		this.connector.execute(this.connectionFactory::resetConnection);
	}

	private void disconnectInbox() {
		if (this.inbox.get() instanceof LettuceInbox open) {
			open.disconnect();
		}
	}

	@Override
	public void close() {
		this.outageLog.close();
		this.connector.close();
		this.closed = true;
		AbstractRedisClient listenedTo = this.client;
		if (listenedTo != null) {
			listenedTo.removeListener(this.disconnects);
		}
		this.otherMasters.dispose();
		try {
			super.close();
		}
		finally {
			if (this.dedicated != null) {
				this.dedicated.close();
			}
		}
	}

	@Override
	void run(ScriptCall<?> call) {
		call.onOutage((failure, waited) -> failed(call, failure, waited));
		NativeConnection connected = this.connection;
		if (connected == null || this.unsent.get() != 0 || this.closed) {
			sendAfterConnecting(call);
			return;
		}
		call.limit(this.commandTimeout);
		if (this.down && isStillDown(connected)) {
			call.completeExceptionally(refusalOr(CallFailure.unreachable()));
			return;
		}
		try {
			new Transmission(call, connected).send();
		}
		finally {
			// Also if memory runs out: each call completes
			this.timer.add(call);
		}
	}

	@Override
	CompletionStage<?> send(byte[] channel, byte[] message) {
		NativeConnection connected = this.connection;
		return (connected != null) ? connected.publish(channel, message)
				: CompletableFuture.failedFuture(CallFailure.unreachable());
	}

	/** If that fails, the first call tries again. */
	@Override
	void warmUp() {
		if (this.dedicated == null) {
			return;
		}
		this.connector.execute(() -> {
			try {
				connect();
			}
			catch (RuntimeException ex) {
				logger.debug("There is no connection for locks yet.", ex);
			}
		});
	}

	@Override
	String nodeOf(byte[] key) {
		NativeConnection connected = this.connection;
		return (connected != null) ? connected.nodeOf(key) : "";
	}

	/** Return why a server refuses to reconnect, if one does. */
	private CallFailure refusalOr(CallFailure outage) {
		Throwable refusal = (this.dedicated != null) ? this.dedicated.refusal() : null;
		return (refusal != null) ? CallFailure.refused(refusal) : outage;
	}

	private boolean isStillDown(NativeConnection connected) {
		if (!connected.isDisconnected()) {
			this.down = false;
		}
		return this.down;
	}

	private void failed(ScriptCall<?> call, LockException failure, Duration waited) {
		this.outageLog.failed(call.key(), this::nodeOf, failure, waited);
		this.failures.incrementAndGet();
		long last = this.askedForMasters.get();
		if (isTimeToAskForMasters(System.nanoTime() - last)
				&& this.askedForMasters.compareAndSet(last, System.nanoTime())) {
			askForMasters();
		}
	}

	/**
	 * A question opens a connection to each node. If calls fail because too much is to be
	 * done here, another question before the answer would make that worse.
	 */
	private boolean isTimeToAskForMasters(long nanosSinceLast) {
		CompletableFuture<Void> latest = this.question;
		boolean unanswered = latest != null && !latest.isDone();
		return nanosSinceLast >= TimeUnit.MILLISECONDS
			.toNanos(unanswered ? LONGEST_QUESTION_MILLIS : MILLIS_BETWEEN_QUESTIONS_FOR_MASTERS);
	}

	/**
	 * Lettuce does so by itself if a connection breaks, but once at a time: if a node
	 * dies while it is being asked, Lettuce waits for it for a minute. Then it believes
	 * what the others said a minute ago. So this asks again after each change, too.
	 */
	private void askForMasters() {
		if (this.dedicated != null && this.client instanceof RedisClusterClient cluster) {
			this.askedForMasters.set(System.nanoTime());
			CompletableFuture<Void> next = new CompletableFuture<>();
			this.question = next;
			this.connector
				.execute(() -> cluster.refreshPartitionsAsync().whenComplete((done, failure) -> next.complete(null)));
		}
	}

	/** After the watchdog has taken note of a failure. */
	private void watched(boolean isDown) {
		if (isDown) {
			this.down = true;
		}
		this.failures.incrementAndGet();
	}

	/**
	 * Take note of an answer while there is a failure that it may have ended. A failure
	 * is counted after it was recorded, and the count is read before looking for what is
	 * left: so one that occurs in between is not regarded as over.
	 */
	private void recovered(NativeConnection connected, byte[] key) {
		int counted = this.failures.get();
		boolean strikesLeft = this.watchdog != null && this.watchdog.answered(connected, key);
		boolean outagesLeft = this.outageLog.answered(key, connected::nodeOf);
		if (!strikesLeft && !outagesLeft) {
			this.failuresOver = counted;
		}
	}

	private void sendAfterConnecting(ScriptCall<?> call) {
		call.limit((this.client != null) ? this.commandTimeout : this.commandTimeout.plus(this.connectTimeout));
		call.onTimeout(CallFailure::notConnectedWithin);
		this.timer.add(call);
		if (this.unsent.incrementAndGet() > MAX_UNSENT) {
			this.unsent.decrementAndGet();
			call.completeExceptionally(CallFailure.tooManyCalls());
			return;
		}
		boolean accepted = this.connector.execute(() -> {
			try {
				sendUnlessTimedOut(call);
			}
			catch (RuntimeException ex) {
				call.completeExceptionally(ex);
			}
			finally {
				this.unsent.decrementAndGet();
			}
		});
		if (!accepted) {
			this.unsent.decrementAndGet();
			call.completeExceptionally(CallFailure.closed());
		}
	}

	private void sendUnlessTimedOut(ScriptCall<?> call) {
		if (call.isDone()) {
			return;
		}
		NativeConnection connected = connect();
		// Connecting may have taken longer than the call
		if (!call.isDone()) {
			new Transmission(call, connected).send();
		}
	}

	/** Only in the connector thread. */
	private NativeConnection connect() {
		NativeConnection connected = this.connection;
		if (connected == null) {
			this.connectionFactory.start();
			try (RedisConnection shared = open()) {
				connected = NativeConnection.of(shared);
			}
			AbstractRedisClient current = this.connectionFactory.getRequiredNativeClient();
			boolean again = this.client != null;
			if (this.client != current) {
				current.addListener(this.disconnects);
				this.client = current;
				if (this.setup.topology().mayBeCluster()) {
					listenForOtherMasters(current);
				}
				if (!again && this.dedicated != null && this.setup.topology() == RedisSetup.Topology.CLUSTER) {
					lookForOtherMasters();
				}
			}
			connected.connectToMasters(this.connectTimeout);
			if (canWatch()) {
				KeyTracking tracking = (this.tracking != null) ? this.tracking
						: new KeyTracking(this.setup.description(), this::changed, this::interrupted);
				tracking.start(connected, current.getOptions().getConfiguredProtocolVersion());
				this.tracking = tracking;
			}
			this.connection = connected;
			if (again) {
				interrupted();
			}
			if (this.inbox.get() instanceof LettuceInbox open) {
				open.revive();
			}
		}
		return connected;
	}

	/**
	 * Lettuce closes a connection whose credentials are refused, and now and then notices
	 * the end before the reason. The reason is what has to be told.
	 */
	private RedisConnection open() {
		for (int attempt = 1;; attempt++) {
			try {
				return this.connectionFactory.getConnection();
			}
			catch (RedisConnectionFailureException ex) {
				if (attempt == ATTEMPTS_WITHOUT_REASON || !FailureTranslator.isHungUpEarly(ex)) {
					throw ex;
				}
			}
		}
	}

	/**
	 * No connection breaks when another master takes a slot, and Lettuce asks all nodes
	 * only every 30 s. To ask one costs less.
	 */
	private void lookForOtherMasters() {
		try {
			RedisFuture<?> unanswered = this.look;
			if (unanswered != null) {
				// Lettuce would keep it for when the node is back
				unanswered.cancel(true);
			}
			NativeConnection connected = this.connection;
			if (connected != null) {
				RedisFuture<String> next = connected.askForNodes();
				this.look = next;
				next.thenAccept((nodes) -> {
					if (connected.differsFrom(nodes)) {
						askForMasters();
					}
				});
			}
		}
		catch (RuntimeException ex) {
			logger.debug("No node of the cluster can be asked now.", ex);
		}
		this.connector.schedule(this::lookForOtherMasters, MILLIS_BETWEEN_QUESTIONS_FOR_MASTERS);
	}

	/** A slot may have another master, although no connection broke. */
	private void listenForOtherMasters(AbstractRedisClient current) {
		this.otherMasters.update(current.getResources()
			.eventBus()
			.get()
			.filter(ClusterTopologyChangedEvent.class::isInstance)
			.subscribe((event) -> {
				interrupted();
				this.connector.schedule(this::askForMasters, MILLIS_BETWEEN_QUESTIONS_FOR_MASTERS);
			}));
	}

	/**
	 * One call on its way.
	 */
	private final class Transmission implements BiConsumer<Object, Throwable>, ScriptCall.Cancellation {

		private final ScriptCall<?> call;

		private final NativeConnection connected;

		private final int disconnectsBefore;

		private boolean sourceSent;

		private volatile boolean cancelled;

		private volatile @Nullable RedisFuture<Object> reply;

		private volatile @Nullable RedisFuture<?> watching;

		Transmission(ScriptCall<?> call, NativeConnection connected) {
			this.call = call;
			this.connected = connected;
			this.disconnectsBefore = LettuceStoreConnection.this.disconnects.get();
		}

		void send() {
			this.call.onTimeout(this);
			try {
				await(send(this.connected::evalSha));
			}
			catch (RuntimeException ex) {
				failed(ex);
			}
		}

		private RedisFuture<Object> send(Function<ScriptCall<?>, RedisFuture<Object>> command) {
			KeyTracking tracking = LettuceStoreConnection.this.tracking;
			if (!this.call.watches() || tracking == null) {
				return command.apply(this.call);
			}
			return this.connected.sendTogether(() -> {
				this.watching = tracking.watchNext(this.connected, this.call.key());
				return command.apply(this.call);
			});
		}

		private void await(RedisFuture<Object> sent) {
			this.reply = sent;
			sent.whenComplete(this);
		}

		@Override
		public void accept(@Nullable Object answer, @Nullable Throwable failure) {
			if (failure != null) {
				failed(failure);
				return;
			}
			LettuceStoreConnection outer = LettuceStoreConnection.this;
			if (outer.failures.get() != outer.failuresOver) {
				outer.recovered(this.connected, this.call.key());
			}
			this.call.answer(answer, outer.disconnects.get() != this.disconnectsBefore);
		}

		private void failed(Throwable failure) {
			if (this.call.isDone() || this.cancelled) {
				return;
			}
			if (!this.sourceSent && FailureTranslator.isUnknownScript(failure)) {
				this.sourceSent = true;
				this.call.resend(() -> await(send(this.connected::eval)));
				return;
			}
			LettuceStoreConnection outer = LettuceStoreConnection.this;
			if (outer.connection == this.connected && this.connected.isClosed()) {
				outer.connection = null;
			}
			if (outer.watchdog != null && FailureTranslator.isReadOnly(failure)) {
				outer.watched(outer.watchdog.demoted(this.connected, this.call.key(), this.call.sentAt()));
			}
			this.call.completeExceptionally(failure);
		}

		/** After the timeout. */
		@Override
		public @Nullable CallFailure cancel(Duration patience) {
			// Otherwise it could be sent again after the command that undoes it
			this.call.supersede();
			boolean disconnected = this.connected.isDisconnectedFrom(this.call.key());
			RedisFuture<?> watching = this.watching;
			if (watching != null) {
				watching.cancel(true);
			}
			RedisFuture<Object> unanswered = this.reply;
			if (unanswered != null) {
				this.cancelled = true;
				LettuceStoreConnection outer = LettuceStoreConnection.this;
				if (unanswered.cancel(true) && outer.watchdog != null) {
					outer.watched(outer.watchdog.timedOut(this.connected, this.call.key(), this.call.sentAt()));
				}
			}
			return disconnected ? refusalOr(CallFailure.disconnected(patience)) : null;
		}

	}

	/**
	 * Counts how often any connection of the client was lost, and tells when one is lost,
	 * and when one is made while others are lost: perhaps to another server, or to one
	 * that has restarted. A connection that is closed on purpose says nothing.
	 */
	private static final class Disconnects extends AtomicInteger implements RedisConnectionStateListener {

		private static final long serialVersionUID = 1L;

		private final transient Runnable disconnection;

		private final transient Runnable interruption;

		private final transient Set<RedisChannelHandler<?, ?>> lost = Collections
			.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

		Disconnects(Runnable disconnection, Runnable interruption) {
			this.disconnection = disconnection;
			this.interruption = interruption;
		}

		@Override
		public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
			if (!this.lost.isEmpty()) {
				this.lost.remove(connection);
				this.lost.removeIf(RedisChannelHandler::isClosed);
				this.interruption.run();
			}
		}

		@Override
		public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
			incrementAndGet();
			this.disconnection.run();
			if (!connection.isClosed()) {
				this.lost.add(connection);
				this.interruption.run();
			}
		}

	}

}
