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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * The page for whoever is on call.
 */
record Runbook(String text, Set<String> anchors) {

	private static final Path ROOT = Path.of("..");

	private static final String PAGE = "docs/operations.md";

	static Runbook read() throws IOException {
		return new Runbook(Files.readString(ROOT.resolve(PAGE)), MarkdownPage.read(ROOT, PAGE).anchors());
	}

	/** Whether a link leads to a heading that exists. */
	boolean isReachedBy(String url) {
		int anchor = url.indexOf('#');
		return anchor > 0 && url.substring(0, anchor).endsWith(PAGE)
				&& this.anchors.contains(url.substring(anchor + 1));
	}

}
