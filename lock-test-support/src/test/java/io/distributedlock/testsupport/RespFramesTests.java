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

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

import io.distributedlock.testsupport.RespFrames.Frame;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RespFrames}.
 */
class RespFramesTests {

	@ParameterizedTest
	@ValueSource(strings = { "+OK\r\n", "-ERR no\r\n", ":-12\r\n", "$-1\r\n", "$0\r\n\r\n", "$6\r\na\r\n*1\r\r\n",
			"*-1\r\n", "*0\r\n", "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", "*2\r\n*1\r\n:1\r\n%1\r\n+a\r\n_\r\n", "#t\r\n",
			",1.5\r\n", "(123\r\n", "=7\r\ntxt:abc\r\n", "!5\r\nERR x\r\n", "~2\r\n:1\r\n:2\r\n",
			">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n", "|1\r\n+ttl\r\n:5\r\n$1\r\nv\r\n", "PING now\r\n" })
	void cutsEveryTypeExactly(String frame) throws IOException {
		RespFrames frames = frames(frame + "+NEXT\r\n");
		assertThat(text(frames.next())).isEqualTo(frame);
		assertThat(text(frames.next())).isEqualTo("+NEXT\r\n");
		assertThat(frames.next()).isNull();
	}

	@Test
	void keepsBytesThatAreNotText() throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		bytes.writeBytes("$3\r\n".getBytes(StandardCharsets.US_ASCII));
		bytes.writeBytes(new byte[] { (byte) 0xff, 0, (byte) 0xc3 });
		bytes.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
		Frame frame = new RespFrames(new ByteArrayInputStream(bytes.toByteArray())).next();
		assertThat(frame).isNotNull();
		assertThat(frame.bytes()).isEqualTo(bytes.toByteArray());
	}

	@Test
	void joinsTheWordsOfACommand() throws IOException {
		Frame frame = frames("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n").next();
		assertThat(frame).isNotNull();
		assertThat(frame.text()).isEqualTo("SET k v");
	}

	@ParameterizedTest
	@ValueSource(strings = { "$3\r\nab", "*2\r\n:1\r\n", "+OK" })
	void streamThatEndsInsideAFrameIsBroken(String part) {
		assertThatExceptionOfType(EOFException.class).isThrownBy(() -> frames(part).next());
	}

	private RespFrames frames(String text) {
		return new RespFrames(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
	}

	private String text(Frame frame) {
		return new String(frame.bytes(), StandardCharsets.UTF_8);
	}

}
