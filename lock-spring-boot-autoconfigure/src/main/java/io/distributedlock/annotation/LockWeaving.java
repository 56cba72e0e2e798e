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

import java.util.Arrays;

/**
 * Tells whether AspectJ has woven a class, so that its methods take their locks
 * themselves and no proxy is needed.
 */
final class LockWeaving {

	private static final String JOIN_POINT = "ajc$tjp_";

	private LockWeaving() {
	}

	/**
	 * Tell whether a class was woven by the aspect of this package.
	 * @param type the class
	 * @return whether its methods take their locks without a proxy
	 */
	static boolean isWoven(Class<?> type) {
		return Arrays.stream(type.getDeclaredFields()).anyMatch((field) -> field.getName().startsWith(JOIN_POINT));
	}

}
