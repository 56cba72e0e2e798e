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

package io.distributedlock.mutation;

/**
 * One small change of a script.
 *
 * @param script the name of its file
 * @param line the changed line, with its number behind {@code @} if the script has
 * several of them
 * @param change what is changed in that line
 * @param text the script with the change
 */
record ScriptMutant(String script, String line, String change, String text) {

	Survivors.Key key() {
		return new Survivors.Key(this.script, this.line, this.change);
	}

	@Override
	public String toString() {
		return key().toString();
	}

}
