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

package io.distributedlock.annotation.internal;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AbstractBeanFactoryPointcutAdvisor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;

/**
 * Moves advice that other post-processors have appended to a proxy to the outside of its
 * locks: the validation of arguments, and whatever has a lower order than the locks. An
 * invalid or unauthorized call must neither wait for a lock nor be skipped.
 *
 * <p>
 * Without an order of its own, so that it comes after those post-processors.
 */
public final class LockOrderPostProcessor implements BeanPostProcessor {

	private static final String VALIDATION = "org.springframework.validation.beanvalidation.MethodValidationInterceptor";

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof Advised proxy && !proxy.isFrozen()) {
			reorder(proxy);
		}
		return bean;
	}

	private static void reorder(Advised proxy) {
		RegisteredAdvisor outermost = null;
		int position = 0;
		for (Advisor advisor : proxy.getAdvisors()) {
			if (outermost != null && belongsOutside(advisor, outermost)) {
				proxy.removeAdvisor(advisor);
				proxy.addAdvisor(position++, advisor);
			}
			else if (outermost == null && advisor instanceof RegisteredAdvisor ours) {
				outermost = ours;
			}
			else if (outermost == null) {
				position++;
			}
		}
	}

	private static boolean belongsOutside(Advisor advisor, RegisteredAdvisor ours) {
		if (advisor instanceof RegisteredAdvisor) {
			return false;
		}
		return (advisor instanceof Ordered ordered && ordered.getOrder() < ours.getOrder()) || isValidation(advisor);
	}

	/** The advice of others may be a bean that should not be created yet. */
	private static boolean isValidation(Advisor advisor) {
		return !(advisor instanceof AbstractBeanFactoryPointcutAdvisor)
				&& AnnotatedMethod.isNamed(advisor.getAdvice().getClass(), VALIDATION);
	}

}
