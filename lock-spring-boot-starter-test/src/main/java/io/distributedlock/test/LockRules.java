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

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLocks;

/**
 * ArchUnit rules. ArchUnit must be on the class path.
 *
 * @since 0.1.0
 */
public final class LockRules {

	private LockRules() {
	}

	/**
	 * No class calls one of its own locked methods: such a call does not go through the
	 * proxy, and the lock is not applied. A call on another object of the same class
	 * cannot be distinguished from one on {@code this} and is reported as well. Do not
	 * use this rule in applications that weave with AspectJ.
	 * @return the rule
	 */
	public static ArchRule noSelfInvocation() {
		return ArchRuleDefinition.noClasses()
			.should()
			.callCodeUnitWhere(new OwnLockedMethod())
			.because("a call that does not go through the proxy of the bean runs without the lock")
			.allowEmptyShould(true);
	}

	/**
	 * A call of a locked method by its own class.
	 */
	private static final class OwnLockedMethod extends DescribedPredicate<JavaCall<?>> {

		OwnLockedMethod() {
			super("a @DistributedLock method of the same class");
		}

		@Override
		public boolean test(JavaCall<?> call) {
			return call.getOriginOwner().isAssignableTo(call.getTargetOwner().getName()) && call.getTarget()
				.resolveMember()
				.filter((member) -> member.isMetaAnnotatedWith(DistributedLock.class)
						|| member.isAnnotatedWith(DistributedLock.class)
						|| member.isAnnotatedWith(DistributedLocks.class))
				.isPresent();
		}

	}

}
