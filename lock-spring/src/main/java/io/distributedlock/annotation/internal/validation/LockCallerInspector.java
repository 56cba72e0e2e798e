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

package io.distributedlock.annotation.internal.validation;

import java.lang.annotation.Annotation;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.distributedlock.LockOptions;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.annotation.RunsOnEveryInstance;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.internal.Printable;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.StringUtils;

/**
 * Inspects the caller of a locked method, as far as its other annotations reveal it. A
 * scheduler or an executor cannot handle a refusal as user code could, and does not
 * notice that work hangs.
 */
final class LockCallerInspector {

	static final String SCHEDULED = "org.springframework.scheduling.annotation.Scheduled";

	private static final String NO_SCHEDULE = "-";

	private static final String REQUEST_MAPPING = "org.springframework.web.bind.annotation.RequestMapping";

	private static final String EVENT_LISTENER = "org.springframework.context.event.EventListener";

	private static final String TRANSACTIONAL_EVENT_LISTENER = "org.springframework.transaction.event.TransactionalEventListener";

	/**
	 * The events of the start whose listeners end it by an exception.
	 */
	private static final Set<String> START = Set.of("org.springframework.boot.context.event.ApplicationReadyEvent",
			"org.springframework.boot.context.event.ApplicationStartedEvent",
			"org.springframework.context.event.ContextRefreshedEvent");

	private static final String MIN_HOLD_OF_CRON = "add minHold, longer than the clocks may differ and shorter than the time between two runs, as in minHoldString = \"5s\".";

	private static final String MIN_HOLD_OF_RATE = "add minHold, a little shorter than the period, and a timeout no shorter than that.";

	private final InspectedMethod method;

	private final Set<LockFinding> findings = new LinkedHashSet<>();

	private LockCallerInspector(InspectedMethod method) {
		this.method = method;
	}

	/**
	 * @param method a method whose definitions are valid
	 */
	static Set<LockFinding> of(InspectedMethod method) {
		LockCallerInspector inspector = new LockCallerInspector(method);
		inspector.inspect();
		return inspector.findings;
	}

	private void inspect() {
		AnnotatedMethod annotated = this.method.annotated();
		boolean async = annotated.isAsync();
		String caller = async ? "@Async" : null;
		Class<?> result = annotated.resultType();
		if (async && result != void.class && !Future.class.isAssignableFrom(result)
				&& !result.getName().equals("kotlin.Unit")) {
			warn("It is @Async and returns " + result.getSimpleName()
					+ ": Spring refuses to run such a method in another thread, and each call throws.",
					"Return void, or a CompletableFuture of the result.");
		}
		MergedAnnotations annotations = MergedAnnotations.from(annotated.method(), SearchStrategy.TYPE_HIERARCHY);
		refused(annotations.stream()
			.filter((annotation) -> annotation.getType().getName().equals(SCHEDULED))
			.<MergedAnnotation<?>>map((annotation) -> annotation)
			.toList());
		for (MergedAnnotation<Annotation> annotation : annotations) {
			String type = annotation.getType().getName();
			if (type.equals(SCHEDULED)) {
				caller = "@Scheduled";
				scheduled(annotation);
			}
			else if (type.equals(TRANSACTIONAL_EVENT_LISTENER)) {
				afterTransaction(annotation);
			}
			else if (type.equals(REQUEST_MAPPING)) {
				request();
			}
			else if (type.equals(EVENT_LISTENER) && !async) {
				start(annotation);
			}
		}
		if (caller != null) {
			endless(caller);
		}
	}

	private void endless(String caller) {
		this.method.locks()
			.stream()
			.filter((lock) -> lock.options().get().autoRenew() && lock.options().get().maxHold() == null)
			.findFirst()
			.ifPresent((lock) -> warn("It is " + caller
					+ " and renews its lease without a maxHold: work that hangs keeps the lock for as long as its instance lives.",
					"Add maxHold, longer than the work ever takes, as in %s = \"1h\". Or, with Spring Boot, set 'distributed-lock.defaults.max-hold'."
						.formatted(lock.scope().method().attribute("maxHoldString"))));
	}

	/**
	 * The scheduler does not look into a future, so nothing logs its failure. What a run
	 * that is skipped needs is told with it.
	 */
	private void refused(List<MergedAnnotation<?>> schedules) {
		if (schedules.isEmpty() || !isRefused()
				|| Future.class.isAssignableFrom(this.method.annotated().resultType())) {
			return;
		}
		String skip = "With a cron expression or a fixed rate, use @OncePerFireTime in place of @DistributedLock. Otherwise write onContention = OnContention.SKIP";
		boolean held = isAny((options) -> !options.minHold().isZero());
		warn("It is @Scheduled, and a run that finds the lock held throws a LockNotAcquiredException: every instance but one logs an ERROR for each run.",
				(!held && schedules.stream().anyMatch(LockCallerInspector::hasCron))
						? skip + ", and " + MIN_HOLD_OF_CRON
						: (!held && schedules.stream().anyMatch(LockCallerInspector::hasFixedRate))
								? skip + ", and " + MIN_HOLD_OF_RATE : skip + ".");
	}

	private void scheduled(MergedAnnotation<?> annotation) {
		fixedRate(annotation);
		boolean fires = hasCron(annotation);
		if ((fires || hasFixedRate(annotation)) && waits()
				&& !this.method.annotated().isAnnotated(RunsOnEveryInstance.class.getName())) {
			warn("It is @Scheduled, and waits for its lock: the instances do the work one after the other, each of them.",
					"Use @OncePerFireTime in place of @DistributedLock. If every instance is to do the work, say so with @RunsOnEveryInstance.");
		}
		if (fires && isWithoutMinHold()) {
			warn("It is @Scheduled with a cron expression, and its lock has no minHold: if the work takes less time than the clocks of two instances differ, both do it.",
					"Use @OncePerFireTime in place of @DistributedLock. Or " + MIN_HOLD_OF_CRON);
		}
	}

	/**
	 * Instances that begin at different times never meet.
	 */
	private void fixedRate(MergedAnnotation<?> annotation) {
		if (!hasFixedRate(annotation)) {
			return;
		}
		long rate = annotation.getLong("fixedRate");
		if (isWithoutMinHold()) {
			warn("It is @Scheduled with a fixed rate, and its lock has no minHold: instances that started at different times find the lock free, and each does the work in every period.",
					"Use @OncePerFireTime in place of @DistributedLock. Or " + MIN_HOLD_OF_RATE);
		}
		Duration period = Duration.of(rate, annotation.getEnum("timeUnit", TimeUnit.class).toChronoUnit());
		if (rate > 0 && isAny((options) -> options.minHold().compareTo(period) >= 0)) {
			warn("It is @Scheduled every %s, and the minHold of its lock is not shorter: the next run finds the lock held."
				.formatted(Printable.of(period)), "Choose a minHold that is a little shorter than the period.");
		}
	}

	private static boolean hasCron(MergedAnnotation<?> annotation) {
		String cron = annotation.getString("cron");
		return StringUtils.hasText(cron) && !cron.equals(NO_SCHEDULE);
	}

	private static boolean hasFixedRate(MergedAnnotation<?> annotation) {
		return annotation.getLong("fixedRate") >= 0 || StringUtils.hasText(annotation.getString("fixedRateString"));
	}

	private boolean waits() {
		return this.method.locks()
			.stream()
			.anyMatch((lock) -> lock.attributes().once() == null
					&& lock.options().get().waitTime().compareTo(lock.options().get().minHold()) > 0);
	}

	private void request() {
		if (this.method.isJob()) {
			warn("It answers requests, and one that is skipped is answered with status 200 and an empty body: the client assumes success.",
					"Move the job to a method of another bean that returns an Optional, and answer by whether it is empty: then the job was skipped.");
		}
		else if (this.method.locks()
			.stream()
			.anyMatch((lock) -> lock.attributes().onContention() == OnContention.SKIP)) {
			warn("It answers requests, and one that finds the lock held is skipped with status 200 and an empty body: the client assumes success.",
					"Remove onContention = OnContention.SKIP to answer with status 409. Or replace it by a fallbackMethod that gives the answer.");
		}
	}

	private void afterTransaction(MergedAnnotation<?> annotation) {
		boolean before = annotation.getValue("phase").map(Object::toString).filter("BEFORE_COMMIT"::equals).isPresent();
		if (isRefused() && !before) {
			warn("It is a @TransactionalEventListener, and an event that finds the lock held fails with a LockNotAcquiredException after the transaction: it is logged, and the publisher of the event does not learn of it.",
					"Set waitTime to longer than the lock is usually held. Or name a fallbackMethod that keeps the event for later.");
		}
	}

	private void start(MergedAnnotation<?> annotation) {
		List<Class<?>> events = List.of(annotation.getClassArray("classes"));
		Class<?>[] parameters = this.method.annotated().method().getParameterTypes();
		(events.isEmpty() ? Arrays.stream(parameters).limit(1) : events.stream())
			.filter((event) -> START.contains(event.getName()))
			.filter((event) -> isRefused())
			.forEach((event) -> warn("It listens to " + event.getSimpleName()
					+ ", and throws a LockNotAcquiredException if it finds the lock held, which aborts the start-up: if several instances start together, only one of them survives.",
					"Write onContention = OnContention.SKIP, or set waitTime if each instance is to run it."));
	}

	private boolean isRefused() {
		return this.method.locks()
			.stream()
			.anyMatch((lock) -> throwsIfHeld(lock) && lock.options().get().waitTime().isZero());
	}

	private static boolean throwsIfHeld(InspectedMethod.Lock lock) {
		return lock.attributes().onContention() != OnContention.SKIP
				&& !StringUtils.hasText(lock.attributes().fallbackMethod());
	}

	/**
	 * Listeners that wait are meant to run once in each instance.
	 */
	private boolean isWithoutMinHold() {
		return this.method.locks()
			.stream()
			.anyMatch((lock) -> !throwsIfHeld(lock) && lock.attributes().once() == null
					&& lock.options().get().waitTime().isZero() && lock.options().get().minHold().isZero());
	}

	private boolean isAny(Predicate<LockOptions> condition) {
		return this.method.locks().stream().anyMatch((lock) -> condition.test(lock.options().get()));
	}

	private void warn(String problem, String action) {
		this.findings.add(this.method.annotated().warning(problem, action));
	}

}
