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

package io.distributedlock.weaving;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A bean with locked methods of all kinds.
 */
class Till {

	@DistributedLock(name = "'open:' + #id")
	public int open(int id) {
		return id;
	}

	/** Calls a locked method of its own. */
	public int openWithin(int id) {
		return open(id);
	}

	@DistributedLock(name = "'nested:' + #depth")
	public int nested(int depth) {
		return (depth > 0) ? nested(depth - 1) : 0;
	}

	public int hiddenWithin(int id) {
		return hidden(id);
	}

	@DistributedLock(name = "'hidden:' + #id", fallbackMethod = "refused")
	private int hidden(int id) {
		return id;
	}

	private int refused(int id) {
		return -id;
	}

	@DistributedLock(name = "final")
	final int fixed(int id) {
		return id;
	}

	@DistributedLock(name = "'static:' + #id")
	static int shared(int id) {
		return id;
	}

	public LockHandle handedWithin() {
		return handed(1, null);
	}

	@DistributedLock(name = "handed")
	LockHandle handed(int id, @Nullable LockHandle handle) {
		if (handle == null) {
			throw new IllegalStateException("There is no handle.");
		}
		return handle;
	}

	@DistributedLock(name = "first")
	@DistributedLock(name = "second")
	public void both() {
	}

	public void bothWithin() {
		both();
	}

	@Ours
	public void ours() {
	}

	public void oursWithin() {
		ours();
	}

	@DistributedLock(name = "reactive")
	public Mono<Integer> reactive(@Nullable LockHandle handle) {
		return Mono.fromSupplier(() -> (handle != null) ? 1 : 0);
	}

	public Mono<Integer> reactiveWithin() {
		return reactive(null);
	}

	@DistributedLock(name = "later")
	public CompletableFuture<Integer> later() {
		return CompletableFuture.completedFuture(1);
	}

	/**
	 * An annotation of the application.
	 */
	@DistributedLock(name = "ours")
	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@interface Ours {

	}

	/**
	 * A class whose annotation applies to its methods.
	 */
	@DistributedLock(name = "type")
	static class Drawer {

		public String toString() {
			return "Drawer";
		}

		public int pull() {
			return push();
		}

		protected int push() {
			return quiet();
		}

		private int quiet() {
			return 1;
		}

	}

	/**
	 * Inherits the annotation of the class.
	 */
	static class InnerDrawer extends Drawer {

		int lift() {
			return push();
		}

		@Override
		protected int push() {
			return 2;
		}

	}

	/**
	 * Overrides a locked method, with and without an annotation of its own.
	 */
	static class SmallTill extends Till {

		@Override
		public int open(int id) {
			return super.open(id);
		}

		@Override
		@DistributedLock(name = "later")
		public CompletableFuture<Integer> later() {
			return super.later().thenApply((value) -> value + 1);
		}

	}

	/**
	 * A class that has no proxy.
	 */
	static final class Safe {

		@DistributedLock(name = "safe")
		int unlock() {
			return 1;
		}

	}

}
