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

package io.distributedlock.testsupport;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Captures what is printed to the console during each test, for modules without Spring
 * Boot. Tests take a {@link CapturedOutput} as parameter.
 */
public final class OutputCaptureExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {

	private final PrintStream out = System.out;

	private final PrintStream err = System.err;

	private ByteArrayOutputStream captured = new ByteArrayOutputStream();

	@Override
	public void beforeEach(ExtensionContext context) {
		this.captured = new ByteArrayOutputStream();
		System.setOut(tee(this.out));
		System.setErr(tee(this.err));
	}

	private PrintStream tee(PrintStream console) {
		ByteArrayOutputStream captured = this.captured;
		return new PrintStream(new OutputStream() {

			@Override
			public void write(int data) {
				console.write(data);
				captured.write(data);
			}

			@Override
			public void write(byte[] data, int offset, int length) {
				console.write(data, offset, length);
				captured.write(data, offset, length);
			}

		}, true, StandardCharsets.UTF_8);
	}

	@Override
	public void afterEach(ExtensionContext context) {
		System.setOut(this.out);
		System.setErr(this.err);
	}

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return parameter.getParameter().getType() == CapturedOutput.class;
	}

	@Override
	public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
		ByteArrayOutputStream captured = this.captured;
		return new CapturedOutput() {

			@Override
			public String toString() {
				return captured.toString(StandardCharsets.UTF_8);
			}

		};
	}

}
