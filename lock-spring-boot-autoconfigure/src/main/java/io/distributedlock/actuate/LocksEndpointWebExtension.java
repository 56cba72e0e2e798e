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

package io.distributedlock.actuate;

import java.security.Principal;
import java.util.Set;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.actuate.LocksEndpoint.Scope;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
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
	 * Show locks, as {@link LocksEndpoint#locks} does.
	 * @param securityContext the caller
	 * @param scope whose locks to show
	 * @param limit how many locks of the store to show at most
	 * @return the locks, or 503 if the store does not answer
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> locks(SecurityContext securityContext, @Nullable Scope scope,
			@Nullable Integer limit) {
		boolean showNames = this.showValues.isShown(securityContext, this.roles);
		try {
			return new WebEndpointResponse<>(this.endpoint.locks(scope, limit, showNames));
		}
		catch (LockUnavailableException | LockConfigurationException ex) {
			return problem(ex);
		}
	}

	/**
	 * Release a lock by force.
	 * @param securityContext the caller
	 * @param name the name of the lock
	 * @param hold the hold to release, as shown by {@link LocksEndpoint#lock}
	 * @return 204 if it was taken from its holder, 404 if it is not held, 409 if another
	 * hold has it by now, 503 if the store does not answer, and the outcome is unknown
	 */
	@DeleteOperation
	public WebEndpointResponse<OperationResponseBody> forceRelease(SecurityContext securityContext,
			@Selector(match = Selector.Match.ALL_REMAINING) String[] name, String hold) {
		try {
			ForceReleaseDescriptor done = this.endpoint.forceRelease(String.join("/", name), hold,
					caller(securityContext));
			return switch (done.outcome()) {
				case RELEASED -> new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
				case FREE -> new WebEndpointResponse<>(done, WebEndpointResponse.STATUS_NOT_FOUND);
				case HELD_BY_ANOTHER -> new WebEndpointResponse<>(done, CONFLICT);
			};
		}
		catch (LockUnavailableException | LockConfigurationException ex) {
			return problem(ex);
		}
	}

	private static WebEndpointResponse<OperationResponseBody> problem(RuntimeException problem) {
		return new WebEndpointResponse<>(new Problem(String.valueOf(problem.getMessage())),
				WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
	}

	private static String caller(SecurityContext securityContext) {
		Principal principal = securityContext.getPrincipal();
		return (principal != null) ? principal.getName() : "anonymous";
	}

	/**
	 * Why there is no answer.
	 *
	 * @param problem a sentence
	 */
	record Problem(String problem) implements OperationResponseBody {

	}

}
