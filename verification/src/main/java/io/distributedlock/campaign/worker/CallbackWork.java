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

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

import javax.sql.DataSource;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.campaign.history.Event;
import io.distributedlock.campaign.history.Event.Place;
import io.distributedlock.fencing.Fences;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.core.Ordered;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A fenced transaction that has new ones in its code and in its callbacks, each of which
 * deposits one. The holder may be paused before any of them, long enough for the next
 * holder, and the database may end its connection meanwhile.
 */
class CallbackWork {

	private static final String POSTGRESQL = "PostgreSQL";

	/** Less than the database waits for a row. */
	private static final long SOON = TimeUnit.MILLISECONDS.toNanos(2500);

	private final JdbcTemplate jdbc;

	private final DataSource dataSource;

	private final TransactionTemplate transaction;

	private final TransactionTemplate newTransaction;

	private final Fences fences;

	private final ApplicationEventPublisher events;

	private volatile @Nullable String product;

	CallbackWork(JdbcTemplate jdbc, DataSource dataSource, PlatformTransactionManager transactions, Fences fences,
			ApplicationEventPublisher events) {
		this.jdbc = jdbc;
		this.dataSource = dataSource;
		this.transaction = new TransactionTemplate(transactions);
		this.newTransaction = new TransactionTemplate(transactions);
		this.newTransaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.fences = fences;
		this.events = events;
	}

	/**
	 * Let all transactions claim their fences by themselves.
	 */
	void claim(Run run, Section section) throws InterruptedException {
		run.section = section;
		if (run.plot.pausedAt() == Place.OUTER) {
			run.pause();
		}
		run.beginning(Place.OUTER);
		run.end(() -> this.transaction.executeWithoutResult((status) -> {
			this.fences.claim(section.handle());
			work(run, status);
		}));
	}

	/**
	 * Have the starter claim the fences of all transactions. To be called through
	 * {@link Run#end}.
	 */
	@Transactional
	@DistributedLock(name = "'campaign:' + #lock", timeout = 1, waitTime = AnnotatedWork.WAIT_SECONDS, fenced = true)
	void annotated(int lock, Run run, @Nullable LockHandle handle) {
		run.section = run.attempt.grantedByAnnotation(lock, handle);
		work(run, TransactionAspectSupport.currentTransactionStatus());
		run.attempt.leave();
	}

	private void work(Run run, TransactionStatus status) {
		try {
			long balance = balance(run.lock) + 1;
			TransactionSynchronizationManager.registerSynchronization(callbacks(run));
			this.events.publishEvent(new Deposited(run));
			visit(run, Place.BODY);
			deposit(run.lock, balance);
			TransactionSynchronizationManager.registerSynchronization(receipt(run, Place.OUTER, balance));
			if (run.plot.rolledBack()) {
				status.setRollbackOnly();
			}
		}
		finally {
			run.ending = System.nanoTime();
		}
	}

	private void visit(Run run, Place place) {
		if (run.plot.pausedAt() == place) {
			if (run.plot.isCut()) {
				cut(run);
			}
			run.pause();
		}
		if (run.plot.inside().contains(place)) {
			begin(run, place);
		}
	}

	private void begin(Run run, Place place) {
		run.beginning(place);
		this.newTransaction.executeWithoutResult((status) -> {
			if (!run.annotated) {
				this.fences.claim(run.section().handle());
			}
			int account = LockNames.inside(run.lock);
			long balance = balance(account) + 1;
			deposit(account, balance);
			TransactionSynchronizationManager.registerSynchronization(receipt(run, place, balance));
			run.ending = System.nanoTime();
		});
	}

	private long balance(int account) {
		return Objects
			.requireNonNull(this.jdbc.queryForObject("select balance from account where id = ?", Long.class, account));
	}

	private void deposit(int account, long balance) {
		this.jdbc.update("update account set balance = ?, deposits = deposits + 1 where id = ?", balance, account);
	}

	/**
	 * Have the database end the transaction while the holder is paused, who is not told.
	 */
	private void cut(Run run) {
		run.cut = true;
		run.attempt.write(Event.Type.CUT, run.lock, 0, System.nanoTime(), run.token(), 0, 0, 0);
		boolean postgres = POSTGRESQL.equals(product());
		if (postgres && run.attempt.random().nextBoolean()) {
			this.jdbc.execute("set local idle_in_transaction_session_timeout = 100");
			return;
		}
		Integer session = this.jdbc.queryForObject(postgres ? "select pg_backend_pid()" : "select session_id()",
				Integer.class);
		// Not the connection of the transaction
		try (Connection connection = this.dataSource.getConnection();
				PreparedStatement statement = connection
					.prepareStatement(postgres ? "select pg_terminate_backend(?)" : "call abort_session(?)")) {
			statement.setInt(1, Objects.requireNonNull(session));
			statement.execute();
		}
		catch (SQLException ex) {
			throw new IllegalStateException("The database does not end a connection", ex);
		}
	}

	private String product() {
		String known = this.product;
		if (known == null) {
			known = Objects.requireNonNull(this.jdbc.execute(
					(ConnectionCallback<String>) (connection) -> connection.getMetaData().getDatabaseProductName()));
			this.product = known;
		}
		return known;
	}

	@TransactionalEventListener
	void on(Deposited event) {
		visitQuietly(event.run, Place.LISTENER);
	}

	/** As user code has them. */
	private TransactionSynchronization callbacks(Run run) {
		return new TransactionSynchronization() {

			@Override
			public void beforeCommit(boolean readOnly) {
				visit(run, Place.BEFORE_COMMIT);
			}

			@Override
			public void beforeCompletion() {
				visit(run, Place.BEFORE_COMPLETION);
				run.ending = System.nanoTime();
			}

			@Override
			public void afterCommit() {
				visit(run, Place.AFTER_COMMIT);
			}

			@Override
			public void afterCompletion(int status) {
				visitQuietly(run, Place.AFTER_COMPLETION);
			}

		};
	}

	/** Writes down that a transaction has committed, before any other callback. */
	private static TransactionSynchronization receipt(Run run, Place place, long balance) {
		return new TransactionSynchronization() {

			@Override
			public int getOrder() {
				return Ordered.HIGHEST_PRECEDENCE;
			}

			@Override
			public void afterCommit() {
				run.attempt.write(Event.Type.COMMITTED, run.lock, 0, System.nanoTime(), run.token(), run.ending,
						balance, place.ordinal());
				run.committed |= place == Place.OUTER;
			}

		};
	}

	/** Nobody is told of what fails after the completion. */
	private void visitQuietly(Run run, Place place) {
		try {
			visit(run, place);
		}
		catch (DataAccessException | TransactionException ex) {
			run.attempt.refused();
		}
	}

	/**
	 * What happens in one attempt.
	 *
	 * @param pausedAt where the holder is paused, {@code null} for nowhere
	 * @param isCut whether the database ends the connection then
	 */
	record Plot(@Nullable Place pausedAt, Duration pause, boolean isCut, boolean rolledBack, Set<Place> inside) {

		private static final Place[] PLACES = Place.values();

		static Plot draw(RandomGenerator random) {
			Set<Place> inside = EnumSet.noneOf(Place.class);
			for (Place place : PLACES) {
				if (place != Place.OUTER && random.nextBoolean()) {
					inside.add(place);
				}
			}
			// The lease is 1 s
			Duration pause = Duration.ofMillis(random.nextInt(900, 2200));
			Place place = PLACES[random.nextInt(PLACES.length)];
			return switch (random.nextInt(7)) {
				case 0 -> new Plot(place, pause, false, false, with(inside, place));
				case 1 -> {
					Place covered = PLACES[random.nextInt(Place.BODY.ordinal(), Place.AFTER_COMMIT.ordinal())];
					yield new Plot(covered, pause, true, false, with(inside, covered));
				}
				// Nobody claims the fence after that
				case 2 -> new Plot(null, Duration.ZERO, false, true, EnumSet.of(Place.BODY));
				// The next holder need not wait for a row
				case 3 -> new Plot(Place.AFTER_COMMIT, pause, false, false, with(inside, Place.AFTER_COMMIT));
				case 4 -> new Plot(Place.OUTER, pause, false, random.nextBoolean(), inside);
				default -> new Plot(null, Duration.ZERO, false, random.nextInt(4) == 0, inside);
			};
		}

		private static Set<Place> with(Set<Place> inside, Place place) {
			inside.add(place);
			return inside;
		}

	}

	/**
	 * One transaction, and those inside of it.
	 */
	static final class Run {

		private final int lock;

		private final Attempt attempt;

		private final Plot plot;

		private final boolean annotated;

		private @Nullable Section section;

		/** When the code, and the callbacks before the end, had returned. */
		private long ending;

		private boolean committed;

		private boolean cut;

		Run(int lock, Attempt attempt, boolean annotated) {
			this.lock = lock;
			this.attempt = attempt;
			this.plot = Plot.draw(attempt.random());
			this.annotated = annotated;
		}

		private Section section() {
			return Objects.requireNonNull(this.section, "The lock is held");
		}

		private long token() {
			return section().handle().fencingToken();
		}

		/**
		 * Write down that a transaction is about to begin.
		 */
		void beginning(Place place) {
			this.attempt.write(Event.Type.BEGINNING, this.lock, 0, System.nanoTime(), 0, 0, 0, place.ordinal());
		}

		private void pause() {
			section().check();
			try {
				TimeUnit.NANOSECONDS.sleep(this.plot.pause().toNanos());
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException("Nobody interrupts this", ex);
			}
			section().check();
		}

		/**
		 * Run the transaction, and write down if it does not commit.
		 */
		void end(Runnable transaction) {
			try {
				transaction.run();
			}
			catch (RuntimeException ex) {
				if (!this.cut) {
					throw ex;
				}
				this.attempt.refused();
			}
			finally {
				if (!this.committed) {
					long now = System.nanoTime();
					boolean soon = this.ending == 0 || now - this.ending < SOON;
					this.attempt.write(Event.Type.ROLLED_BACK, this.lock, 0, now, 0, soon ? now : 0, 0,
							Place.OUTER.ordinal());
				}
			}
		}

	}

	/**
	 * Published in the transaction.
	 */
	record Deposited(Run run) {
	}

}
