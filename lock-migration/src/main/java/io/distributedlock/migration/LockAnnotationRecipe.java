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

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.RemoveAnnotationVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.TypeUtils;
import org.openrewrite.marker.SearchResult;

/**
 * Replaces the annotations of another library. It first looks at all sources, because an
 * annotation that switches the library on stays as long as one of its locks does.
 */
abstract class LockAnnotationRecipe extends ScanningRecipe<LockAnnotationRecipe.Seen> {

	/**
	 * The package of the library.
	 */
	abstract String library();

	/**
	 * The annotations that declare a lock.
	 */
	abstract Set<String> locks();

	/**
	 * The annotations that switch the library on, if there are any.
	 */
	Set<String> switches() {
		return Set.of();
	}

	abstract Translation translate(Lock lock, Seen seen);

	/**
	 * Say what is lost when a switch is removed.
	 */
	List<String> notesOfSwitch(Attributes attributes) {
		return List.of();
	}

	@Override
	public Seen getInitialValue(ExecutionContext ctx) {
		return new Seen();
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getScanner(Seen seen) {
		return new TreeVisitor<>() {

			@Override
			public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
				if (tree instanceof J.CompilationUnit unit) {
					new Looking(seen).visit(unit, ctx);
				}
				else if (tree instanceof SourceFile file && isOtherLanguage(file) && mentionsLibrary(file)) {
					seen.kept.add(file.getSourcePath());
				}
				return tree;
			}

		};
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor(Seen seen) {
		return new TreeVisitor<>() {

			@Override
			public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
				if (tree instanceof J.CompilationUnit unit) {
					return editing(seen).visit(unit, ctx);
				}
				if (tree instanceof JavaSourceFile file && isOtherLanguage(file) && mentionsLibrary(file)) {
					return SearchResult.found(tree,
							"The recipes read Java only. Replace the locks of this file by hand.");
				}
				return tree;
			}

		};
	}

	Editing editing(Seen seen) {
		return new Editing(seen);
	}

	private boolean mentionsLibrary(SourceFile file) {
		return file.printAll().contains(library());
	}

	private static boolean isOtherLanguage(SourceFile file) {
		return file.getSourcePath().toString().matches(".*[.](kt|groovy|scala)");
	}

	static String typeOf(J.Annotation annotation) {
		var type = TypeUtils.asFullyQualified(annotation.getType());
		return (type != null) ? type.getFullyQualifiedName() : "";
	}

	/**
	 * What was found in all sources, before any of them was changed.
	 */
	static final class Seen {

		/** How many locks have a name. */
		final Map<String, Integer> names = new HashMap<>();

		/** Sources that need the library afterwards. */
		final Set<Path> kept = new HashSet<>();

		/** Attributes of the switches. */
		final List<Attributes> switches = new ArrayList<>();

		/** Whether the library is used by code, in addition to its annotations. */
		boolean programmatic;

	}

	/**
	 * An annotation that declares a lock.
	 *
	 * @param annotation the annotation
	 * @param attributes its attributes
	 * @param method what it stands on
	 */
	record Lock(J.Annotation annotation, Attributes attributes, J.MethodDeclaration method) {

	}

	private Translation translate(J.Annotation annotation, Cursor cursor, Seen seen) {
		Object owner = cursor.getParentTreeCursor().getValue();
		if (owner instanceof J.MethodDeclaration method) {
			return translate(new Lock(annotation, new Attributes(annotation, cursor), method), seen);
		}
		return new Translation.Kept("It is not on a method. Write @DistributedLock by hand.");
	}

	private class Looking extends JavaIsoVisitor<ExecutionContext> {

		private final Seen seen;

		Looking(Seen seen) {
			this.seen = seen;
		}

		@Override
		public J.CompilationUnit visitCompilationUnit(J.CompilationUnit unit, ExecutionContext ctx) {
			if (unit.getTypesInUse().getTypesInUse().stream().anyMatch((type) -> isCode(String.valueOf(type)))) {
				this.seen.programmatic = true;
			}
			return super.visitCompilationUnit(unit, ctx);
		}

		@Override
		public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext ctx) {
			String type = typeOf(annotation);
			Attributes attributes = new Attributes(annotation, getCursor());
			if (switches().contains(type)) {
				this.seen.switches.add(attributes);
			}
			if (locks().contains(type)) {
				this.seen.names.merge(attributes.source("name"), 1, Integer::sum);
				if (translate(annotation, getCursor(), this.seen) instanceof Translation.Kept) {
					this.seen.kept.add(getCursor().firstEnclosingOrThrow(SourceFile.class).getSourcePath());
				}
			}
			return super.visitAnnotation(annotation, ctx);
		}

	}

	/**
	 * Whether code that uses this type takes locks of the library.
	 */
	boolean isCode(String type) {
		return false;
	}

	class Editing extends JavaIsoVisitor<ExecutionContext> {

		private final Seen seen;

		Editing(Seen seen) {
			this.seen = seen;
		}

		@Override
		public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration declaration, ExecutionContext ctx) {
			J.ClassDeclaration result = super.visitClassDeclaration(declaration, ctx);
			for (J.Annotation annotation : declaration.getLeadingAnnotations()) {
				String type = typeOf(annotation);
				if (!switches().contains(type)) {
					continue;
				}
				if (!this.seen.kept.isEmpty()) {
					result = SearchResult.found(result,
							annotation.getSimpleName() + " stays as long as the library has locks, which are marked: "
									+ this.seen.kept.size() + " file(s).");
					continue;
				}
				List<String> notes = notesOfSwitch(new Attributes(annotation, getCursor()));
				if (!notes.isEmpty()) {
					result = SearchResult.found(result, String.join(" ", notes));
				}
				maybeRemoveImport(type);
				doAfterVisit(new RemoveAnnotationVisitor(new AnnotationMatcher("@" + type)));
			}
			return result;
		}

		@Override
		public J.Annotation visitAnnotation(J.Annotation original, ExecutionContext ctx) {
			J.Annotation annotation = super.visitAnnotation(original, ctx);
			if (!locks().contains(typeOf(annotation))) {
				return annotation;
			}
			Translation translation = translate(annotation, getCursor(), this.seen);
			if (translation instanceof Translation.Kept kept) {
				return SearchResult.found(annotation, "Not replaced. " + kept.reason());
			}
			Translation.Replaced replaced = (Translation.Replaced) translation;
			if (hasSameSimpleName(annotation, replaced)
					&& this.seen.kept.contains(getCursor().firstEnclosingOrThrow(SourceFile.class).getSourcePath())) {
				return SearchResult.found(annotation,
						"Not replaced yet: another annotation of this name in this file cannot be.");
			}
			return replace(annotation, replaced);
		}

		private J.Annotation replace(J.Annotation annotation, Translation.Replaced replaced) {
			List<String> imports = new ArrayList<>(List.of(replaced.type()));
			LockApi.VALUES.forEach((written, type) -> {
				if (replaced.source().contains("= " + written)) {
					imports.add(type);
				}
			});
			removeImportsOf(annotation);
			imports.forEach((type) -> maybeAddImport(type, null, false));
			J.Annotation result = LockApi.annotation(replaced.source(), imports, updateCursor(annotation), annotation);
			return replaced.notes().isEmpty() ? result : SearchResult.found(result, String.join(" ", replaced.notes()));
		}

		private boolean hasSameSimpleName(J.Annotation annotation, Translation.Replaced replaced) {
			return replaced.type().endsWith("." + annotation.getSimpleName());
		}

		/**
		 * Constants stay: they are written in the new annotation as well.
		 */
		private void removeImportsOf(J.Annotation annotation) {
			new JavaIsoVisitor<Integer>() {

				@Override
				public J.Identifier visitIdentifier(J.Identifier identifier, Integer p) {
					var type = TypeUtils.asFullyQualified(identifier.getType());
					if (type != null && (type.getFullyQualifiedName().startsWith(library())
							|| type.getFullyQualifiedName().equals("java.util.concurrent.TimeUnit"))) {
						Editing.this.maybeRemoveImport(type.getFullyQualifiedName());
					}
					return identifier;
				}

			}.visit(annotation, 0);
		}

	}

}
