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

import io.distributedlock.LockOptions;
import io.distributedlock.LockOptionsCustomizer;

import org.springframework.beans.factory.ObjectProvider;

/**
 * All customizers, one after the other.
 */
record CompositeLockOptionsCustomizer(List<LockOptionsCustomizer> customizers) implements LockOptionsCustomizer {

	static CompositeLockOptionsCustomizer of(ObjectProvider<LockOptionsCustomizer> customizers) {
		return new CompositeLockOptionsCustomizer(customizers.orderedStream().toList());
	}

	@Override
	public LockOptions customize(String declaredName, LockOptions options) {
		LockOptions customized = options;
		for (LockOptionsCustomizer customizer : this.customizers) {
			customized = customizer.customize(declaredName, customized);
		}
		return customized;
	}

}
