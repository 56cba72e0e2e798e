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

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.BaseStream;

/**
 * Looks for annotations that work, but perhaps not as their author expects.
 */
final class LockWarnings {

	private static final String SEQUENCE = "kotlin.sequences.Sequence";

	private LockWarnings() {
	}

	/**
	 * Look at a method.
	 * @param method the method
	 * @return warnings
	 */
	static List<LockFinding> of(LockedMethod method) {
		List<LockFinding> findings = new ArrayList<>();
		AnnotatedMethod annotated = method.annotated();
		Class<?> type = annotated.resultType();
		if (type == Object.class && !annotated.isSuspending()) {
			findings.add(warning(annotated,
					"It is declared to return Object, and its lock is released when it returns: should the result be a future, a Mono or the like, its work would go on without the lock.",
					"Declare the type that it really returns."));
		}
		if (isLazy(annotated)) {
			findings.add(warning(annotated, "Its result is of type " + type.getSimpleName()
					+ ", and its lock is released when it returns: what the result computes later is computed without the lock.",
					"Return a collection, or the value."));
		}
		if (method.locks().stream().anyMatch((lock) -> lock.mentionsRenewal() && !lock.options().get().autoRenew())) {
			findings.add(warning(annotated,
					"It sets renewInterval or maxHold, but its lease is not renewed: they have no effect.",
					"Add autoRenew = true, or set 'distributed-lock.defaults.auto-renew'; or remove them."));
		}
		return findings;
	}

	/**
	 * Return whether the result of a method is computed lazily, and so probably too late.
	 */
	private static boolean isLazy(AnnotatedMethod method) {
		Class<?> type = method.resultType();
		return BaseStream.class.isAssignableFrom(type) || Iterator.class.isAssignableFrom(type)
				|| Supplier.class.isAssignableFrom(type) || method.returns(SEQUENCE);
	}

	private static LockFinding warning(AnnotatedMethod method, String problem, String action) {
		return new LockFinding(LockFinding.Severity.WARNING, method.description(), problem, action);
	}

}
