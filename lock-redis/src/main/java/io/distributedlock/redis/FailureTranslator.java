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

package io.distributedlock.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.internal.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;

/**
 * Distinguishes failures that require a change from those that may be temporary. The
 * clients have no common exceptions for this, so the decision depends on the message of
 * the server, which is somewhere in the chain of causes, and in older versions inside the
 * error of a script.
 */
final class FailureTranslator {

	private static final Log logger = LogFactory.getLog(FailureTranslator.class);

	private static final int MAX_DEPTH = 16;

	private static final Pattern WRONG_TYPE = Pattern.compile("\\bWRONGTYPE\\b");

	private static final Pattern NO_PERMISSION = Pattern
		.compile("\\bNOPERM\\b|ACL failure in script|The user executing the script can't");

	private static final Pattern SCAN = Pattern.compile("(?i)\\bscan\\b");

	private static final Pattern NOT_AUTHENTICATED = Pattern.compile("\\bNOAUTH\\b|\\bWRONGPASS\\b"
			+ "|ERR invalid password|AUTH <password> called without any password|ERR Client sent AUTH");

	private static final Pattern NO_CREDENTIALS = Pattern.compile("\\bNOAUTH\\b");

	/** Of Lettuce: the name may be empty. The nodes of a cluster are in one message. */
	private static final Pattern ADDRESS = Pattern
		.compile("(?m)Unable to connect to \\[?([^/\\s\\[]*)/(\\S+?)(:\\d+)(?:]: (.*))?$");

	/** Of Lettuce, with the credentials masked. */
	private static final Pattern ADDRESS_OF_SENTINEL = Pattern
		.compile("^Cannot connect Redis Sentinel at rediss?://(?:[^/\\s]*@)?([^/?#@\\s]+)");

	private static final Pattern SENTINEL = Pattern.compile("(?i)sentinel");

	private static final Pattern UNKNOWN_COMMAND = Pattern
		.compile("(?i)ERR unknown command|Unknown Redis command called from");

	private static final Pattern NO_SCRIPTS = Pattern.compile("(?i)could not find scripting engine");

	private static final Pattern OTHER_SLOTS = Pattern
		.compile("\\bCROSSSLOT\\b|attempted to access a non local key|accesses keys that do not hash to the same slot");

	private static final Pattern WRONG_SERVER = Pattern
		.compile("ERR DB index is out of range|DENIED Redis is running in protected mode"
				+ "|ERR SELECT is not allowed in cluster mode");

	private static final Pattern NO_CLUSTER = Pattern.compile("ERR This instance has cluster support disabled");

	private static final Pattern UNKNOWN_SCRIPT = Pattern.compile("\\bNOSCRIPT\\b");

	private static final Pattern READ_ONLY = Pattern.compile("\\bREADONLY\\b");

	private static final Pattern REFUSED_FOR_NOW = Pattern
		.compile("^(?:ERR )?(OOM|READONLY|NOREPLICAS|MISCONF|LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|MOVED|ASK"
				+ "|max number of clients)\\b");

	/** Slots of a cluster that are being moved. */
	private static final Pattern ON_THE_WAY = Pattern.compile("^(?:ERR )?(TRYAGAIN|MOVED|ASK)\\b");

	private static final long REFUSALS_INTERVAL = TimeUnit.MINUTES.toNanos(1);

	private static final Pattern PLACE_IN_SCRIPT = Pattern.compile(" script: \\w+, on @user_script:\\d+\\.?$");

	private static final Pattern OTHER_NODE = Pattern.compile("^(?:MOVED|ASK) \\d+ ");

	private static final Pattern HUNG_UP = Pattern
		.compile("(?i)reset|closed|end of stream|broken pipe|disconnect|connection initialization timed out");

	/** A plain server may accept a client that speaks TLS, and never answer. */
	private static final Pattern NO_CONNECTION = Pattern.compile("no connection within");

	private static final Pattern CLOSED_CONNECTION = Pattern.compile("(?i)reset|closed|end of stream|broken pipe");

	/** From the server. */
	private static final Pattern ALERT = Pattern.compile("(?i)received fatal alert");

	private static final Pattern NOT_TRUSTED = Pattern.compile("(?i)certification path|PKIX|trust ?anchor");

	private static final Pattern OTHER_HOST = Pattern.compile("(?i)no (subject alternative|name matching)");

	/** The message of Lettuce for a connection that ends during its handshake. */
	private static final Pattern HUNG_UP_EARLY = Pattern.compile("HandshakeHandler not registered");

	private final RedisSetup setup;

	private final KeyLayout keys;

	private final BooleanSupplier everAnswered;

	/** When a refusal may be logged again, by its reason. */
	private final Map<String, Long> nextRefusals = new ConcurrentHashMap<>();

	FailureTranslator(RedisSetup setup, KeyLayout keys, BooleanSupplier everAnswered) {
		this.setup = setup;
		this.keys = keys;
		this.everAnswered = everAnswered;
	}

	/**
	 * Translate a failure.
	 * @param lockName empty if there are several locks
	 * @param patience how long the answer was awaited
	 */
	LockException translate(String lockName, Throwable failure, Duration patience) {
		if (failure instanceof LockException translated) {
			return translated;
		}
		String store = this.setup.description();
		String subject = lockName.isEmpty() ? store : "lock '" + lockName + "' in " + store;
		String problem = configurationProblem(lockName, failure);
		if (problem != null) {
			String refused = lockName.isEmpty() ? "the commands of locks" : "lock '" + lockName + "'";
			String message = refusalBy(store) + refused + ". " + problem;
			// Nobody knows whether it was carried out, and the next connection may be
			// accepted
			return (unwrap(failure) instanceof CallFailure) ? new LockUnavailableException(lockName, message, null)
					: new LockConfigurationException(lockName, message, cause(failure));
		}
		return new LockUnavailableException(lockName, unavailable(subject, failure, patience), cause(failure));
	}

	/** How the message begins that a store refuses something until it is changed. */
	static String refusalBy(String store) {
		return store + " refuses ";
	}

	/** Whether the server cannot be reached. A refusal means that it was reached. */
	static boolean isOutage(Throwable failure) {
		if (failure instanceof CallFailure own) {
			return own.isOutage();
		}
		if (isForNow(failure)) {
			return false;
		}
		return causes(failure).stream()
			.anyMatch((cause) -> cause instanceof IOException || cause instanceof TimeoutException
					|| cause.getClass().getSimpleName().matches(".*(Connection|Timeout).*"));
	}

	/**
	 * Log a call about a lock that the server has refused, for now or until something is
	 * changed, at most once a minute for each reason. Unlike an outage it has no end that
	 * can be seen: a server with full memory answers other calls meanwhile.
	 */
	void tellRefused(LockException refusal, Throwable failure) {
		String message = innermostMessage(failure);
		Matcher forNow = REFUSED_FOR_NOW.matcher(message);
		if (forNow.find()) {
			if (!ON_THE_WAY.matcher(message).find() && isTimeToTell(forNow.group(1))) {
				logger.warn(text(refusal) + " Further refusals for this reason are logged at most once a minute.");
			}
		}
		else if (refusal instanceof LockConfigurationException && !refusal.getLockName().isEmpty()
				&& isTimeToTell(lastingReason(failure))) {
			// Nothing after a command that is to be copied
			logger.warn(text(refusal));
		}
	}

	private static String lastingReason(Throwable failure) {
		return says(failure, WRONG_TYPE) ? "WRONGTYPE"
				: says(failure, NO_PERMISSION) ? "NOPERM" : says(failure, NOT_AUTHENTICATED) ? "NOAUTH" : "";
	}

	private static String text(LockException refusal) {
		return Printable.of(String.valueOf(refusal.getMessage()));
	}

	private boolean isTimeToTell(String reason) {
		long now = System.nanoTime();
		Long next = now + REFUSALS_INTERVAL;
		return next
			.equals(this.nextRefusals.compute(reason, (each, last) -> (last == null || now - last >= 0) ? next : last));
	}

	/** Whether the server refuses what it may accept a moment later. */
	static boolean isForNow(Throwable failure) {
		return REFUSED_FOR_NOW.matcher(innermostMessage(failure)).find();
	}

	/** Whether the server does not know the script yet, or does not any more. */
	static boolean isUnknownScript(Throwable failure) {
		return says(failure, UNKNOWN_SCRIPT);
	}

	/** Whether the server closed a connection that had been open. */
	static boolean isClosedConnection(Throwable failure) {
		return failure instanceof RedisConnectionFailureException
				&& CLOSED_CONNECTION.matcher(innermostMessage(failure)).find();
	}

	/** Whether a connection ended during its handshake, and Lettuce does not say why. */
	static boolean isHungUpEarly(Throwable failure) {
		return says(failure, HUNG_UP_EARLY);
	}

	/** Whether a key holds a value of another type or form, which no lock has written. */
	static boolean isOtherType(Throwable failure) {
		return says(failure, WRONG_TYPE);
	}

	/** Whether the server does not accept the credentials. */
	static boolean isNotAuthenticated(Throwable failure) {
		return says(failure, NOT_AUTHENTICATED);
	}

	/** Whether the server has become a replica. */
	static boolean isReadOnly(Throwable failure) {
		return says(failure, READ_ONLY);
	}

	private String unavailable(String subject, Throwable failure, Duration patience) {
		if (failure instanceof TimeoutException || failure instanceof CancellationException) {
			return "No answer about " + subject + " within " + Printable.of(patience)
					+ ". Check the load of Redis and the network,"
					+ " or raise the command timeout, 'distributed-lock.redis.command-timeout' with Spring Boot."
					+ ((this.setup.topology() == RedisSetup.Topology.UNKNOWN)
							? " A client that repeats commands by itself, such as Redisson, may hide a refusal: check whether this server is a replica."
							: "");
		}
		String message = innermostMessage(failure);
		Matcher refusal = REFUSED_FOR_NOW.matcher(message);
		if (refusal.find()) {
			return "Redis cannot serve " + subject + " at present: " + message + ". " + advice(refusal.group(1));
		}
		String certificates = certificateAdvice(message);
		if (certificates != null) {
			return "No connection to " + subject + ": " + message + ". " + certificates;
		}
		boolean slow = NO_CONNECTION.matcher(message).find();
		if (this.setup.topology() == RedisSetup.Topology.SENTINEL && SENTINEL.matcher(message).find()) {
			return "No answer about " + subject + ": " + message
					+ ". Check that a sentinel can be reached from here, that it knows a master of this name, with Spring Boot spring.data.redis.sentinel.master, and that its user, spring.data.redis.sentinel.username, may ask for it (+sentinel|get-master-addr-by-name).";
		}
		return "No answer about " + subject + ": " + message + ". Check that Redis is up, and can be reached from here."
				+ (slow ? " If this instance was busy, raise the connect timeout, 'distributed-lock.redis.connect-timeout' with Spring Boot."
						: "")
				+ encryptionHint(message);
	}

	private static @Nullable String certificateAdvice(String message) {
		if (ALERT.matcher(message).find()) {
			return "The server refused to speak TLS with this client. Check the certificate that it demands of clients, if it does, and the versions of TLS of both, with Spring Boot by a spring.ssl.bundle that spring.data.redis.ssl.bundle names.";
		}
		if (NOT_TRUSTED.matcher(message).find()) {
			return "This JVM does not trust the certificate of the server. Add the certificate authority that issued it to the trust store, with Spring Boot by a spring.ssl.bundle that spring.data.redis.ssl.bundle names.";
		}
		if (OTHER_HOST.matcher(message).find()) {
			return "The certificate of the server is for another host. Connect by a host that the certificate names, with Spring Boot by spring.data.redis.host, or have it issued for this one.";
		}
		return null;
	}

	/**
	 * The server hangs up on a client that speaks TLS to a plain port, or the reverse.
	 */
	private String encryptionHint(String message) {
		boolean possible = HUNG_UP.matcher(message).find()
				|| (this.setup.encrypted() && NO_CONNECTION.matcher(message).find());
		if (this.everAnswered.getAsBoolean() || !possible) {
			return "";
		}
		return this.setup.encrypted()
				? " If this port does not speak TLS, connect without it, with Spring Boot by spring.data.redis.ssl.enabled=false and a spring.data.redis.url, if it is set, that begins with redis:// instead of rediss://."
				: " If this port speaks TLS, connect with it, with Spring Boot by spring.data.redis.ssl.enabled=true or a spring.data.redis.url that begins with rediss://.";
	}

	/**
	 * Return what to do about a refusal of the server.
	 */
	static String adviceFor(String message) {
		Matcher refusal = REFUSED_FOR_NOW.matcher(message);
		return advice(refusal.find() ? refusal.group(1) : "");
	}

	private static String advice(String error) {
		return switch (error) {
			case "OOM" -> "Free memory in Redis, or raise its maxmemory.";
			case "READONLY" ->
				"Let the failover end, or connect to the master, with Spring Boot by spring.data.redis.*.";
			case "NOREPLICAS" -> "Find out why its replicas are missing, or lower its min-replicas-to-write.";
			case "MISCONF" -> "Check its log to find out why it cannot save.";
			case "BUSY" -> "Find out which script blocks it, and end that script with SCRIPT KILL.";
			case "max number of clients" -> "Close other connections, or raise its maxclients.";
			default -> "Wait until it is ready, or check the state of this server.";
		};
	}

	private @Nullable String configurationProblem(String lockName, Throwable failure) {
		String innermost = innermostMessage(failure);
		if (!this.setup.topology().mayBeCluster() && OTHER_NODE.matcher(innermost).find()) {
			return "It is a node of a Redis Cluster (" + innermost
					+ "), and the connection is for a single Redis. Connect to the cluster, with Spring Boot by spring.data.redis.cluster.nodes.";
		}
		for (Throwable cause : causes(failure)) {
			String message = cause.getMessage();
			String problem = (message != null) ? configurationProblem(lockName, message, failure) : null;
			if (problem != null) {
				return problem;
			}
		}
		return null;
	}

	private @Nullable String configurationProblem(String lockName, String message, Throwable failure) {
		if (WRONG_TYPE.matcher(message).find()) {
			return "A key of the lock holds a value of another type or form, as a lock of Redisson does, which is a hash: '"
					+ Printable.of(new String(this.keys.main(lockName), StandardCharsets.UTF_8))
					+ "' or one of its companions. "
					+ (this.keys.isExact(lockName)
							? "Correct the key of the lock, 'distributed-lock.locks[%s].key' with Spring Boot."
								.formatted(Printable.of(lockName))
							: "Choose another key prefix, the same in all services that share the lock, 'distributed-lock.key-prefix' with Spring Boot.")
					+ " Delete the key only if no program uses it.";
		}
		if (NO_PERMISSION.matcher(message).find()) {
			boolean listing = SCAN.matcher(message).find();
			return "Its user lacks a permission (" + firstLine(message) + "). "
					+ (listing ? "Only the list of all locks needs it: locks themselves work. " : "")
					+ RedisPermissions.advice(this.keys, this.setup, listing ? " " + RedisPermissions.LISTING : "");
		}
		Matcher refusal = NOT_AUTHENTICATED.matcher(message);
		if (refusal.find()) {
			return notAuthenticated(message.substring(refusal.start()), failure);
		}
		if (UNKNOWN_COMMAND.matcher(message).find()) {
			return "It does not know a command that locks need (" + firstLine(message)
					+ "). Use Redis 5.0 or later, or Valkey, and remove its rename-command for EVAL, EVALSHA, PUBLISH and the like.";
		}
		if (NO_SCRIPTS.matcher(message).find()) {
			return "It cannot run Lua scripts (" + firstLine(message)
					+ "), which locks are made of. Use a server with Lua: some are built or offered without it.";
		}
		if (OTHER_SLOTS.matcher(message).find()) {
			return "It maps the keys of one lock to different slots (" + firstLine(message)
					+ "). Use a server or a proxy that follows hash tags, such as {lock:a} in {lock:a}:queue, and connect to a cluster as such, with Spring Boot by spring.data.redis.cluster.nodes.";
		}
		if (NO_CLUSTER.matcher(message).find()) {
			return "It is no node of a Redis Cluster, and the connection is for one. Connect to it as a single server, with Spring Boot by spring.data.redis.host and spring.data.redis.port instead of spring.data.redis.cluster.nodes.";
		}
		if (WRONG_SERVER.matcher(message).find()) {
			return "The connection settings do not fit it (" + firstLine(message)
					+ "). Correct them, with Spring Boot spring.data.redis.*.";
		}
		return null;
	}

	/**
	 * Where there are several servers, the description does not say which one refuses.
	 * Jedis does not either.
	 */
	private String notAuthenticated(String refusal, Throwable failure) {
		RedisSetup.Topology topology = this.setup.topology();
		boolean several = topology == RedisSetup.Topology.SENTINEL || topology == RedisSetup.Topology.CLUSTER;
		String sentinel = several ? sentinelIn(failure) : null;
		String server = several ? serverIn(failure) : null;
		String from = (sentinel != null) ? ", from the sentinel at " + sentinel
				: (server != null) ? ", from " + server : "";
		String ofSentinels = "spring.data.redis.sentinel.";
		String properties = (sentinel != null) ? ofSentinels : "spring.data.redis.";
		if (NO_CREDENTIALS.matcher(refusal).find()) {
			return "It requires credentials, and the client sent none (NOAUTH" + from
					+ "). Set the password, and the user if it is not the default one, with Spring Boot " + properties
					+ "password and " + properties + "username" + (from.isEmpty()
							? "; those of sentinels are %1$spassword and %1$susername.".formatted(ofSentinels) : ".");
		}
		return "It does not accept the credentials (" + firstLine(refusal) + from
				+ "). Check user and password, with Spring Boot " + properties + "username and " + properties
				+ "password, and whether this " + ((sentinel != null) ? "sentinel" : "server") + " has the user"
				+ ((from.isEmpty() && topology == RedisSetup.Topology.SENTINEL)
						? "; those of sentinels are %1$susername and %1$spassword.".formatted(ofSentinels) : ".");
	}

	private static @Nullable String sentinelIn(Throwable failure) {
		return found(ADDRESS_OF_SENTINEL, failure).map((found) -> found.group(1)).findFirst().orElse(null);
	}

	private static @Nullable String serverIn(Throwable failure) {
		return found(ADDRESS, failure)
			.filter((found) -> found.group(4) == null || NOT_AUTHENTICATED.matcher(found.group(4)).find())
			.map((found) -> (found.group(1).isEmpty() ? found.group(2) : found.group(1)) + found.group(3))
			.findFirst()
			.orElse(null);
	}

	private static Stream<MatchResult> found(Pattern pattern, Throwable failure) {
		return messages(failure).flatMap((message) -> pattern.matcher(message).results());
	}

	private static boolean says(Throwable failure, Pattern pattern) {
		return messages(failure).anyMatch((message) -> pattern.matcher(message).find());
	}

	private static Stream<String> messages(Throwable failure) {
		return causes(failure).stream().map(Throwable::getMessage).filter(Objects::nonNull);
	}

	/** From the failure itself to the innermost one, unless they are a circle. */
	private static List<Throwable> causes(Throwable failure) {
		List<Throwable> causes = new ArrayList<>();
		for (Throwable cause = failure; cause != null && causes.size() < MAX_DEPTH; cause = cause.getCause()) {
			causes.add(cause);
		}
		return causes;
	}

	/** A failure that this store found out by itself is in the message. */
	private static @Nullable Throwable cause(Throwable failure) {
		Throwable cause = unwrap(failure);
		boolean own = cause instanceof CallFailure || cause instanceof TimeoutException
				|| cause instanceof CancellationException;
		return own ? null : cause;
	}

	private static Throwable unwrap(Throwable failure) {
		boolean wrapper = failure instanceof CompletionException || failure instanceof ExecutionException;
		return (wrapper && failure.getCause() != null) ? failure.getCause() : failure;
	}

	static String innermostMessage(Throwable failure) {
		List<Throwable> causes = causes(failure);
		Throwable innermost = causes.get(causes.size() - 1);
		String message = innermost.getMessage();
		if (message == null) {
			return innermost.getClass().getSimpleName();
		}
		return HUNG_UP_EARLY.matcher(message).find() ? "Connection closed during the handshake" : firstLine(message);
	}

	static String firstLine(String message) {
		String line = PLACE_IN_SCRIPT.matcher(message.lines().findFirst().orElse("")).replaceFirst("");
		return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
	}

}
