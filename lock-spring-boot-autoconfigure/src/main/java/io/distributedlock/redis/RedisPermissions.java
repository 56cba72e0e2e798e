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

package io.distributedlock.redis;

/**
 * What a Redis user must be allowed to do. A test proves that it is enough.
 */
final class RedisPermissions {

	private static final String COMMANDS = "+ping +hello +client|setname"
			+ " +eval +evalsha +get +set +del +pexpire +pttl +time"
			+ " +zadd +zrem +zpopmin +hget +hset +hdel +publish +subscribe +unsubscribe";

	private RedisPermissions() {
	}

	/**
	 * Return the rules for {@code ACL SETUSER}.
	 * @param keyPrefix the prefix of the keys
	 * @return the rules, without name and password
	 */
	static String rules(String keyPrefix) {
		return "'~%1$s*' '~{%1$s*' '~{*}%1$s*' '&%1$sinbox:*' %2$s".formatted(keyPrefix, COMMANDS);
	}

}
