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

package io.distributedlock.actuate.endpoint;

import java.security.Principal;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Supplier;

import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.actuate.endpoint.LocksEndpoint.ForceReleaseDescriptor;
import io.distributedlock.actuate.endpoint.LocksEndpoint.HoldDescriptor;
import io.distributedlock.actuate.endpoint.LocksEndpoint.Scope;
import io.distributedlock.actuate.endpoint.LocksEndpoint.WhenHeld;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Web extension of the {@link LocksEndpoint}: knows the caller, and responds with status
 * codes.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
@RegisterReflectionForBinding(LocksEndpointWebExtension.Problem.class)
public final class LocksEndpointWebExtension {

	private static final int ACCEPTED = 202;

	private static final int CONFLICT = 409;

	private final LocksEndpoint endpoint;

	private final Show showValues;

	private final Set<String> roles;

	/**
	 * Create a new instance.
	 * @param endpoint the endpoint
	 * @param showValues to whom to show the names of locks
	 * @param roles the authorized roles, or empty for all authenticated users
	 */
	public LocksEndpointWebExtension(LocksEndpoint endpoint, Show showValues, Set<String> roles) {
		this.endpoint = endpoint;
		this.showValues = showValues;
		this.roles = Set.copyOf(roles);
	}

	/**
	 * Show locks, as {@link LocksEndpoint#locks} does, or one, as
	 * {@link LocksEndpoint#lock} does, or explain one.
	 * @param securityContext the caller
	 * @param name the name of the only lock to show, a text that is taken as it is, or
	 * {@code null} to show all
	 * @param explain the name of the only lock to explain, or of what declares it, a text
	 * that is taken as it is, or {@code null}
	 * @param scope whose locks to show, as a text: {@code instance}, the default, or
	 * {@code store}
	 * @param limit how many locks of the store to show at most, or about how many jobs to
	 * ask it; a number
	 * @return the locks, 400 if the request is invalid, or 503 if the store does not
	 * answer
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> locks(SecurityContext securityContext, @Nullable Object name,
			@Nullable Object explain, @Nullable Object scope, @Nullable Object limit) {
		boolean showNames = this.showValues.isShown(securityContext, this.roles);
		if (explain != null) {
			if (!(explain instanceof String only) || name != null || scope != null || limit != null) {
				return badRequest("One lock can be explained: give explain once, and leave name, scope and limit out.");
			}
			return answer(() -> new WebEndpointResponse<>(this.endpoint.explain(only, showNames)), true);
		}
		if (name == null) {
			return answer(() -> new WebEndpointResponse<>(this.endpoint.locks(
					oneOf(Scope.values(), "scope", scope, "Write instance, which is the default, or store."),
					number("limit", limit), showNames)), showNames);
		}
		if (!(name instanceof String only) || scope != null || limit != null) {
			return badRequest("A name asks for one lock: give it once, and leave scope and limit out.");
		}
		return answer(() -> new WebEndpointResponse<>(this.endpoint.lock(only)), true);
	}

	/**
	 * Hold a lock for an operator.
	 * @param securityContext the caller
	 * @param name the name of the lock, a text that is taken as it is
	 * @param duration for how long from now, such as {@code 45m}
	 * @param reason why; whoever is refused reads it
	 * @param whenHeld what to do if the lock is held, as a text: {@code refuse}, the
	 * default, or {@code wait}
	 * @param hold the hold of an operator that is to end at another time, or {@code null}
	 * for a new one
	 * @return 200 with the name and the outcome, 202 if the lock is held and this
	 * instance waits for it, 409 if it is held, 400 if the request is invalid, or 503 if
	 * the store does not answer and the outcome is unknown
	 */
	@WriteOperation
	public WebEndpointResponse<OperationResponseBody> hold(SecurityContext securityContext, @Nullable Object name,
			@Nullable String duration, @Nullable String reason, @Nullable Object whenHeld, @Nullable String hold) {
		if (!(name instanceof String only) || duration == null || (reason == null && hold == null)) {
			return badRequest(((name == null) ? "name is missing"
					: !(name instanceof String) ? "name is given more than once"
							: (duration == null) ? "duration is missing" : "reason is missing")
					+ ". Say which lock to hold, for how long, and why: POST locks with the JSON "
					+ "{\"name\": \"<name>\", \"duration\": \"45m\", \"reason\": \"<reason>\"}.");
		}
		return answer(() -> {
			HoldDescriptor done = this.endpoint.hold(only, duration, reason,
					oneOf(WhenHeld.values(), "whenHeld", whenHeld, "Write refuse, which is the default, or wait."),
					hold, caller(securityContext));
			return new WebEndpointResponse<>(done, switch (done.outcome()) {
				case HELD -> WebEndpointResponse.STATUS_OK;
				case WAITING -> ACCEPTED;
				case HELD_BY_ANOTHER -> CONFLICT;
			});
		}, true);
	}

	/**
	 * Spring would refuse another text without saying which ones there are.
	 */
	private static <E extends Enum<E>> @Nullable E oneOf(E[] values, String parameter, @Nullable Object text,
			String action) {
		if (text == null || text.toString().isEmpty()) {
			return null;
		}
		return Arrays.stream(values)
			.filter((each) -> each.name().equalsIgnoreCase(text.toString()))
			.findFirst()
			.orElseThrow(() -> invalid(parameter, text, action));
	}

	private static @Nullable Integer number(String parameter, @Nullable Object text) {
		if (text == null || text.toString().isEmpty()) {
			return null;
		}
		try {
			return Integer.valueOf(text.toString());
		}
		catch (NumberFormatException ex) {
			throw invalid(parameter, text, "Write a whole number.");
		}
	}

	private static InvalidEndpointRequestException invalid(String parameter, Object text, String action) {
		String reason = parameter + " is '" + Printable.of(text.toString()) + "'. " + action;
		return new InvalidEndpointRequestException(reason, reason);
	}

	/**
	 * Release a lock by force.
	 * @param securityContext the caller
	 * @param name the name of the lock, a text that is taken as it is
	 * @param hold the hold to release, as shown by {@link LocksEndpoint#lock}
	 * @return 200 with the name and the outcome, 404 if the lock is not held, 409 if
	 * another hold has it by now, 400 if the request does not name one lock and its hold,
	 * or 503 if the store does not answer and the outcome is unknown
	 */
	@DeleteOperation
	public WebEndpointResponse<OperationResponseBody> forceRelease(SecurityContext securityContext,
			@Nullable Object name, @Nullable String hold) {
		// A list, if the parameter is given twice: as a text it would be joined by commas
		if (!(name instanceof String only) || hold == null) {
			return badRequest("Name one lock and its hold: DELETE locks?name=<name>&hold=<hold>, "
					+ "with the hold that GET locks?name=<name> shows.");
		}
		return answer(() -> {
			ForceReleaseDescriptor done = this.endpoint.forceRelease(only, hold, caller(securityContext));
			return new WebEndpointResponse<>(done, switch (done.outcome()) {
				case RELEASED -> WebEndpointResponse.STATUS_OK;
				case FREE -> WebEndpointResponse.STATUS_NOT_FOUND;
				case HELD_BY_ANOTHER -> CONFLICT;
			});
		}, true);
	}

	/**
	 * Refuse to look for a name in the path, where empty segments, dots and semicolons do
	 * not survive: another lock would be shown.
	 * @param path the segments, as far as they are known
	 * @return 400
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> lockInPath(
			@Selector(match = Selector.Match.ALL_REMAINING) String... path) {
		return badRequest("The name of a lock is a parameter, and no part of the path: GET locks?name=<name>.");
	}

	/**
	 * Refuse to release a lock that a path names.
	 * @param path the segments, as far as they are known
	 * @return 400
	 */
	@DeleteOperation
	public WebEndpointResponse<OperationResponseBody> forceReleaseInPath(
			@Selector(match = Selector.Match.ALL_REMAINING) String... path) {
		return badRequest("The name of a lock is a parameter, and no part of the path: "
				+ "DELETE locks?name=<name>&hold=<hold>.");
	}

	private static WebEndpointResponse<OperationResponseBody> answer(
			Supplier<WebEndpointResponse<OperationResponseBody>> request, boolean showNames) {
		try {
			return request.get();
		}
		catch (InvalidEndpointRequestException | InvalidLockNameException ex) {
			return badRequest(String.valueOf(ex.getMessage()));
		}
		catch (LockUnavailableException | LockConfigurationException ex) {
			return new WebEndpointResponse<>(
					new Problem(showNames ? String.valueOf(ex.getMessage()) : LocksEndpoint.UNNAMED_PROBLEM),
					WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
	}

	private static WebEndpointResponse<OperationResponseBody> badRequest(String problem) {
		return new WebEndpointResponse<>(new Problem(problem), WebEndpointResponse.STATUS_BAD_REQUEST);
	}

	private static String caller(SecurityContext securityContext) {
		Principal principal = securityContext.getPrincipal();
		return (principal != null) ? principal.getName() : "anonymous";
	}

	/**
	 * The reason why there is no answer.
	 */
	record Problem(String problem) implements OperationResponseBody {

	}

}
