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

package io.distributedlock.testsupport.mutation;

import org.jspecify.annotations.Nullable;

/**
 * A planted bug: one change of one source file, or several that make a bug together.
 *
 * @param file the path of the file below the source root, for example
 * {@code java/io/distributedlock/engine/Lease.java}
 * @param after a text of the file behind which {@code find} is searched, or {@code null}
 * to search the whole file
 * @param why a sentence that says why this is a bug
 * @param also another change of the same file, or {@code null}
 */
public record Mutant(String name, String file, @Nullable String after, String find, String replacement, String why,
		@Nullable Mutant also) {

	/**
	 * Return a mutant of a text that occurs once in its file.
	 * @param file the path of the file below the source root
	 * @param why a sentence that says why this is a bug
	 */
	public static Mutant of(String name, String file, String find, String replacement, String why) {
		return new Mutant(name, file, null, find, replacement, why, null);
	}

	/**
	 * Return the same mutant for the first occurrence of its text behind another text.
	 */
	public Mutant after(String text) {
		return new Mutant(this.name, this.file, text, this.find, this.replacement, this.why, this.also);
	}

	/**
	 * Return the same mutant with another change, without which this one does no harm.
	 */
	public Mutant also(String find, String replacement) {
		return new Mutant(this.name, this.file, this.after, this.find, this.replacement, this.why,
				of(this.name, this.file, find, replacement, this.why));
	}

	/**
	 * Plant the bug.
	 * @throws IllegalStateException if the text is not there, or not unique: the message
	 * names the mutant
	 */
	public String applyTo(String source) {
		int from = 0;
		if (this.after != null) {
			from = unique(source, this.after) + this.after.length();
		}
		int at = (this.after != null) ? source.indexOf(this.find, from) : unique(source, this.find);
		if (at < 0) {
			throw missing(this.find, "does not occur behind '" + this.after + "'");
		}
		String changed = source.substring(0, at) + this.replacement + source.substring(at + this.find.length());
		return (this.also != null) ? this.also.applyTo(changed) : changed;
	}

	private int unique(String source, String text) {
		int at = source.indexOf(text);
		if (at < 0) {
			throw missing(text, "does not occur");
		}
		if (source.indexOf(text, at + 1) >= 0) {
			throw missing(text, "occurs more than once");
		}
		return at;
	}

	private IllegalStateException missing(String text, String problem) {
		return new IllegalStateException(
				"The mutant '%s' cannot be planted in %s: the text '%s' %s there. Adapt the mutant to the source."
					.formatted(this.name, this.file, text, problem));
	}

	@Override
	public String toString() {
		return this.name;
	}

}
