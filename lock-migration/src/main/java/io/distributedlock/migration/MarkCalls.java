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

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Option;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.J;
import org.openrewrite.marker.SearchResult;

/**
 * Marks calls of another library with what to write in their place.
 *
 * @since 0.1.0
 */
public class MarkCalls extends Recipe {

	@Option(displayName = "Method", description = "The pattern of the methods or constructors.",
			example = "org.redisson.api.RedissonClient getLock(String)")
	private final String method;

	@Option(displayName = "Equivalent", description = "What to write in their place.",
			example = "LockService.asLock(name)")
	private final String equivalent;

	@JsonCreator
	public MarkCalls(@JsonProperty("method") String method, @JsonProperty("equivalent") String equivalent) {
		this.method = method;
		this.equivalent = equivalent;
	}

	@Override
	public String getDisplayName() {
		return "Mark calls of another lock";
	}

	@Override
	public String getDescription() {
		return "Marks calls of another library with what to write in their place.";
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor() {
		MethodMatcher matcher = new MethodMatcher(this.method, true);
		return new JavaVisitor<>() {

			@Override
			public J visitMethodInvocation(J.MethodInvocation call, ExecutionContext ctx) {
				J result = super.visitMethodInvocation(call, ctx);
				return matcher.matches(call) ? mark(result) : result;
			}

			@Override
			public J visitMemberReference(J.MemberReference reference, ExecutionContext ctx) {
				J result = super.visitMemberReference(reference, ctx);
				return matcher.matches(reference) ? mark(result) : result;
			}

			@Override
			public J visitNewClass(J.NewClass creation, ExecutionContext ctx) {
				J result = super.visitNewClass(creation, ctx);
				return matcher.matches(creation) ? mark(result) : result;
			}

		};
	}

	private J mark(J tree) {
		return SearchResult.mergingFound(tree, this.equivalent);
	}

}
