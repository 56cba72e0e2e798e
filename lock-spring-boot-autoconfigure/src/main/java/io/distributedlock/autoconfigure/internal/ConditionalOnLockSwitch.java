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

package io.distributedlock.autoconfigure.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if all of the given switches are on.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Conditional(ConditionalOnLockSwitch.OnSwitch.class)
public @interface ConditionalOnLockSwitch {

	/**
	 * The switches.
	 */
	LockSwitch[] value();

	/**
	 * Evaluates the switches in their order, until one is off.
	 */
	final class OnSwitch extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnLockSwitch.class);
			for (LockSwitch each : metadata.getAnnotations()
				.get(ConditionalOnLockSwitch.class)
				.getEnumArray("value", LockSwitch.class)) {
				if (!each.isOn(context.getEnvironment())) {
					return ConditionOutcome.noMatch(message.because(each.property() + " is false"));
				}
			}
			return ConditionOutcome.match(message.because("nothing is switched off"));
		}

	}

}
