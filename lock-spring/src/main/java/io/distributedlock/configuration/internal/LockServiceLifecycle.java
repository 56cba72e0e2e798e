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

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.LockService;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.internal.DaemonThread;
import io.distributedlock.internal.DeclaredLocks;
import io.distributedlock.scheduling.internal.Jobs;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreReport;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.SmartApplicationListener;

/**
 * Connects and checks the lock store when the application starts, unless nobody has asked
 * for locks by then, and closes the lock service late in the shutdown: after the web
 * server, listeners and schedulers have stopped, and before the connection to the store
 * does.
 *
 * <p>
 * A context that is only stopped or paused may start again and keeps its locks if the
 * connection stays open in the meantime. Those of Lettuce do. The connection factory of
 * Jedis stops with the context, so locks are not renewed until it is started again.
 */
public final class LockServiceLifecycle implements SmartLifecycle, SmartApplicationListener {

	private static final Log logger = LogFactory.getLog(LockServiceLifecycle.class);

	/**
	 * The phase in which the locks stop: after everything with a higher phase, before
	 * everything with a lower one.
	 */
	public static final int PHASE = 1024;

	/** Published by Spring Boot, which need not be there. */
	private static final String READY = "org.springframework.boot.context.event.ApplicationReadyEvent";

	/** A runner may go on for as long as the application does. */
	private static final long LONGEST_RUNNER_SECONDS = 1;

	/** The library's own, unless a test has replaced it with a mock. */
	private final ObjectProvider<LockService> service;

	private final ObjectProvider<LockStore> store;

	private final ObjectProvider<LockStoreCheck> check;

	private final LockSettings settings;

	private final ObjectProvider<DeclaredLocks> declaredLocks;

	private final ConfigurableApplicationContext context;

	private volatile boolean running;

	/** Until the context has announced the end of its refresh. */
	private final AtomicBoolean starting = new AtomicBoolean(true);

	/** Down when the start no longer needs to be awaited. */
	private final CountDownLatch ready = new CountDownLatch(1);

	LockServiceLifecycle(ObjectProvider<LockService> service, ObjectProvider<LockStore> store,
			ObjectProvider<LockStoreCheck> check, LockSettings settings, ObjectProvider<DeclaredLocks> declaredLocks,
			ConfigurableApplicationContext context) {
		this.service = service;
		this.store = store;
		this.check = check;
		this.settings = settings;
		this.declaredLocks = declaredLocks;
		this.context = context;
	}

	@Override
	public void start() {
		if (this.running) {
			return;
		}
		if (endsStart() || isAnythingDeclared()) {
			this.service.getObject();
		}
		this.running = true;
		if (endsStart()) {
			connectOrFail();
		}
		else if (!this.starting.get()) {
			connectInBackground();
		}
		Jobs jobs = LockInterceptionConfiguration.jobsOf(this.context);
		if (jobs != null) {
			jobs.start();
		}
	}

	/** Return whether the start waits for the check, and may fail because of it. */
	private boolean endsStart() {
		return this.settings.start().reaction().endsStart();
	}

	private boolean isAnythingDeclared() {
		return this.declaredLocks.stream().anyMatch((locks) -> !locks.declared().isEmpty());
	}

	private void connectOrFail() {
		boolean connected = false;
		try {
			connect();
			connected = true;
		}
		finally {
			this.running = connected;
		}
	}

	/**
	 * Unless the start depends on it, connecting begins when everything else is ready,
	 * because loading the client would take processor time from the start. A lock that is
	 * needed earlier connects by itself.
	 */
	@Override
	public void onApplicationEvent(ApplicationEvent event) {
		if (!(event instanceof ContextRefreshedEvent refreshed)) {
			this.ready.countDown();
		}
		else if (refreshed.getApplicationContext() == this.context && this.starting.getAndSet(false)) {
			if (!isStartedBySpringBoot()) {
				this.ready.countDown();
			}
			if (this.running && !endsStart()) {
				connectInBackground();
			}
		}
	}

	@Override
	public boolean supportsEventType(Class<? extends ApplicationEvent> type) {
		return type == ContextRefreshedEvent.class || type.getName().equals(READY);
	}

	private boolean isStartedBySpringBoot() {
		return this.context.containsLocalBean("springApplicationArguments");
	}

	/**
	 * Nothing connects before somebody has asked for locks. The thread ends after asking:
	 * the store answers in other threads.
	 */
	private void connectInBackground() {
		if (isServiceCreated()) {
			new DaemonThread(this::connectUnlessStopped, "distributed-lock-start").start();
		}
	}

	private boolean isServiceCreated() {
		return !LockServiceConfiguration.isServicePending(this.context.getBeanFactory());
	}

	private void connectUnlessStopped() {
		try {
			this.ready.await(LONGEST_RUNNER_SECONDS, TimeUnit.SECONDS);
			if (this.running) {
				connect();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException | LinkageError ex) {
			if (this.running) {
				logger.warn("The lock store could not be checked. Locks connect by themselves when they are needed.",
						ex);
				return;
			}
			logger.debug("The application stopped before the lock store was connected.", ex);
		}
	}

	private void connect() {
		LockStore store = this.store.getObject();
		store.warmUp();
		StartMessage started = StartMessage.of(store, this.settings, this.declaredLocks);
		LockStoreCheck check = this.check.getObject();
		check.run((report) -> log(started.text(report.version(), check.objection()), report));
	}

	/** In any thread. */
	private void log(String started, StoreReport report) {
		if (this.running) {
			logger.info(started);
			report.findings().forEach((finding) -> logger.warn(LockStoreCheck.text(finding)));
			if (report.unchecked() != null) {
				logger.info(report.unchecked());
			}
		}
	}

	@Override
	public void stop() {
		this.running = false;
		this.ready.countDown();
		Jobs jobs = LockInterceptionConfiguration.jobsOf(this.context);
		if (jobs != null) {
			jobs.stop();
		}
		if (!isServiceCreated()) {
			return;
		}
		if (!this.context.isClosed()) {
			this.store.getObject().suspend();
		}
		else if (this.service.getObject() instanceof DefaultLockService ours) {
			ours.close(this.settings.gracePeriod(),
					() -> new TaskExecutors(this.context.getBeanFactory()).closeWhile(() -> !ours.held().isEmpty()));
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isPauseable() {
		return false;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
