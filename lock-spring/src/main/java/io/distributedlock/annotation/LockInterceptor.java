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

import io.distributedlock.annotation.internal.LockWeaving;
import io.distributedlock.annotation.internal.LockedCall;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.SpringProxy;

/**
 * Runs the calls that come through a proxy under the locks of their method. If two
 * auto-proxy creators have made a proxy of a proxy, the outer one takes the locks.
 */
final class LockInterceptor implements MethodInterceptor {

	private static final boolean WOVEN = LockWeaving.isActive();

	/** Only then there can be a call that has its locks already. */
	private static volatile boolean forwards = WOVEN;

	private final LockedMethodSource source;

	LockInterceptor(LockedMethodSource source) {
		this.source = source;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		if (forwards && invocation instanceof ProxyMethodInvocation proxied
				&& ForwardedCall.isCurrent(invocation.getMethod(), proxied.getProxy())) {
			return ForwardedCall.forward(invocation.getMethod(), target, invocation::proceed);
		}
		Class<?> targetClass = (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
		LockedMethod method = this.source.find(invocation.getMethod(), targetClass);
		return (method != null) ? method.invoke(new ProxiedCall(invocation, method)) : invocation.proceed();
	}

	private record ProxiedCall(MethodInvocation invocation, LockedMethod method) implements LockedCall {

		@Override
		public @Nullable Object target() {
			return this.invocation.getThis();
		}

		@Override
		public @Nullable Object[] arguments() {
			return this.invocation.getArguments();
		}

		@Override
		public @Nullable Object proceed(@Nullable Object[] arguments) throws Throwable {
			if (arguments != this.invocation.getArguments()
					&& this.invocation instanceof ProxyMethodInvocation proxyInvocation) {
				proxyInvocation.setArguments(arguments);
			}
			if (!WOVEN && !(this.invocation.getThis() instanceof SpringProxy)) {
				return this.invocation.proceed();
			}
			forwards = true;
			return ForwardedCall.forward(this.method.annotated().method(), this.invocation.getThis(),
					this.invocation::proceed);
		}

		@Override
		public LockedCall fork() {
			return (this.invocation instanceof ProxyMethodInvocation proxyInvocation)
					? new ProxiedCall(proxyInvocation.invocableClone(), this.method) : this;
		}

	}

}
