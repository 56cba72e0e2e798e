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

import java.lang.reflect.Method;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.annotation.internal.LockedCall;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

/**
 * Applies {@link DistributedLock @DistributedLock} with AspectJ, through load-time or
 * compile-time weaving. Covers calls within a bean, private, final and static methods,
 * and objects that are not beans. A call that comes through a proxy already has its locks
 * and does not lock twice. {@code META-INF/aop.xml} names this class, so that a weaving
 * agent suffices.
 *
 * <p>
 * The annotation must be visible in the byte code: on the method, on its class, or on the
 * supertype that declares the method; also as a meta-annotation of another annotation
 * (one level). An annotation on the <em>method</em> of a supertype that a method
 * implements or overrides is applied only by proxies, as are those of Kotlin's suspending
 * functions.
 *
 * <p>
 * Do not register this class as a bean: the {@link LockedMethodRegistry} of the running
 * application configures it. A woven method that is called without a running application
 * throws an {@link IllegalStateException} and does not run. See
 * {@link LockedMethodRegistry#withoutLocks()} for applications without locks.
 *
 * @since 0.1.0
 */
@Aspect
@DeclarePrecedence("io.distributedlock.annotation.DistributedLockAspect, org.springframework.transaction..*, org.springframework.cache..*")
public final class DistributedLockAspect {

	private static final String ON_METHOD = "execution(@io.distributedlock.annotation.DistributedLock * *(..))"
			+ " || execution(@io.distributedlock.annotation.DistributedLocks * *(..))"
			+ " || execution(@(@io.distributedlock.annotation.DistributedLock *) * *(..))"
			+ " || execution(@(@io.distributedlock.annotation.DistributedLocks *) * *(..))";

	private static final String ON_TYPE = "execution(!private !static * (@io.distributedlock.annotation.DistributedLock *).*(..))"
			+ " || execution(!private !static * (@io.distributedlock.annotation.DistributedLocks *).*(..))"
			+ " || execution(!private !static * (@(@io.distributedlock.annotation.DistributedLock *) *).*(..))"
			+ " || execution(!private !static * (@(@io.distributedlock.annotation.DistributedLocks *) *).*(..))";

	/**
	 * A suspending function is executed again each time it resumes.
	 */
	private static final String SUSPENDING = "execution(* *(.., kotlin.coroutines..Continuation))";

	/**
	 * Proxies override, or implement, the woven methods of their beans. The JDK's
	 * annotations are proxies as well.
	 */
	private static final String IN_PROXY = "within(java.lang.reflect.Proxy+) || within(*..*$$SpringCGLIB$$*)";

	/**
	 * Run a method under its locks.
	 * @param joinPoint the execution of the method
	 * @return the result of the method
	 * @throws Throwable the exception of the method, or a lock exception
	 */
	@Around("(" + ON_METHOD + " || " + ON_TYPE + ") && !" + SUSPENDING + " && !(" + IN_PROXY + ")")
	public @Nullable Object lock(ProceedingJoinPoint joinPoint) throws Throwable {
		Method method = ((MethodSignature) joinPoint.getSignature()).getMethod();
		Object target = joinPoint.getThis();
		if (ForwardedCall.isCurrent(method, target)) {
			return ForwardedCall.arrive(joinPoint::proceed);
		}
		LockedMethod locked = WovenMethodResolver.find(method,
				(target != null) ? target.getClass() : method.getDeclaringClass());
		return (locked != null) ? locked.invoke(new WovenCall(joinPoint, joinPoint.getArgs(), new ReentrantLock()))
				: joinPoint.proceed();
	}

	/**
	 * A call that reached the method without a proxy.
	 *
	 * @param turn who may change the arguments that the join point keeps: subscriptions
	 * share it
	 */
	private record WovenCall(ProceedingJoinPoint joinPoint, @Nullable Object[] arguments,
			Lock turn) implements LockedCall {

		@Override
		public @Nullable Object target() {
			return this.joinPoint.getThis();
		}

		@Override
		public @Nullable Object proceed(@Nullable Object[] arguments) throws Throwable {
			if (arguments == this.arguments) {
				return this.joinPoint.proceed();
			}
			this.turn.lock();
			try {
				return this.joinPoint.proceed(arguments);
			}
			finally {
				this.turn.unlock();
			}
		}

	}

}
