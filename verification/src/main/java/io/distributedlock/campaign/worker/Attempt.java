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

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.campaign.history.Event;
import io.distributedlock.campaign.history.Event.Outcome;
import io.distributedlock.campaign.history.Journal;
import io.distributedlock.fencing.StaleLockException;
import org.h2.api.ErrorCode;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.transaction.CannotCreateTransactionException;

/**
 * One attempt of one thread to get a lock and to work under it, and what is written down
 * about it. A workload {@link #ask asks}, {@link #granted enters} and works in a section,
 * {@link Section#leave leaves} it before the lock is released, and says that the
 * {@link #done release has returned}.
 */
final class Attempt {

	/** Spring has no exception for it. */
	private static final String LOCK_TIMEOUT_OF_POSTGRESQL = "55P03";

	private final Journal journal;

	private final AtomicLong ids;

	private final int kind;

	private final String label;

	private final long id;

	private final RandomGenerator random;

	private final List<Section> sections = new ArrayList<>(1);

	/** Whether it is about a lock that several may hold. */
	private boolean withCompany;

	/** Nothing that is granted from now on is of use. */
	private boolean left;

	private final AtomicBoolean ended = new AtomicBoolean();

	private volatile int name = Event.SEVERAL;

	Attempt(Journal journal, AtomicLong ids, int kind, String label, RandomGenerator random) {
		this.journal = journal;
		this.ids = ids;
		this.kind = kind;
		this.label = label;
		this.id = ids.incrementAndGet();
		this.random = random;
	}

	RandomGenerator random() {
		return this.random;
	}

	/**
	 * From now on, draw locks that several may hold.
	 */
	void allowCompany() {
		this.withCompany = true;
	}

	int drawName() {
		return LockNames.draw(this.random, this.withCompany);
	}

	int drawNameForLong(LockNames names) {
		return names.drawForLong(this.random, this.withCompany);
	}

	int nameOfTheMoment() {
		return LockNames.ofTheMoment(this.withCompany);
	}

	/**
	 * Draw a wait: short ones end in vain now and then.
	 */
	Duration drawWait() {
		return Duration.ofMillis(this.random.nextInt(100, 4000));
	}

	Duration drawSection() {
		return (this.random.nextInt(4) == 0) ? Duration.ofMillis(this.random.nextInt(1, 6)) : Duration.ZERO;
	}

	LockOptions options(int name, Duration wait) {
		LockOptions options = LockOptions.ofLease(LockNames.lease(name))
			.withWaitTime(wait)
			.withDeclaredName("campaign");
		int limit = LockNames.drawLimit(name, this.random);
		return (limit == 0) ? options.withShared() : options.withPermits(limit);
	}

	/**
	 * Ask for a lock for a short section.
	 */
	Request ask() {
		int name = drawName();
		return ask(name, options(name, drawWait()));
	}

	Request ask(int name, LockOptions options) {
		ask(name, options.waitTime(), Section.limit(options));
		return new Request(name, options);
	}

	void ask(int name, Duration wait) {
		ask(name, wait, 1);
	}

	private void ask(int name, Duration wait, int limit) {
		this.name = name;
		write(Event.Type.ASKED, name, 0, System.nanoTime(), 0, 0, wait.toNanos(), 0, limit);
	}

	/**
	 * The starter passes a handle to a method with an annotation.
	 */
	Section grantedByAnnotation(int name, @Nullable LockHandle handle) {
		return granted(name, Objects.requireNonNull(handle, "The starter passes the handle"),
				options(name, Duration.ZERO));
	}

	Section granted(int name, LockHandle handle, LockOptions options) {
		Section section = new Section(this, handle, name, this.ids.incrementAndGet(), options);
		synchronized (this) {
			this.sections.add(section);
			section.begin(this.left);
		}
		end(Outcome.GRANTED);
		return section;
	}

	void refused() {
		write(Event.Type.REFUSED, this.name, 0, System.nanoTime(), 0, 0, 0, 0);
	}

	/**
	 * Make the attempt. What is thrown ends it: the documented exceptions as what they
	 * say, all others as a failure.
	 */
	void make(Work work) {
		try {
			work.run();
		}
		catch (Throwable ex) {
			Outcome outcome = outcome(ex);
			if (ex instanceof StaleLockException) {
				refused();
			}
			if (outcome == Outcome.FAILED) {
				System.err.println("Unexpected failure of '" + this.label + "'");
				ex.printStackTrace();
			}
			end(outcome);
		}
		finally {
			done();
			Thread.interrupted();
		}
	}

	/**
	 * Write down how the attempt ended, once.
	 */
	void end(Outcome outcome) {
		if (this.ended.compareAndSet(false, true)) {
			write(Event.Type.ENDED, this.name, 0, System.nanoTime(), 0, 0, 0, outcome.ordinal());
		}
	}

	/**
	 * The work is done or called off: from now on the locks may go to somebody else.
	 */
	synchronized void leave() {
		this.left = true;
		this.sections.forEach(Section::leave);
	}

	/**
	 * Everything has returned.
	 */
	synchronized void done() {
		this.left = true;
		this.sections.forEach(Section::left);
	}

	void write(Event.Type type, int name, long hold, long at, long token, long until, long amount, int detail) {
		write(type, name, hold, at, token, until, amount, detail, 1);
	}

	void write(Event.Type type, int name, long hold, long at, long token, long until, long amount, int detail,
			int limit) {
		this.journal.write(new Event(type, 0, name, this.id, hold, at, token, until, amount, this.kind, detail, limit));
	}

	private static Outcome outcome(Throwable failure) {
		if (failure instanceof LockNotAcquiredException
				// A worker that is stopped keeps its row locked
				|| failure instanceof PessimisticLockingFailureException || failure instanceof QueryTimeoutException
				// The pool hands out a connection that H2 closed a moment before
				|| (failure instanceof CannotCreateTransactionException
						&& failure.getCause() instanceof SQLException closed
						&& closed.getErrorCode() == ErrorCode.DATABASE_CALLED_AT_SHUTDOWN)
				|| (failure instanceof UncategorizedSQLException && failure.getCause() instanceof SQLException database
						&& LOCK_TIMEOUT_OF_POSTGRESQL.equals(database.getSQLState()))) {
			return Outcome.BUSY;
		}
		if (failure instanceof LockUnavailableException) {
			return Outcome.UNAVAILABLE;
		}
		if (failure instanceof LockInterruptedException || failure instanceof InterruptedException) {
			return Outcome.INTERRUPTED;
		}
		if (failure instanceof CancellationException) {
			return Outcome.CANCELLED;
		}
		if (failure instanceof LockLostException || failure instanceof StaleLockException
				|| failure instanceof PlannedFailure) {
			return Outcome.GRANTED;
		}
		Throwable cause = failure.getCause();
		if ((failure instanceof ExecutionException || failure instanceof CompletionException) && cause != null) {
			return outcome(cause);
		}
		return Outcome.FAILED;
	}

	/**
	 * What an attempt does.
	 */
	interface Work {

		void run() throws Throwable;

	}

	/**
	 * What was asked for.
	 */
	final class Request {

		private final int name;

		private final LockOptions options;

		private Request(int name, LockOptions options) {
			this.name = name;
			this.options = options;
		}

		String name() {
			return LockNames.text(this.name);
		}

		LockOptions options() {
			return this.options;
		}

		Section granted(LockHandle handle) {
			return Attempt.this.granted(this.name, handle, this.options);
		}

		/**
		 * Work in a short section, and leave it.
		 */
		void work(LockHandle handle) {
			granted(handle).work(drawSection());
			leave();
		}

	}

}
