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

package io.distributedlock.scheduling.internal;

import java.lang.reflect.Method;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.ReactiveTypes;
import io.distributedlock.annotation.internal.WorkGuards;
import io.distributedlock.internal.DaemonThread;
import io.distributedlock.internal.DeclaredJobs;
import io.distributedlock.internal.Printable;
import io.distributedlock.internal.WallClock;
import io.distributedlock.scheduling.JobRun;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

/**
 * The jobs of an application. Finds their fire times when their beans are created, and
 * starts to catch up when the application has started.
 */
public final class Jobs implements WorkGuards, DeclaredJobs {

	private static final Log logger = LogFactory.getLog(OncePerFireTime.class);

	private static final Set<String> RETRYABLE = Set.of("org.springframework.resilience.annotation.Retryable",
			"org.springframework.retry.annotation.Retryable");

	private static final AtomicLong CALLS = new AtomicLong();

	private static final String LEADER_ONLY = "io.distributedlock.leadership.annotation.LeaderOnly";

	private final ConfigurableListableBeanFactory beanFactory;

	private final StringValueResolver resolver;

	private final ObjectProvider<TaskScheduler> schedulers;

	private final Job.Surroundings surroundings;

	private final Map<AnnotatedMethod, Job> jobs = new ConcurrentHashMap<>();

	private volatile boolean running;

	/**
	 * Create a new instance.
	 * @param beanFactory has the beans of the jobs, and resolves placeholders
	 * @param schedulers the scheduler for late runs
	 * @param instance the name of this instance
	 * @param listener is told what happened
	 * @param stopping whether the application stops
	 */
	public Jobs(ConfigurableListableBeanFactory beanFactory, ObjectProvider<TaskScheduler> schedulers,
			Supplier<String> instance, WallClock clock, Consumer<JobRun> listener, BooleanSupplier stopping) {
		this.beanFactory = beanFactory;
		this.resolver = new EmbeddedValueResolver(beanFactory);
		this.schedulers = schedulers;
		this.surroundings = new Job.Surroundings(instance, clock, CALLS::incrementAndGet,
				() -> ThreadLocalRandom.current().nextDouble(), Jobs::pause, listener, stopping);
	}

	/**
	 * In a thread of its own: the only one of the application's scheduler may wait for
	 * the end of the pause, and what follows may run code of the application.
	 */
	private static CompletableFuture<?> pause(Duration time) {
		return CompletableFuture.runAsync(() -> LockSupport.parkNanos(time.toNanos()),
				(task) -> new DaemonThread(task, "distributed-lock-job").start());
	}

	@Override
	public Guarded of(AnnotatedMethod method, Attributes attributes) {
		boolean scheduled = attributes.fireTime() == null;
		Schedule schedule = scheduled ? scheduleOf(method) : Schedule.NEVER;
		checkAnnotations(method, attributes.catchUp());
		if (attributes.catchUp() != null) {
			checkCatchUp(method, scheduled, attributes.catchUp());
		}
		Job job = new Job(method, attributes, schedule, this.surroundings);
		this.jobs.values()
			.stream()
			.filter((other) -> attributes.name() != null && attributes.name().equals(other.literalName())
					&& !other.method().equals(method))
			.findFirst()
			.ifPresent((other) -> {
				throw method.invalid("name", job.name(),
						"%s has this name as well: a fire time that one of them has run would not be run by the other."
							.formatted(other.location()),
						"Give each job a name of its own.");
			});
		Job known = this.jobs.putIfAbsent(method, job);
		if (known == null && this.running) {
			startLateRuns(job);
		}
		return (known != null) ? known : job;
	}

	private Schedule scheduleOf(AnnotatedMethod method) {
		List<Schedule> schedules = new ArrayList<>();
		for (Scheduled scheduled : AnnotatedElementUtils.findMergedRepeatableAnnotations(method.method(),
				Scheduled.class, Schedules.class)) {
			if (scheduled.fixedDelay() >= 0 || !scheduled.fixedDelayString().isEmpty()) {
				throw method.invalid("", "",
						"Its @Scheduled has a fixedDelay, so its fire times depend on its runs, and differ between instances.",
						"Use a cron expression or a fixedRate. Or use @DistributedLock with onContention = OnContention.SKIP and a minHold.");
			}
			Schedule schedule = StringUtils.hasText(scheduled.cron()) ? cron(method, scheduled)
					: rate(method, scheduled);
			if (schedule != null) {
				schedules.add(schedule);
			}
		}
		if (schedules.isEmpty()) {
			throw method.invalid("", "",
					"Its fire times are unknown: it has no @Scheduled with a cron expression or a fixedRate.",
					"Add @Scheduled. If another method that is @Scheduled calls this one, move the annotation there. If something else calls it, give its fire time, as in fireTime = \"#context.scheduledFireTime\".");
		}
		return Schedule.All.of(schedules);
	}

	/** A method may be disabled, and is then called by nobody. */
	private Schedule cron(AnnotatedMethod method, Scheduled scheduled) {
		String cron = resolve(scheduled.cron());
		if (cron.isEmpty() || cron.equals(Scheduled.CRON_DISABLED)) {
			return Schedule.NEVER;
		}
		String zone = resolve(scheduled.zone());
		Schedule schedule;
		try {
			schedule = new Schedule.Cron(CronExpression.parse(cron),
					zone.isEmpty() ? ZoneId.systemDefault() : StringUtils.parseTimeZoneString(zone).toZoneId(),
					!zone.isEmpty());
		}
		catch (IllegalArgumentException | DateTimeException ex) {
			throw method.invalid("", "", "Its @Scheduled has no fire times: " + ex.getMessage() + ".",
					"Correct the cron expression, or the zone.", ex);
		}
		if (schedule.next(this.surroundings.clock().now()) == null) {
			throw method.invalid("", "", "Its cron expression '" + Printable.of(cron) + "' never fires.",
					"Correct the cron expression.");
		}
		return schedule;
	}

	private @Nullable Schedule rate(AnnotatedMethod method, Scheduled scheduled) {
		TimeUnit unit = scheduled.timeUnit();
		Duration period = null;
		if (scheduled.fixedRate() >= 0) {
			period = Duration.of(scheduled.fixedRate(), unit.toChronoUnit());
		}
		String text = resolve(scheduled.fixedRateString());
		if (!text.isEmpty()) {
			try {
				period = DurationFormatterUtils.detectAndParse(text,
						DurationFormat.Unit.fromChronoUnit(unit.toChronoUnit()));
			}
			catch (IllegalArgumentException | ArithmeticException ex) {
				throw method.invalid("", "",
						"The fixedRate '" + Printable.of(text) + "' of its @Scheduled is no duration.", "Correct it.",
						ex);
			}
		}
		if (period == null) {
			return null;
		}
		if (period.toMillis() < 1) {
			throw method.invalid("", "", "The fixedRate of its @Scheduled is less than a millisecond.",
					"Use a longer one.");
		}
		return new Schedule.Rate(period.toMillis());
	}

	private String resolve(String text) {
		String resolved = text.isEmpty() ? text : this.resolver.resolveStringValue(text);
		return (resolved != null) ? resolved.strip() : "";
	}

	/**
	 * They decide outside of the lock whether the method is called, and again.
	 */
	private static void checkAnnotations(AnnotatedMethod method, @Nullable Duration catchUp) {
		for (MergedAnnotation<?> annotation : MergedAnnotations.from(method.method(),
				MergedAnnotations.SearchStrategy.TYPE_HIERARCHY)) {
			String type = annotation.getType().getName();
			if (RETRYABLE.contains(type)) {
				throw method.invalid("", "",
						"It is @Retryable, and another attempt for the same fire time is skipped, as if it had succeeded.",
						"Let the method call a @Retryable method of another bean. Or use catchUp in its place.");
			}
			if (catchUp != null && type.equals(LEADER_ONLY)) {
				throw method.invalid("catchUp", Printable.of(catchUp),
						"It is @LeaderOnly as well: the other instances never learn that a run did not end.",
						"Remove one of the two.");
			}
		}
	}

	private static void checkCatchUp(AnnotatedMethod method, boolean scheduled, Duration horizon) {
		String text = Printable.of(horizon);
		if (horizon.isNegative() || horizon.isZero()) {
			throw method.invalid("catchUp", text, "A run can be late only by a positive time.",
					"Write for example \"2h\", or remove catchUp.");
		}
		if (!scheduled) {
			return;
		}
		if (method.isAsync() || method.isSuspending() || ReactiveTypes.adapterFor(method) != null) {
			throw method.invalid("catchUp", text,
					"The method is @Async, a suspending function, or returns a publisher: it is not known for which fire time a late run is.",
					method.isAsync() ? "Remove @Async: the scheduler's thread then does the work. Or remove catchUp."
							: "Let the method do its work before it returns. Or remove catchUp.");
		}
		if (method.method().getParameterCount() > 0) {
			throw method.invalid("catchUp", text, "The method has parameters, and a late run has no arguments.",
					"Remove the parameters: LockContext.current() has the handle.");
		}
	}

	/**
	 * Run a job on behalf of another instance, without its work and without telling
	 * anybody. For tests.
	 * @param handle the hold of that instance on the lock of the job
	 * @param instance the name of that instance
	 * @return a future of whether the fire time had to be run
	 * @throws java.util.NoSuchElementException if there is no job with the name of the
	 * lock
	 */
	public CompletableFuture<Boolean> runWithoutWork(LockHandle handle, Instant fireTime, String instance) {
		return this.jobs.values()
			.stream()
			.filter((job) -> handle.name().equals(job.literalName()))
			.findFirst()
			.orElseThrow()
			.runWithoutWork(handle, fireTime, instance);
	}

	@Override
	public List<DeclaredJob> jobs() {
		return this.jobs.values()
			.stream()
			.filter((job) -> job.literalName() != null)
			.<DeclaredJob>map((job) -> job)
			.sorted(Comparator.comparing(DeclaredJob::name))
			.toList();
	}

	@Override
	public Set<String> declaredNames() {
		return this.jobs.values().stream().map(Job::declaredName).collect(Collectors.toSet());
	}

	/**
	 * The application runs: begin to catch up.
	 */
	public void start() {
		this.running = true;
		boolean none = tellWithoutScheduling();
		tellZone();
		tellLongHolds();
		if (!none) {
			this.jobs.values().forEach(this::startLateRuns);
		}
	}

	/**
	 * Without the annotation, Spring does not look at {@code @Scheduled}, and says
	 * nothing.
	 * @return whether no late runs are possible either
	 */
	private boolean tellWithoutScheduling() {
		List<String> names = namesOf(Job::isScheduled);
		if (names.isEmpty() || this.beanFactory.getBeanNamesForType(ScheduledAnnotationBeanPostProcessor.class, true,
				false).length > 0) {
			return false;
		}
		boolean late = scheduler() != null;
		logger.warn(
				"Spring calls no @Scheduled method on this instance, so these jobs are not called here at their fire times%s: %s. Add @EnableScheduling to a configuration class, unless only other instances are to run them."
					.formatted(late ? "" : ", nor late", String.join(", ", names)));
		return !late;
	}

	private List<String> namesOf(Predicate<Job> filter) {
		return this.jobs.values()
			.stream()
			.filter(filter)
			.map((job) -> "'" + Printable.of(job.name()) + "'")
			.sorted()
			.toList();
	}

	/**
	 * If the zones of two instances differ, at least one of them is not UTC, and says so.
	 * That is no warning: where all instances have the same zone, nothing is wrong.
	 */
	private void tellZone() {
		ZoneId zone = ZoneId.systemDefault();
		List<String> names = namesOf(Job::isInDefaultZone);
		if (!names.isEmpty() && !zone.normalized().equals(ZoneOffset.UTC)) {
			logger.info(
					"Jobs with a cron expression without a zone fire in %s, the default zone of this JVM: %s. If the default zone of another instance differs, the job runs twice. Add a zone to @Scheduled, as in zone = \"UTC\"."
						.formatted(zone.getId(), String.join(", ", names)));
		}
	}

	/** That is no warning: few runs hang. */
	private void tellLongHolds() {
		List<String> names = namesOf(Job::isLongByDefault);
		if (!names.isEmpty()) {
			logger.info(
					"These jobs keep their locks for a day if a run hangs, and no instance runs them meanwhile: %s. Set maxHold to at least twice the longest run."
						.formatted(String.join(", ", names)));
		}
		List<String> unrepeated = namesOf(Job::isRepeatedOnlyAfterCrash);
		if (!unrepeated.isEmpty()) {
			logger.info(
					"A run of these jobs is repeated if its instance dies, but not if it hangs, because their catchUp is not longer than their maxHold: %s. Set catchUp to more than maxHold and the lease together."
						.formatted(String.join(", ", unrepeated)));
		}
	}

	private void startLateRuns(Job job) {
		if (job.catchUp() == null || job.isWithoutSchedule()) {
			return;
		}
		TaskScheduler scheduler = scheduler();
		List<String> beans = beansOf(job.method().targetClass());
		if (scheduler == null || beans.size() != 1) {
			logger.warn("Job '%s' is not run late on this instance, although it has catchUp: %s"
				.formatted(Printable.of(job.name()), (scheduler == null)
						? "there is no TaskScheduler bean. Add @EnableScheduling with Spring Boot, or define one ThreadPoolTaskScheduler."
						: beans.isEmpty()
								? "its class has no bean definition. Declare the bean with @Bean or @Component."
								: "several beans have it (%s), and one of them runs each fire time. Declare one bean."
									.formatted(String.join(", ", beans))));
			return;
		}
		job.lateRuns().start(scheduler, () -> call(beans.get(0), job.method().method()));
	}

	private @Nullable TaskScheduler scheduler() {
		TaskScheduler only = this.schedulers.getIfUnique();
		return (only == null && this.beanFactory.containsBean("taskScheduler"))
				? this.beanFactory.getBean("taskScheduler", TaskScheduler.class) : only;
	}

	private List<String> beansOf(Class<?> type) {
		return Arrays.stream(this.beanFactory.getBeanDefinitionNames()).filter((name) -> {
			Class<?> target = ScopedProxyUtils.isScopedTarget(name) ? null
					: AutoProxyUtils.determineTargetClass(this.beanFactory, name);
			return target != null && ClassUtils.getUserClass(target) == type;
		}).toList();
	}

	/** Through the proxy, as the scheduler calls it. */
	private @Nullable Object call(String name, Method method) {
		Object bean = this.beanFactory.getBean(name);
		Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
		ReflectionUtils.makeAccessible(invocable);
		return ReflectionUtils.invokeMethod(invocable, bean);
	}

	/**
	 * The application stops: run nothing late any more.
	 */
	public void stop() {
		this.running = false;
		this.jobs.values().forEach((job) -> job.lateRuns().stop());
	}

}
