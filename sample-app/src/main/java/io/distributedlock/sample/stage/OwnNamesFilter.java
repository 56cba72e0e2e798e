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
import java.util.Set;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses requests to an instance by another name than those of this machine: the name of
 * a web site that resolves to it (DNS rebinding) must not lead to locks that anybody can
 * release.
 */
final class OwnNamesFilter extends OncePerRequestFilter {

	static final Set<String> OWN_NAMES = Set.of("localhost", "127.0.0.1", "[::1]");

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		if (OWN_NAMES.contains(request.getServerName())) {
			chain.doFilter(request, response);
		}
		else {
			response.sendError(HttpServletResponse.SC_FORBIDDEN);
		}
	}

}
