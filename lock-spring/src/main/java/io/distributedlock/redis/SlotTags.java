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

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * The smallest decimal number that hashes to each cluster slot. Computed at the first
 * use, within milliseconds; few applications ever need it.
 */
final class SlotTags {

	private static final int[] TAGS = compute();

	private SlotTags() {
	}

	/** A number which, as the hash tag of a key, puts it in the slot of the given key. */
	static int tagFor(byte[] key) {
		return TAGS[ClusterSlotHashUtil.calculateSlot(key)];
	}

	private static int[] compute() {
		int[] tags = new int[ClusterSlotHashUtil.SLOT_COUNT];
		Arrays.fill(tags, -1);
		int missing = tags.length;
		for (int candidate = 0; missing > 0; candidate++) {
			int slot = ClusterSlotHashUtil
				.calculateSlot(Integer.toString(candidate).getBytes(StandardCharsets.US_ASCII));
			if (tags[slot] < 0) {
				tags[slot] = candidate;
				missing--;
			}
		}
		return tags;
	}

}
