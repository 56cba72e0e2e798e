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

import java.io.InvalidObjectException;
import java.io.NotSerializableException;
import java.io.ObjectStreamException;
import java.io.Serializable;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/**
 * The serialized form of an advisor: the application context that deserializes it uses
 * its own advisor.
 *
 * @param beanFactory the bean factory, which writes its identity
 */
public record SerializedAdvisor(Class<? extends Advisor> type, DefaultListableBeanFactory beanFactory,
		String beanName) implements Serializable {

	/**
	 * Return the serialized form of an advisor.
	 * @param beanName the name of the advisor, or {@code null} if it is no bean
	 * @return the form to write
	 * @throws NotSerializableException if the advisor could not be found again
	 */
	public static SerializedAdvisor of(Class<? extends Advisor> type, @Nullable String beanName,
			ConfigurableBeanFactory beanFactory) throws NotSerializableException {
		if (beanName == null || !(beanFactory instanceof DefaultListableBeanFactory serializable)) {
			throw new NotSerializableException(type.getName() + " (not a bean of a serializable bean factory)");
		}
		return new SerializedAdvisor(type, serializable, beanName);
	}

	private Object readResolve() throws ObjectStreamException {
		try {
			return this.beanFactory.getBean(this.beanName, this.type);
		}
		catch (BeansException ex) {
			throw (InvalidObjectException) new InvalidObjectException("There is no " + this.type.getSimpleName()
					+ " with the name '" + this.beanName
					+ "' in the application context that reads a proxy with locks. Read it in an application that has the same beans.")
				.initCause(ex);
		}
	}

}
