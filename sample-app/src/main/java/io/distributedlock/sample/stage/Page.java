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

package io.distributedlock.sample.stage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The page: one file without anything from elsewhere. The policy allows the one script
 * and the one style that the file contains, by their digests, and nothing else.
 *
 * @param policy its {@code Content-Security-Policy}
 */
record Page(byte[] html, String policy) {

	private static final String POLICY = "default-src 'none'; script-src %s; style-src %s; connect-src 'self'; "
			+ "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
			+ "require-trusted-types-for 'script'; trusted-types 'none'";

	static Page load() throws IOException {
		try (InputStream file = Page.class.getResourceAsStream("page.html")) {
			if (file == null) {
				throw new IllegalStateException("The page is not on the class path.");
			}
			return of(new String(file.readAllBytes(), StandardCharsets.UTF_8));
		}
	}

	static Page of(String file) {
		// A browser digests what it reads, and reads every end of line as a line feed
		String html = file.replace("\r\n", "\n");
		return new Page(html.getBytes(StandardCharsets.UTF_8),
				POLICY.formatted(digests(html, "script"), digests(html, "style")));
	}

	private static String digests(String html, String element) {
		return Pattern.compile("<" + element + ">(.*?)</" + element + ">", Pattern.DOTALL)
			.matcher(html)
			.results()
			.map((MatchResult found) -> "'sha256-" + digest(found.group(1)) + "'")
			.collect(Collectors.joining(" "));
	}

	private static String digest(String text) {
		try {
			return Base64.getEncoder()
				.encodeToString(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java has SHA-256.", ex);
		}
	}

}
