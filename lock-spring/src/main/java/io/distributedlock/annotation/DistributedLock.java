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
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockMode;

import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method under a lock. By default, one call at a time has it, among all instances
 * and applications that share the lock store and its key prefix; {@link #permits()} and
 * {@link #mode()} let in more.
 *
 * <pre class="code">
 * &#64;DistributedLock(name = "pay:#{#userId}:#{#orderId}", timeout = 30)
 * public Receipt pay(long userId, String orderId) { … }
 * </pre>
 *
 * <p>
 * <b>Where.</b> On a method of a Spring bean, on its class, on an interface, or on
 * another annotation ({@link AliasFor @AliasFor} attributes are merged). An annotation on
 * the method, or on a method that it overrides or implements, takes precedence over one
 * on the class, and the class over its interfaces. On a class it applies to all methods
 * that are not private and not declared by {@link Object}.
 *
 * <p>
 * <b>When it applies.</b> To calls through the Spring proxy. It does not apply to
 * {@code this.method()}, to private or final methods, or to methods that Spring calls on
 * the bean itself ({@code @PostConstruct}, {@code @PreDestroy}, {@code @Bean} and the
 * like). The lock is inside {@code @Async} and {@code @Retryable} and outside
 * {@code @Transactional} and {@code @Cacheable}, so that it covers the commit. A lock
 * that is acquired within a running transaction is released after that transaction, and
 * the work of a returned future, have completed, unless the method has its own
 * transaction ({@code REQUIRES_NEW}) or none ({@code NOT_SUPPORTED}, {@code NEVER}).
 *
 * <p>
 * <b>How long.</b> Until the work of the method is done: until the method returns, the
 * future that it returns completes, or the subscription to its publisher ends. Cancelling
 * a future, or giving it a timeout, ends the wait for the lock; work that has begun
 * continues and keeps the lock. Cancelling a subscription or a coroutine cancels the
 * work.
 *
 * <p>
 * <b>If the lock is lost</b> during the work, for example because the work takes longer
 * than a lease that is not renewed, or the store does not answer for a whole lease, the
 * work goes on and may overlap with that of the next holder, unless {@link #onLost()}
 * stops it. A transaction that began under the lock, or in which it was acquired, then
 * rolls back with a {@link io.distributedlock.LockLostException}; one that is read-only,
 * and one that a reactive method begins itself, still commit. A holder that has not
 * noticed the loss can only be kept from writing: see {@link #fenced()}.
 *
 * <p>
 * <b>Exceptions.</b> Exceptions of the method reach the caller unchanged, regardless of
 * what happens when the lock is released. If the method does not run, the caller gets
 * {@link io.distributedlock.LockNotAcquiredException} if the lock is held elsewhere (see
 * {@link #onContention()} and {@link #fallbackMethod()}),
 * {@link io.distributedlock.LockUnavailableException} if the lock store cannot be
 * reached, {@link io.distributedlock.LockConfigurationException} if it refuses,
 * {@link io.distributedlock.LockInterruptedException} if the thread is interrupted,
 * {@link io.distributedlock.InvalidLockNameException} if the evaluated name cannot be a
 * lock name. If the lock was lost, it gets a
 * {@link io.distributedlock.LockLostException}, as {@link #onLost()} and transactions
 * say. A definition that can never work is rejected at bean creation with an
 * {@link InvalidLockDefinitionException}.
 *
 * <p>
 * <b>The handle.</b> A parameter of type {@link io.distributedlock.LockHandle} receives
 * the handle of the lock, regardless of the argument that the caller passes (usually
 * {@code null}). It receives {@code null} if the {@link #condition()} is false.
 *
 * <p>
 * Durations that are not set here come from {@code distributed-lock.defaults.*}. All
 * durations can be overridden for one lock with {@code distributed-lock.locks.<name>.*},
 * where the name is the literal name or else {@code SimpleClassName.method}. Meters use
 * the same name.
 *
 * @since 0.1.0
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
@Repeatable(DistributedLocks.class)
public @interface DistributedLock {

	/**
	 * Alias for {@link #name()}.
	 * @return the name, or names
	 */
	@AliasFor("name")
	String[] value() default {};

	/**
	 * The name of the lock. The default is the name of the method,
	 * {@code fully.qualified.Class.method}, with the class of the bean; overloaded
	 * methods share it.
	 * <p>
	 * <code>${…}</code> placeholders are resolved first, once. Their values become part
	 * of the expression: configuration is trusted. Arguments are not trusted and are
	 * never evaluated as expressions. Then
	 * <ul>
	 * <li>text with <code>#{…}</code> is a template: <code>pay:#{#orderId}</code>,</li>
	 * <li>text with {@code #variable}, {@code @bean} or {@code T(…)}, with a quoted text
	 * next to a {@code +}, or that starts with a quotation mark or a property of the root
	 * object ({@code targetClass.}, {@code target.}, {@code method.}, {@code args[}), is
	 * a SpEL expression: {@code 'pay:' + #order.id},</li>
	 * <li>other text is the name.</li>
	 * </ul>
	 * Arguments have the names of the parameters of the annotated method or of the bean's
	 * method (requires {@code -parameters}), or {@code #p0}, {@code #a0} and so on.
	 * {@code #root} has {@code method}, {@code target}, {@code targetClass} and
	 * {@code args}.
	 * <p>
	 * With several names, or an expression that returns a collection or an array, all
	 * locks are acquired in sorted order, all or none, within one shared wait.
	 * <p>
	 * A value has the same text in every instance, however the expression is written: an
	 * enum constant uses its {@code name()}, a {@link java.util.Date} or
	 * {@link java.util.Calendar} its instant, an {@link java.util.Optional} the text of
	 * its content, and any other object its {@code toString()}. The following are
	 * rejected with an {@link io.distributedlock.InvalidLockNameException}: {@code null},
	 * an empty {@code Optional}, a blank text, an empty collection, a map, and an object
	 * whose text would differ between instances because it does not override
	 * {@code toString()} or its text contains an array. These rules apply to each part of
	 * a name that is composed with {@code +} or <code>#{…}</code>; a collection or an
	 * array cannot be such a part.
	 * @return the name, or names
	 */
	@AliasFor("value")
	String[] name() default {};

	/**
	 * The lease, a number in {@link #timeUnit()}, where {@link OncePerFireTime#timeout()}
	 * is a text with a unit: the time to live of the lock in the store. When it ends, a
	 * lock that was neither renewed nor released, for example because its instance died,
	 * becomes free. It does not limit the wait; see {@link #waitTime()}. The default,
	 * {@link Long#MIN_VALUE}, means {@code distributed-lock.defaults.timeout} (30 s).
	 * Other negative numbers are rejected.
	 * @return the lease, at least 10 ms, or {@link Long#MIN_VALUE}
	 */
	long timeout() default Long.MIN_VALUE;

	/**
	 * The lease as text, in place of {@link #timeout()}. A number with a unit
	 * ({@code "30s"}, {@code "1m30s"}), an ISO 8601 duration ({@code "PT30S"}), a number
	 * in {@link #timeUnit()}, or a <code>${…}</code> placeholder or <code>#{…}</code>
	 * expression, which knows beans but not the arguments, for one of these.
	 * @return the lease, or an empty text
	 */
	String timeoutString() default "";

	/**
	 * How long to wait for a lock that is held elsewhere, in {@link #timeUnit()}. Zero
	 * means one attempt. The default, {@link Long#MIN_VALUE}, means
	 * {@code distributed-lock.defaults.wait-time} (zero). Other negative numbers are
	 * rejected.
	 * @return the wait, or {@link Long#MIN_VALUE}
	 */
	long waitTime() default Long.MIN_VALUE;

	/**
	 * The wait as text, in place of {@link #waitTime()}. Formats as for
	 * {@link #timeoutString()}.
	 * @return the wait, or an empty text
	 */
	String waitTimeString() default "";

	/**
	 * The unit of the numbers, here and in texts without a unit. Seconds by default.
	 * @return the unit
	 */
	TimeUnit timeUnit() default TimeUnit.SECONDS;

	/**
	 * Whether the lease is renewed while the method runs. {@code true} enables renewal
	 * for this method. {@code false}, the default, leaves it to the configuration:
	 * {@code distributed-lock.defaults.auto-renew} (false) and
	 * {@code distributed-lock.locks.<name>.auto-renew}. The latter can also disable it.
	 * @return whether to renew
	 */
	boolean autoRenew() default false;

	/**
	 * The time between two renewals, in {@link #timeUnit()}, at most half of the lease.
	 * The default, {@link Long#MIN_VALUE}, means the configured interval, or a third of
	 * the lease. Does not enable renewal.
	 * @return the interval, or {@link Long#MIN_VALUE}
	 */
	long renewInterval() default Long.MIN_VALUE;

	/**
	 * The time between two renewals as text, in place of {@link #renewInterval()}.
	 * Formats as for {@link #timeoutString()}.
	 * @return the interval, or an empty text
	 */
	String renewIntervalString() default "";

	/**
	 * The reaction when the lock is held elsewhere and the wait is over, unless there is
	 * a {@link #fallbackMethod()}.
	 * @return the reaction
	 */
	OnContention onContention() default OnContention.THROW;

	/**
	 * The name of a method of the same class, of any visibility, to call instead of this
	 * one when the lock is held elsewhere and the wait is over. It takes the same
	 * parameters, optionally without the {@link io.distributedlock.LockHandle}, and
	 * optionally a {@link io.distributedlock.LockNotAcquiredException} (or a supertype)
	 * as the last one. It is called on the bean itself, not through its proxy.
	 * <p>
	 * It applies to contention only: if the store cannot be reached, the
	 * {@link io.distributedlock.LockUnavailableException} reaches the caller.
	 * @return the name of the method, or an empty text for none
	 */
	String fallbackMethod() default "";

	/**
	 * The minimum time for which the lock stays taken after its acquisition, in
	 * {@link #timeUnit()}, even if the method returns earlier. At most the lease. Applies
	 * only if the method returns normally: after an exception the lock is released
	 * immediately, so that the call can be repeated. The default, {@link Long#MIN_VALUE},
	 * means {@code distributed-lock.defaults.min-hold} (none).
	 * @return the minimum hold, or {@link Long#MIN_VALUE}
	 */
	long minHold() default Long.MIN_VALUE;

	/**
	 * The minimum hold as text, in place of {@link #minHold()}. Formats as for
	 * {@link #timeoutString()}.
	 * @return the minimum hold, or an empty text
	 */
	String minHoldString() default "";

	/**
	 * The maximum time for which the lock is renewed, a number in {@link #timeUnit()},
	 * where {@link OncePerFireTime#maxHold()} is a text with a unit, so that a stuck
	 * method does not hold it forever. At least the lease. The default,
	 * {@link Long#MIN_VALUE}, means {@code distributed-lock.defaults.max-hold} (no
	 * limit).
	 * @return the maximum hold, or {@link Long#MIN_VALUE}
	 */
	long maxHold() default Long.MIN_VALUE;

	/**
	 * The maximum hold as text, in place of {@link #maxHold()}. Formats as for
	 * {@link #timeoutString()}.
	 * @return the maximum hold, or an empty text
	 */
	String maxHoldString() default "";

	/**
	 * What happens when the lock is lost while the method runs.
	 * @return the reaction to a loss
	 */
	LossReaction onLost() default LossReaction.DEFAULT;

	/**
	 * Whether the transactions that begin under the lock are fenced: the first statement
	 * of each claims the fence of the lock in the same database, and fails with a
	 * {@code StaleLockException} if a later holder has claimed it. A holder that has lost
	 * its lock without noticing then cannot commit after the next one has begun.
	 * Read-only transactions claim nothing. Requires {@code lock-fencing} and a data
	 * source. The method, or its class, must be {@code @Transactional}, and must not
	 * return a reactive type; otherwise claim with {@code Fences.claim}.
	 * @return whether to fence
	 */
	boolean fenced() default false;

	/**
	 * How many calls may hold the lock at the same time, on all instances together.
	 * Protects a resource that cannot serve all callers at the same time, such as an
	 * export or the API of a model. Each call states how many holders it accepts, itself
	 * included, and never holds the lock together with more: while instances with other
	 * permits are being replaced, the smallest number applies. Everything else applies to
	 * each holder as to a single one.
	 * <p>
	 * Cannot be combined with {@link #fenced()}, because fencing tokens cannot keep
	 * several writers apart, or with {@link LockMode#SHARED}. The default,
	 * {@link Integer#MIN_VALUE}, means {@code distributed-lock.locks.<name>.permits} (1).
	 * @return the permits, at least 1, or {@link Integer#MIN_VALUE}
	 */
	int permits() default Integer.MIN_VALUE;

	/**
	 * The permits as text, in place of {@link #permits()}: a number, a <code>${…}</code>
	 * placeholder for one, or a SpEL expression with the same variables as
	 * {@link #name()}, which is evaluated for each call:
	 * <code>#tenant.parallelExports</code>.
	 * @return the permits, or an empty text
	 */
	String permitsString() default "";

	/**
	 * Whether any number of other calls may hold the lock at the same time. Use
	 * {@link LockMode#SHARED} for calls that only read: shared calls run side by side,
	 * but never while a call holds the lock exclusively. Shared calls do not overtake a
	 * call that waits for the exclusive lock. A call that holds the lock shared cannot
	 * acquire it exclusively: it fails with a
	 * {@link io.distributedlock.LockConfigurationException}, because two such calls would
	 * wait for each other forever. A call that holds the lock exclusively may also
	 * acquire it shared.
	 * @return the mode
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * A SpEL expression with a boolean result, with the same variables as
	 * {@link #name()}; <code>${…}</code> placeholders are resolved first. If it is false
	 * the method runs <em>without the lock</em>. The default, an empty text, is always
	 * true.
	 * @return the condition, or an empty text
	 */
	String condition() default "";

}
