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

package io.distributedlock.benchmarks.cell;

import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;
import io.distributedlock.benchmarks.redis.RedisProbe;

/**
 * What every measurement needs.
 */
public record Rig(URI redis, RedisProbe probe, Path directory) {

	Fleet fork(Contestant contestant, int size) {
		return new Fleet(contestant.name().toLowerCase(Locale.ROOT), size, log(contestant), contestant.classPath());
	}

	private Path log(Contestant contestant) {
		return this.directory.resolve(contestant.name().toLowerCase(Locale.ROOT) + ".log");
	}

	String boardFile() {
		return this.directory.resolve("board").toString();
	}

	Board clearBoard() {
		Board board = Board.open(boardFile());
		board.clear();
		return board;
	}

}
