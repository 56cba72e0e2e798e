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

package io.distributedlock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a scheduled method once for each of its fire times, on one of all instances.
 *
 * <pre class="code">
 * &#64;Scheduled(cron = "0 0 3 * * *", zone = "UTC")
 * &#64;OncePerFireTime("nightly-report")
 * public void writeReport() { … }
 * </pre>
 *
 * <p>
 * The method runs under a {@link DistributedLock} with this name, which is renewed. In
 * addition, the lock store keeps a record of the last fire time that was run. A call for
 * a fire time that is in the record is skipped, however short the run was. The clocks of
 * two instances may differ, by less than the time between two fire times.
 *
 * <p>
 * <b>Fire times</b> are those of {@code @Scheduled} on the method: of its {@code cron}
 * expressions, or of its {@code fixedRate}, counted from 1970. A {@code fixedDelay} has
 * none. A call counts for the latest fire time, or for the next one if that is nearer and
 * within five minutes. So only the scheduler should call the method: for calls at other
 * times, move the work to another method. If something else calls it, such as Quartz or a
 * message listener, an expression gives the {@link #fireTime()}.
 *
 * <p>
 * <b>At most once</b> is the default: a run that fails, or whose instance dies, is not
 * repeated. See {@link #catchUp()} and {@link #repeat()}. The record is as safe as the
 * lock store: if that loses its data, a fire time can be run again.
 *
 * <p>
 * A call that is skipped returns {@code null} or an empty result. Everything else is as
 * {@link DistributedLock} describes it.
 *
 * @since 0.1.0
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
@DistributedLock(autoRenew = true, onContention = OnContention.SKIP)
public @interface OncePerFireTime {

	/**
	 * Alias for {@link #name()}: exactly one, or none.
	 * @return the name
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "name")
	String[] value() default {};

	/**
	 * Exactly one name, that of the job and of its lock, which no other job has; several
	 * are rejected at start-up. The default, none, is the class and the name of the
	 * method. See {@link DistributedLock#name()}.
	 * @return the name
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "name")
	String[] name() default {};

	/**
	 * For how long after its fire time a job is run late, such as {@code "2h"}. If no
	 * instance was up at a fire time, if the run failed, or if its instance died, the job
	 * is run once more, by the instance that notices it first. A run that throws because
	 * its application stops does not count as one. Only the newest fire time is caught
	 * up. Late runs need {@code @Scheduled} on the method, and a {@code TaskScheduler}
	 * bean, as Spring Boot has it. The method then must not have parameters, be
	 * {@code @Async}, suspend or return a publisher, all of which are rejected at
	 * start-up, and its class must have exactly one bean: otherwise a warning says that
	 * nothing is run late. With a {@link #fireTime()}, which needs none of this, only a
	 * repeated call can be late. Formats as for {@link DistributedLock#timeoutString()},
	 * but a number needs a unit. The default, an empty text, is never: each fire time is
	 * run at most once.
	 * @return the time, or an empty text
	 */
	String catchUp() default "";

	/**
	 * Whether a run that failed, or whose instance died, is run once more within
	 * {@link #catchUp()}; {@code true} by default. If a second run does more harm than a
	 * missing one, write {@code false}: then only a fire time that no instance has begun
	 * is run late, and each is run at most once. Has no effect without
	 * {@link #catchUp()}.
	 * @return whether to repeat a run
	 */
	boolean repeat() default true;

	/**
	 * A SpEL expression for the fire time of a call, with the same variables as
	 * {@link DistributedLock#name()}: {@code "#context.scheduledFireTime"}. Its result is
	 * a {@link java.time.Instant}, a {@link java.util.Date}, a date and time with a zone
	 * or an offset, or the text of one of these in ISO 8601. The default, an empty text,
	 * means that of {@code @Scheduled}.
	 * @return the expression, or an empty text
	 */
	String fireTime() default "";

	/**
	 * The lease, a text that needs a unit, such as {@code "30s"}, as in
	 * {@link DistributedLock#timeoutString()}, where {@link DistributedLock#timeout()} is
	 * a number. If the instance dies during a run, the lock is free after this time.
	 * @return the lease, or an empty text for the configured one (30 s)
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "timeoutString")
	String timeout() default "";

	/**
	 * The longest time for which a run keeps the lock, a text that needs a unit, such as
	 * {@code "1h"}, as in {@link DistributedLock#maxHoldString()}, where
	 * {@link DistributedLock#maxHold()} is a number. Set it to at least twice your
	 * longest run, and to less than the time between two fire times, so that a run that
	 * hangs costs one fire time and not two. At least the {@link #timeout()}.
	 * @return the maximum hold, {@code "24h"} by default
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "maxHoldString")
	String maxHold() default "24h";

	/**
	 * What happens when the lock is lost during a run.
	 * @return the reaction
	 */
	@AliasFor(annotation = DistributedLock.class, attribute = "onLost")
	LossReaction onLost() default LossReaction.DEFAULT;

}
