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

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;

import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.RespException;

import org.springframework.data.redis.core.script.DigestUtils;

/**
 * The scripts that the stores of this JVM send. A mutant is planted in them, rather than
 * in classes loaded anew, so that the thousandth costs no more than its tests.
 */
final class SentScripts {

	private static final Path FILES = Path.of("../lock-redis/src/main/resources/io/distributedlock/redis");

	private final Field source;

	private final Field sha;

	/** As they are without a mutant. */
	private final Map<Object, String> originals = new LinkedHashMap<>();

	private final Map<Object, String> planted = new LinkedHashMap<>();

	SentScripts() {
		try {
			Class<?> type = Class.forName(RedisLockStore.class.getPackageName() + ".LockScript");
			this.source = type.getDeclaredField("source");
			this.sha = type.getDeclaredField("sha");
			this.source.setAccessible(true);
			this.sha.setAccessible(true);
			for (Object script : type.getEnumConstants()) {
				this.originals.put(script, new String((byte[]) this.source.get(script), StandardCharsets.UTF_8));
			}
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
		this.planted.putAll(this.originals);
	}

	/** Return the texts of the files by their names. */
	static Map<String, String> files() {
		Map<String, String> files = new TreeMap<>();
		try (var paths = Files.newDirectoryStream(FILES, "*.lua")) {
			for (Path path : paths) {
				files.put(path.getFileName().toString(), Files.readString(path));
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		return files;
	}

	static List<ScriptMutant> mutants(Collection<String> names) {
		Map<String, String> files = files();
		List<ScriptMutant> mutants = new ArrayList<>();
		for (String name : names.isEmpty() ? files.keySet() : names) {
			mutants.addAll(LuaMutator.mutants(name, files.get(name)));
		}
		return mutants;
	}

	/**
	 * Send scripts with a mutant from now on.
	 * @return whether Redis can compile them
	 */
	boolean plant(ScriptMutant mutant) {
		String original = files().get(mutant.script());
		for (Map.Entry<Object, String> script : this.originals.entrySet()) {
			String changed = script.getValue().replace(original, mutant.text());
			if (!changed.equals(script.getValue())) {
				try {
					RedisServer.shared().cli("SCRIPT", "LOAD", changed);
				}
				catch (RespException ex) {
					return false;
				}
				this.planted.put(script.getKey(), changed);
			}
		}
		this.planted.forEach(this::send);
		return true;
	}

	/** Run something with changed texts, which keep the mutant. */
	<T> T with(UnaryOperator<String> change, Callable<T> run) throws Exception {
		this.planted.forEach((script, text) -> send(script, change.apply(text)));
		try {
			return run.call();
		}
		finally {
			this.planted.forEach(this::send);
		}
	}

	/**
	 * Return a script to which this server answers as one before Redis 6.2 does: with a
	 * syntax error to the option that is unknown, and with {@code nil} for the function
	 * that came with 7.0.
	 */
	static String onAnOldServer(String script) {
		return script.replace("'PX', retention, 'GET')", "'PX', retention, 'UNKNOWN')")
			.replace("'NX', 'GET', 'PX'", "'NX', 'UNKNOWN', 'PX'")
			.replace("redis.acl_check_cmd", "redis.unknown");
	}

	/** Send no mutant any more. */
	void restore() {
		this.planted.putAll(this.originals);
		this.planted.forEach(this::send);
	}

	private void send(Object script, String text) {
		try {
			this.source.set(script, text.getBytes(StandardCharsets.UTF_8));
			this.sha.set(script, DigestUtils.sha1DigestAsHex(text));
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
