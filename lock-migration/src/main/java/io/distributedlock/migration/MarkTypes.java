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
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Option;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.NameTree;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.java.tree.TypeUtils;
import org.openrewrite.marker.SearchResult;

/**
 * Marks where a type of another library is an annotation, is caught, or is implemented.
 *
 * @since 0.1.0
 */
public class MarkTypes extends Recipe {

	@Option(displayName = "Type", description = "The name of the type.",
			example = "com.baomidou.lock.LockFailureStrategy")
	private final String type;

	@Option(displayName = "Equivalent", description = "What to write in its place.", example = "a fallbackMethod")
	private final String equivalent;

	@JsonCreator
	public MarkTypes(@JsonProperty("type") String type, @JsonProperty("equivalent") String equivalent) {
		this.type = type;
		this.equivalent = equivalent;
	}

	@Override
	public String getDisplayName() {
		return "Mark uses of a type of another lock";
	}

	@Override
	public String getDescription() {
		return "Marks annotations, catch clauses and implementing classes with what to write in their place.";
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor() {
		return new JavaIsoVisitor<>() {

			@Override
			public J.Annotation visitAnnotation(J.Annotation original, ExecutionContext ctx) {
				J.Annotation annotation = super.visitAnnotation(original, ctx);
				return TypeUtils.isOfClassType(annotation.getType(), MarkTypes.this.type) ? mark(annotation)
						: annotation;
			}

			@Override
			public J.Try.Catch visitCatch(J.Try.Catch original, ExecutionContext ctx) {
				J.Try.Catch clause = super.visitCatch(original, ctx);
				return catches(clause.getParameter().getTree().getTypeExpression()) ? mark(clause) : clause;
			}

			@Override
			public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration original, ExecutionContext ctx) {
				J.ClassDeclaration declaration = super.visitClassDeclaration(original, ctx);
				boolean implemented = declaration.getImplements() != null
						&& declaration.getImplements().stream().anyMatch(this::isType);
				return (implemented || isType(declaration.getExtends())) ? mark(declaration) : declaration;
			}

			private boolean catches(@Nullable TypeTree caught) {
				return (caught instanceof J.MultiCatch several)
						? several.getAlternatives().stream().anyMatch(this::isType) : isType(caught);
			}

			private boolean isType(@Nullable NameTree tree) {
				return tree != null && TypeUtils.isOfClassType(tree.getType(), MarkTypes.this.type);
			}

			private <T extends J> T mark(T tree) {
				return SearchResult.mergingFound(tree, MarkTypes.this.equivalent);
			}

		};
	}

}
