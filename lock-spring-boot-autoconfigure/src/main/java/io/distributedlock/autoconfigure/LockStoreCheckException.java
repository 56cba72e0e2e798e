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

package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;

import io.distributedlock.store.StoreReport.Finding;

/**
 * Thrown when locks do not work in their store and the application must not start.
 */
final class LockStoreCheckException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create a new instance.
	 * @param errors what was found
	 */
	LockStoreCheckException(List<Finding> errors) {
		super(errors.stream().map(LockStoreCheckException::text).collect(Collectors.joining("%n".formatted())));
	}

	static String text(Finding finding) {
		return finding.action().isEmpty() ? finding.problem() : finding.problem() + " " + finding.action();
	}

}
