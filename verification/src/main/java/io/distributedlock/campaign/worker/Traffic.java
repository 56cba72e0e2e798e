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

package io.distributedlock.campaign.worker;

/**
 * Lets the threads of a worker make attempts, or keeps them from it.
 */
final class Traffic {

	private boolean open;

	private boolean over;

	private int inside;

	synchronized void open() {
		this.open = true;
		notifyAll();
	}

	/**
	 * Let nobody in any more, and wait until those inside have left.
	 */
	synchronized void drain() throws InterruptedException {
		this.open = false;
		while (this.inside > 0) {
			wait();
		}
	}

	synchronized void end() {
		this.over = true;
		notifyAll();
	}

	/**
	 * Wait until an attempt may be made.
	 * @return whether there is ever to be another one
	 */
	synchronized boolean enter() {
		try {
			while (!this.open && !this.over) {
				wait();
			}
		}
		catch (InterruptedException ex) {
			return false;
		}
		if (!this.over) {
			this.inside++;
		}
		return !this.over;
	}

	synchronized void leave() {
		this.inside--;
		if (this.inside == 0) {
			notifyAll();
		}
	}

}
