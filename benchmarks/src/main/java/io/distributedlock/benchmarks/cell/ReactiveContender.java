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

import java.util.concurrent.Callable;

import reactor.core.publisher.Mono;

import io.distributedlock.benchmarks.contestant.ReactiveLockClient;

/**
 * One chain of subscriptions that takes the lock as often as it can. Its thread starts it
 * and waits for its end, nothing more.
 */
final class ReactiveContender implements Callable<Turns.Count> {

	private final ReactiveLockClient client;

	private final Contention contention;

	private final Board board;

	ReactiveContender(ReactiveLockClient client, Contention contention, Board board) {
		this.client = client;
		this.contention = contention;
		this.board = board;
	}

	@Override
	public Turns.Count call() {
		Turns turns = Turns.begin(this.contention, this.board, 1);
		Mono.defer(() -> take(turns)).repeat(turns::areLeft).blockLast();
		return turns.count();
	}

	private Mono<Void> take(Turns turns) {
		long asked = System.nanoTime();
		Turn turn = new Turn(turns);
		return this.client.locked(this.contention.lock(), () -> section(turn))
			.doOnSuccess((end) -> turns.took(asked, turn.got))
			.onErrorResume((failure) -> {
				turns.failed(failure);
				return Mono.empty();
			});
	}

	private Mono<Void> section(Turn turn) {
		turn.enter();
		if (this.contention.section().isZero()) {
			turn.leave();
			return Mono.empty();
		}
		return Mono.delay(this.contention.section()).doOnNext((tick) -> turn.leave()).then();
	}

	/**
	 * One time in the section.
	 */
	private static final class Turn {

		private final Turns turns;

		private long got;

		private long seen;

		Turn(Turns turns) {
			this.turns = turns;
		}

		void enter() {
			this.got = System.nanoTime();
			this.seen = this.turns.enter();
		}

		void leave() {
			this.turns.leave(this.seen);
		}

	}

}
