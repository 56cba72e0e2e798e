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

package io.distributedlock.test;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.HeldLock;
import io.distributedlock.LockEvent;
import io.distributedlock.LockInspector;
import io.distributedlock.LockListener;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.internal.Printable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Records in which order threads take locks while they hold others. Blocking
 * acquisitions, whether they succeed or not, are announced in the caller's thread, and
 * re-entry is not announced. An acquisition with a future belongs to no thread and is not
 * recorded.
 *
 * <p>
 * Locks are told apart by their declared names, so that the order of two kinds of locks
 * is checked whatever their keys are; two locks of one kind by their names. Taking locks
 * in the alphabetical order of their names, as {@link LockService#acquireAll} does, is
 * harmless: a circle needs a step against it.
 */
final class LockOrders implements LockListener {

	private static final int MOST = 10_000;

	private static final Set<String> LIBRARY = Set.of("io.distributedlock", "io.distributedlock.annotation",
			"io.distributedlock.autoconfigure", "io.distributedlock.configuration.internal",
			"io.distributedlock.engine", "io.distributedlock.scheduling.internal", "io.distributedlock.support",
			"io.distributedlock.transaction.internal");

	private static final List<String> OTHERS = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.",
			"org.springframework.", "org.aspectj.", "kotlin.");

	private final BeanFactory beanFactory;

	private final ReentrantLock lock = new ReentrantLock();

	/** The steps from each lock to those that were taken while it was held. */
	private final Map<String, Map<String, Step>> steps = new LinkedHashMap<>();

	private int size;

	LockOrders(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Override
	public void onLockEvent(LockEvent event) {
		if (event instanceof LockEvent.Acquired || event instanceof LockEvent.NotAcquired) {
			this.beanFactory.getBeanProvider(LockService.class)
				.stream()
				.flatMap((service) -> ((service instanceof LockInspector inspector) ? inspector.held()
						: List.<HeldLock>of())
					.stream()
					.filter((held) -> !held.name().equals(event.name()) && service.current(held.name()).isPresent()))
				.forEach((held) -> add(held, event));
		}
	}

	private void add(HeldLock outer, LockEvent inner) {
		String from = kind(outer.name(), outer.declaredName());
		String to = kind(inner.name(), inner.declaredName());
		if (from.equals(to)) {
			from = outer.name();
			to = inner.name();
		}
		boolean alphabetical = outer.name().compareTo(inner.name()) < 0;
		this.lock.lock();
		try {
			Map<String, Step> next = this.steps.computeIfAbsent(from, (name) -> new LinkedHashMap<>());
			Step known = next.get(to);
			if ((known == null && this.size < MOST) || (known != null && known.alphabetical() && !alphabetical)) {
				this.size += (known == null) ? 1 : 0;
				next.put(to, new Step(from, to, place(), alphabetical));
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private static String kind(String name, String declaredName) {
		return declaredName.equals(LockOptions.UNDECLARED) ? name : declaredName;
	}

	/**
	 * Return where the calling thread was when it left the code of the application.
	 */
	private static String place() {
		return StackWalker.getInstance()
			.walk((frames) -> frames.filter((frame) -> isOfApplication(frame.getClassName()))
				.findFirst()
				.map((frame) -> frame.toStackTraceElement().toString()))
			.orElse("thread '" + Thread.currentThread().getName() + "'");
	}

	private static boolean isOfApplication(String className) {
		return !LIBRARY.contains(ClassUtils.getPackageName(className)) && !className.contains("$$")
				&& !className.equals(LockOrders.class.getName()) && OTHERS.stream().noneMatch(className::startsWith);
	}

	/**
	 * Return the steps of the shortest circle, from the first lock back to it; empty if
	 * there is none.
	 */
	List<Step> inversion() {
		this.lock.lock();
		try {
			return this.steps.values()
				.stream()
				.flatMap((next) -> next.values().stream())
				.filter((step) -> !step.alphabetical())
				.map(this::circle)
				.filter((circle) -> !circle.isEmpty())
				.min(Comparator.comparing(List::size))
				.orElse(List.of());
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Return the shortest way back to where a step began, after that step.
	 */
	private List<Step> circle(Step first) {
		Map<String, Step> reachedBy = new HashMap<>();
		Deque<String> open = new ArrayDeque<>(List.of(first.to()));
		while (!open.isEmpty() && !reachedBy.containsKey(first.from())) {
			for (Step step : this.steps.getOrDefault(open.poll(), Map.of()).values()) {
				if (reachedBy.putIfAbsent(step.to(), step) == null) {
					open.add(step.to());
				}
			}
		}
		LinkedList<Step> circle = new LinkedList<>();
		for (Step step = reachedBy.get(first.from()); step != null; step = reachedBy.get(step.from())) {
			circle.addFirst(step);
			if (step.from().equals(first.to())) {
				circle.addFirst(first);
				return circle;
			}
		}
		return List.of();
	}

	/**
	 * A lock that was taken while another one was held.
	 *
	 * @param alphabetical whether that was in the order of the names of the locks
	 */
	record Step(String from, String to, String place, boolean alphabetical) {

		@Override
		public String toString() {
			return "'%s', then '%s': %s".formatted(Printable.of(this.from), Printable.of(this.to), this.place);
		}

	}

}
