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

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A child process that cannot outlive this JVM, not even one that is killed.
 * <p>
 * It runs under a small shell whose standard input this JVM holds. When the JVM ends, by
 * whatever means, the operating system closes that pipe and the shell kills the child and
 * removes its working directory.
 */
final class GuardedProcess {

	private static final String GUARD = """
			exec 3<&0
			"$0" "$@" </dev/null >>"$GUARDED_LOG" 2>&1 3<&- & child=$!
			echo $child
			{ cat <&3 >/dev/null; trap "" TERM; kill -9 $child; cd /; rm -rf "$GUARDED_DIRECTORY"; } 2>/dev/null & guard=$!
			exec 3<&- >/dev/null
			wait $child
			code=$?
			kill $guard
			exit $code
			""";

	private final Process shell;

	private final ProcessHandle child;

	private final Path log;

	private GuardedProcess(Process shell, ProcessHandle child, Path log) {
		this.shell = shell;
		this.child = child;
		this.log = log;
	}

	/**
	 * Starts a command.
	 * @param directory the working directory of the command, which belongs to it alone
	 * @param log the file to which its output is appended
	 */
	static GuardedProcess start(Path directory, Path log, List<String> command) {
		List<String> guarded = new ArrayList<>(List.of("sh", "-c", GUARD));
		guarded.addAll(command);
		ProcessBuilder builder = new ProcessBuilder(guarded).directory(directory.toFile())
			.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
		builder.environment().put("GUARDED_LOG", log.toString());
		builder.environment().put("GUARDED_DIRECTORY", directory.toString());
		try {
			Process shell = builder.start();
			BufferedReader output = shell.inputReader(StandardCharsets.US_ASCII);
			String pid = output.readLine();
			if (pid == null) {
				throw new IllegalStateException("The shell did not start " + command.get(0) + ": " + tail(log));
			}
			ProcessHandle child = ProcessHandle.of(Long.parseLong(pid)).orElse(shell.toHandle());
			return new GuardedProcess(shell, child, log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot start " + command.get(0), ex);
		}
	}

	long pid() {
		return this.child.pid();
	}

	/** The shell waits for the child and ends with it, so that no zombie counts. */
	boolean isAlive() {
		return this.shell.isAlive();
	}

	void terminate() {
		this.child.destroy();
		awaitEnd();
	}

	void kill() {
		this.child.destroyForcibly();
		awaitEnd();
	}

	/**
	 * Sends a signal that Java cannot send.
	 */
	void signal(String name) {
		try {
			int code = new ProcessBuilder("sh", "-c", "kill -\"$0\" \"$1\"", name, Long.toString(pid())).start()
				.waitFor();
			if (code != 0) {
				throw new IllegalStateException("Cannot send SIG%s to process %d".formatted(name, pid()));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while sending SIG" + name, ex);
		}
	}

	String outputTail() {
		return tail(this.log);
	}

	private void awaitEnd() {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					if (!this.shell.waitFor(10, TimeUnit.SECONDS)) {
						this.child.destroyForcibly();
						this.shell.destroyForcibly();
					}
					return;
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			// Closing the pipe also ends the guard
			this.shell.destroy();
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/** Deletes the working directory of a process that has ended. */
	static void delete(Path directory) {
		try (Stream<Path> files = Files.walk(directory)) {
			files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String tail(Path log) {
		try {
			List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
			return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
		}
		catch (IOException ex) {
			return "(no output)";
		}
	}

}
