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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Option;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.marker.SearchResult;
import org.openrewrite.xml.XmlVisitor;
import org.openrewrite.xml.tree.Content;
import org.openrewrite.xml.tree.Xml;

/**
 * Adds a dependency beside those of another library, and removes them if no source uses
 * the library any more. It changes texts only, and resolves nothing.
 *
 * @since 0.1.0
 */
public class ReplaceDependency extends ScanningRecipe<AtomicBoolean> {

	private static final String STILL_USED = "Still used by what is marked in the sources.";

	@Option(displayName = "Group", description = "The group of the dependencies to replace.",
			example = "net.javacrumbs.shedlock")
	private final String group;

	@Option(displayName = "Artifacts", description = "How the names of the artifacts begin.", example = "shedlock")
	private final String artifacts;

	@Option(displayName = "Library", description = "The package of the library.", example = "net.javacrumbs.shedlock")
	private final String library;

	@Option(displayName = "Dependency", description = "The dependency to add: group, artifact and version.",
			example = "io.distributedlock:lock-spring-boot-starter:1.0.0")
	private final String dependency;

	@JsonCreator
	public ReplaceDependency(@JsonProperty("group") String group, @JsonProperty("artifacts") String artifacts,
			@JsonProperty("library") String library, @JsonProperty("dependency") String dependency) {
		this.group = group;
		this.artifacts = artifacts;
		this.library = library;
		this.dependency = dependency;
	}

	@Override
	public String getDisplayName() {
		return "Replace the dependency of another lock";
	}

	@Override
	public String getDescription() {
		return "Adds a dependency to `pom.xml` and `build.gradle`, and removes those of a library that no source uses any more.";
	}

	/**
	 * Only then do the sources show what is left.
	 */
	@Override
	public boolean causesAnotherCycle() {
		return true;
	}

	@Override
	public AtomicBoolean getInitialValue(ExecutionContext ctx) {
		return new AtomicBoolean();
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getScanner(AtomicBoolean used) {
		return new TreeVisitor<>() {

			@Override
			public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
				if (tree instanceof SourceFile file
						&& file.getSourcePath().toString().matches(".*[.](java|kt|groovy|scala)") && uses(file)) {
					used.set(true);
				}
				return tree;
			}

		};
	}

	private boolean uses(SourceFile file) {
		String use = ReplaceDependency.this.library + ".";
		return (file instanceof J.CompilationUnit unit)
				? unit.getImports().stream().anyMatch((each) -> each.getTypeName().startsWith(use))
						|| unit.getTypesInUse()
							.getTypesInUse()
							.stream()
							.anyMatch((type) -> String.valueOf(type).startsWith(use))
				: file.printAll().contains(use);
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor(AtomicBoolean used) {
		return new TreeVisitor<>() {

			@Override
			public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
				boolean marks = used.get() && ctx.getCycle() > 1;
				if (tree instanceof Xml.Document document && document.getSourcePath().endsWith("pom.xml")) {
					return new Maven(used.get(), marks).visit(tree, ctx);
				}
				if (tree instanceof JavaSourceFile file
						&& file.getSourcePath().toString().matches(".*[.]gradle([.]kts)?")) {
					return gradle(file, used.get(), marks, ctx);
				}
				return tree;
			}

		};
	}

	private SourceFile gradle(JavaSourceFile file, boolean used, boolean marks, ExecutionContext ctx) {
		SourceFile result = (SourceFile) new Gradle(used, marks).visitNonNull(file, ctx);
		if (result == file && !marks && file.printAll().contains(coordinates())
				&& !file.printAll().contains(this.dependency)) {
			return SearchResult.found(file, "Replace " + this.group + " by hand, with " + this.dependency + ".");
		}
		return result;
	}

	private String coordinates() {
		return this.group + ":" + this.artifacts;
	}

	private final class Maven extends XmlVisitor<ExecutionContext> {

		private final boolean used;

		private final boolean marks;

		Maven(boolean used, boolean marks) {
			this.used = used;
			this.marks = marks;
		}

		@Override
		public Xml visitTag(Xml.Tag original, ExecutionContext ctx) {
			Xml.Tag tag = (Xml.Tag) super.visitTag(original, ctx);
			if (!tag.getName().equals("dependencies") || tag.getContent() == null
					|| tag.getContent().stream().noneMatch(this::isOld)) {
				return tag;
			}
			boolean managed = getCursor().getParentTreeCursor().getValue() instanceof Xml.Tag parent
					&& parent.getName().equals("dependencyManagement");
			boolean add = !managed && tag.getContent().stream().noneMatch(this::isNew);
			List<Content> content = new ArrayList<>();
			boolean added = false;
			boolean changed = false;
			for (Content each : tag.getContent()) {
				if (!isOld(each)) {
					content.add(each);
					continue;
				}
				if (add && !added && !isForTests((Xml.Tag) each)) {
					content.add(newDependency((Xml.Tag) each));
					added = true;
				}
				Content kept = this.marks ? SearchResult.found((Xml.Tag) each, STILL_USED) : each;
				changed |= added || !this.used || kept != each;
				if (this.used) {
					content.add(kept);
				}
			}
			return changed ? tag.withContent(content) : tag;
		}

		private boolean isOld(Content content) {
			return content instanceof Xml.Tag tag && tag.getName().equals("dependency")
					&& tag.getChildValue("groupId").filter(ReplaceDependency.this.group::equals).isPresent()
					&& tag.getChildValue("artifactId")
						.filter((artifact) -> artifact.startsWith(ReplaceDependency.this.artifacts))
						.isPresent();
		}

		private boolean isForTests(Xml.Tag dependency) {
			return dependency.getChildValue("scope").filter("test"::equals).isPresent();
		}

		private boolean isNew(Content content) {
			String[] coordinates = ReplaceDependency.this.dependency.split(":");
			return content instanceof Xml.Tag tag
					&& tag.getChildValue("artifactId").filter(coordinates[1]::equals).isPresent();
		}

		private Xml.Tag newDependency(Xml.Tag old) {
			String[] coordinates = ReplaceDependency.this.dependency.split(":");
			String inner = old.getChildren().get(0).getPrefix();
			Xml.Tag.Closing closing = old.getClosing();
			String outer = (closing != null) ? closing.getPrefix() : old.getPrefix();
			return Xml.Tag
				.build("<dependency>" + inner + "<groupId>" + coordinates[0] + "</groupId>" + inner + "<artifactId>"
						+ coordinates[1] + "</artifactId>" + inner + "<version>" + coordinates[2] + "</version>" + outer
						+ "</dependency>")
				.withPrefix(old.getPrefix());
		}

	}

	/**
	 * Groovy and Kotlin scripts are both trees of this kind.
	 */
	private final class Gradle extends JavaIsoVisitor<ExecutionContext> {

		private final boolean used;

		private final boolean marks;

		Gradle(boolean used, boolean marks) {
			this.used = used;
			this.marks = marks;
		}

		@Override
		public J.Block visitBlock(J.Block original, ExecutionContext ctx) {
			J.Block block = super.visitBlock(original, ctx);
			if (block.getStatements().stream().noneMatch(this::isOld)) {
				return block;
			}
			boolean add = block.getStatements()
				.stream()
				.noneMatch((each) -> names(each, ReplaceDependency.this.dependency));
			List<Statement> statements = new ArrayList<>();
			boolean added = false;
			for (Statement each : block.getStatements()) {
				if (!isOld(each)) {
					statements.add(each);
					continue;
				}
				if (add && !added && !each.print(getCursor()).strip().startsWith("test")) {
					statements.add(renamed(each, ctx));
					added = true;
				}
				if (this.used) {
					statements.add(this.marks ? SearchResult.found(each, STILL_USED) : each);
				}
			}
			return block.withStatements(statements);
		}

		private boolean isOld(Statement statement) {
			return !(statement instanceof J.Block) && names(statement, coordinates());
		}

		private boolean names(Statement statement, String coordinates) {
			AtomicBoolean found = new AtomicBoolean();
			new JavaIsoVisitor<AtomicBoolean>() {

				@Override
				public J.Literal visitLiteral(J.Literal literal, AtomicBoolean result) {
					// A part of a text with variables has no quotation marks
					if (literal.getValue() instanceof String text && text.startsWith(coordinates)
							&& String.valueOf(literal.getValueSource()).matches("(?s)['\"].*")) {
						result.set(true);
					}
					return literal;
				}

				@Override
				public J.Block visitBlock(J.Block nested, AtomicBoolean result) {
					return nested;
				}

			}.visit(statement, found);
			return found.get();
		}

		private Statement renamed(Statement old, ExecutionContext ctx) {
			Statement copy = (Statement) new JavaIsoVisitor<ExecutionContext>() {

				@Override
				public J.Literal visitLiteral(J.Literal literal, ExecutionContext p) {
					String source = String.valueOf(literal.getValueSource());
					String quote = source.substring(0, 1);
					return literal.withValue(ReplaceDependency.this.dependency)
						.withValueSource(quote + ReplaceDependency.this.dependency + quote);
				}

			}.visitNonNull(old, ctx);
			return copy.withId(Tree.randomId());
		}

	}

}
