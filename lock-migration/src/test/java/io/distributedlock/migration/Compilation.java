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

package io.distributedlock.migration;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Compiles sources with the class path of the tests.
 */
final class Compilation {

	private static final Pattern PACKAGE = Pattern.compile("(?m)^\\s*package\\s+([\\w.]+);");

	private static final Pattern TYPE = Pattern.compile(
			"(?m)^\\s*(?:public\\s+)?(?:final\\s+|abstract\\s+)?(?:class|interface|@interface|enum|record)\\s+(\\w+)");

	private Compilation() {
	}

	static List<String> errorsOf(List<String> sources, String... others) {
		return compile(Stream.concat(sources.stream(), Stream.of(others)).toList(), List.of("-proc:none"));
	}

	static List<String> compileTo(Path directory, List<String> sources) {
		return compile(sources, List.of("-proc:none", "-parameters", "-d", directory.toString()));
	}

	private static List<String> compile(List<String> sources, List<String> options) {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
		List<String> arguments = new ArrayList<>(options);
		arguments.addAll(List.of("-cp", System.getProperty("java.class.path")));
		var task = compiler.getTask(new StringWriter(), null, diagnostics, arguments, null,
				sources.stream().map(Source::new).toList());
		if (options.contains("-d")) {
			task.call();
		}
		else {
			try {
				((com.sun.source.util.JavacTask) task).analyze();
			}
			catch (java.io.IOException ex) {
				throw new java.io.UncheckedIOException(ex);
			}
		}
		return diagnostics.getDiagnostics()
			.stream()
			.filter((each) -> each.getKind() == Diagnostic.Kind.ERROR)
			.map(String::valueOf)
			.toList();
	}

	private static final class Source extends SimpleJavaFileObject {

		private final String content;

		Source(String content) {
			super(URI.create("string:///" + path(content)), Kind.SOURCE);
			this.content = content;
		}

		private static String path(String content) {
			Matcher type = TYPE.matcher(content.replaceAll("/[*].*?[*]/", ""));
			if (!type.find()) {
				throw new IllegalArgumentException("No type in " + content);
			}
			Matcher name = PACKAGE.matcher(content);
			return (name.find() ? name.group(1).replace('.', '/') + "/" : "") + type.group(1) + ".java";
		}

		@Override
		public CharSequence getCharContent(boolean ignoreEncodingErrors) {
			return this.content;
		}

	}

}
