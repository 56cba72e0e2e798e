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

package io.distributedlock.store.trace;

import java.util.List;
import java.util.Map;

import io.distributedlock.store.trace.HoldersModel.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * The next-state relation of a model, and where the code may differ from it.
 *
 * @param <S> the states of the model
 */
interface Relation<S> {

	String model();

	S init();

	/**
	 * Return the state without all data, in which fencing tokens go on.
	 */
	S lost(S state);

	S ticks(S state, long ticks);

	/**
	 * Return what may follow. The model's own step comes first.
	 */
	List<Allowed<S>> allowed(S state, Command command, boolean redis);

	/**
	 * Return the state as the model of several holders has it.
	 */
	HoldersModel.State view(S state);

	S with(S state, List<Waiter> queue, long grace);

	/**
	 * What may follow.
	 *
	 * @param yes whether the model says yes; the answer to a release follows from the
	 * state
	 * @param first the first fencing token of a grant
	 * @param pushed the grants that are pushed, and the first fencing token of each
	 * @param difference the reason for which this is allowed though the model does
	 * something else
	 */
	record Allowed<S>(S state, boolean yes, long first, Map<String, Long> pushed, @Nullable Difference difference) {
	}

}
