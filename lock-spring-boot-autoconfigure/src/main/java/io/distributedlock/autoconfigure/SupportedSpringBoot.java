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

import io.distributedlock.autoconfigure.internal.LockStartupException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootVersion;

/**
 * Rejects versions of Spring Boot that locks do not support, before the first missing
 * method ends the start-up with an obscure message.
 */
final class SupportedSpringBoot {

	private static final int OLDEST = 4;

	private SupportedSpringBoot() {
	}

	static void check() {
		check(SpringBootVersion.getVersion());
	}

	static void check(@Nullable String version) {
		String major = (version != null) ? version.replaceFirst("\\D.*", "") : "";
		if (!major.isEmpty() && Integer.parseInt(major) < OLDEST) {
			throw new LockStartupException(
					"The distributed lock starter needs Spring Boot %d or later, but this is Spring Boot %s."
						.formatted(OLDEST, version),
					"Update the application to Spring Boot 4, or remove the dependency lock-spring-boot-starter.",
					null);
		}
	}

}
