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

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.LeaderElection.Candidacy;

import org.springframework.beans.factory.BeanFactory;

/**
 * The elections of the application under test. Needs the module of leadership.
 */
final class TestElections {

	private TestElections() {
	}

	static void stepDown(BeanFactory beanFactory) {
		elections(beanFactory).forEach(LeaderElection::stepDown);
	}

	/**
	 * Return the names of the leaderships for which the application stands.
	 */
	static Set<String> names(BeanFactory beanFactory) {
		return elections(beanFactory).flatMap((election) -> election.candidacies().stream())
			.map(Candidacy::name)
			.collect(Collectors.toSet());
	}

	private static Stream<LeaderElection> elections(BeanFactory beanFactory) {
		return beanFactory.getBeanProvider(LeaderElection.class).stream();
	}

}
