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

package io.distributedlock.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockAttributes;
import io.distributedlock.annotation.internal.LockFence;
import io.distributedlock.annotation.internal.LockFences;
import io.distributedlock.annotation.internal.WorkGuard;
import io.distributedlock.annotation.internal.WorkGuards;
import io.distributedlock.annotation.internal.expression.LockExpressionParser;
import io.distributedlock.annotation.internal.expression.LockNameExpressions;
import io.distributedlock.internal.LockAttribute;
import io.distributedlock.internal.OptionalModule;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.StringUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Creates the operations of a method from its annotations.
 */
final class LockedMethodFactory {

	private final LockAttributesReader reader;

	private final LockExpressionParser parser;

	private final Supplier<LockService> service;

	private final Supplier<List<LockOptionsCustomizer>> customizers;

	private final LockedInvocationSelector invocations;

	private final Supplier<@Nullable LockFences> fences;

	private final Supplier<@Nullable WorkGuards> guards;

	/** By declared name: one for each lock in the code at most. */
	private final Map<String, SkipLog> skipLogs = new ConcurrentHashMap<>();

	LockedMethodFactory(ConfigurableBeanFactory beanFactory, Supplier<LockService> service,
			ObjectProvider<LockOptionsCustomizer> customizers) {
		this.reader = new LockAttributesReader(beanFactory);
		this.parser = new LockExpressionParser(beanFactory);
		this.service = service;
		this.customizers = SingletonSupplier.of(() -> customizers.orderedStream().toList());
		this.invocations = new LockedInvocationSelector(service);
		this.guards = () -> beanFactory.getBeanProvider(WorkGuards.class).getIfAvailable();
		this.fences = () -> beanFactory.getBeanProvider(LockFences.class).getIfAvailable();
	}

	/**
	 * Return the method, which has a failure if its definition cannot work.
	 */
	LockedMethod create(AnnotatedMethod method, List<MergedAnnotation<DistributedLock>> annotations) {
		DefinitionMistakes mistakes = new DefinitionMistakes();
		AnnotatedMethod any = annotations.stream().anyMatch(LockAttributesReader::isJob) ? method.asJob() : method;
		LockedInvocation invocation = mistakes.read(() -> this.invocations.of(any), (lock, call) -> null);
		List<LockOperation> locks = annotations.stream()
			.map((annotation) -> operation(annotation, LockAttributesReader.isJob(annotation) ? method.asJob() : method,
					mistakes))
			.toList();
		mistakes.check(() -> checkHandleParameter(any, locks));
		mistakes.check(() -> checkOnce(any, locks));
		if (mistakes.first() == null) {
			mistakes.check(() -> checkRepetition(any, locks));
		}
		return new LockedMethod(method, locks, invocation, mistakes.first());
	}

	private LockOperation operation(MergedAnnotation<DistributedLock> annotation, AnnotatedMethod method,
			DefinitionMistakes mistakes) {
		return operation(method, this.reader.read(annotation, method, mistakes),
				LockAnnotationFinder.declaringMethod(annotation, method.method()), mistakes);
	}

	private LockOperation operation(AnnotatedMethod method, LockAttributes attributes, Method declaring,
			DefinitionMistakes mistakes) {
		LockExpressionParser.Scope scope = this.parser.scopeOf(method, declaring);
		LockNameExpressions names = LockNameExpressions.of(attributes.names(), scope, mistakes::add);
		String literal = (names.areEvaluated() || names.asWritten().size() > 1) ? null : names.asWritten().get(0);
		String declaredName = (literal != null && !attributes.names().isEmpty()) ? literal : method.shortName();
		List<String> configuredNames = (literal != null && !literal.equals(declaredName))
				? List.of(declaredName, literal) : List.of(declaredName);
		ContentionHandler onContention = onContention(method, attributes,
				this.skipLogs.computeIfAbsent(declaredName, (key) -> new SkipLog(System::nanoTime)), mistakes);
		return new LockOperation(declaredName, names,
				expression(attributes.condition(), (text) -> LockOperation.CallExpression.condition(scope, text),
						mistakes),
				SingletonSupplier.of(() -> options(method, attributes, configuredNames)),
				() -> sources(attributes, configuredNames), onContention, method.parameterIndexOf(LockHandle.class),
				attributes, scope,
				attributes.fenced() ? mistakes.read(() -> fenceOf(method, attributes), LockFence.NONE) : LockFence.NONE,
				expression(attributes.permitsExpression(), (text) -> LockOperation.CallExpression.permits(scope, text),
						mistakes),
				mistakes.<WorkGuards.@Nullable Guarded>read(
						() -> guarded(method, attributes.once(), declaredName, names, scope), null),
				WorkGuard.NONE);
	}

	private static LockOperation.@Nullable CallExpression expression(String text,
			Function<String, LockOperation.CallExpression> parser, DefinitionMistakes mistakes) {
		return StringUtils.hasText(text)
				? mistakes.<LockOperation.@Nullable CallExpression>read(() -> parser.apply(text), null) : null;
	}

	private WorkGuards.@Nullable Guarded guarded(AnnotatedMethod method, LockAttributes.@Nullable Once once,
			String declaredName, LockNameExpressions names, LockExpressionParser.Scope scope) {
		if (once == null) {
			return null;
		}
		if (names.asWritten().size() > 1) {
			throw method.invalid("name", String.join("\", \"", names.asWritten()), "A job has one name.",
					"Write one name, and lock what else it needs with a lock service.");
		}
		WorkGuards guards = this.guards.get();
		if (guards == null) {
			throw method.invalid("", "",
					"No bean keeps the records of fire times: @OncePerFireTime is applied without DistributedLockConfiguration.",
					"Import that configuration, or use the starter.");
		}
		LockOperation.CallExpression fireTime = once.fireTime().isEmpty() ? null
				: LockOperation.CallExpression.fireTime(scope, once.fireTime());
		return guards.of(method,
				new WorkGuards.Attributes(declaredName, names.areEvaluated() ? null : names.asWritten().get(0),
						once.catchUp(), once.repeat(), (fireTime != null) ? fireTime::evaluate : null));
	}

	private static InvalidLockDefinitionException unfenceable(AnnotatedMethod method) {
		return method.invalid("fenced", "true",
				"Several may hold the lock at the same time, and fencing tokens cannot keep them apart: the database would refuse the writes of all but the last one.",
				"Remove fenced, or the permits and LockMode.SHARED, of the annotation, or with Spring Boot under distributed-lock.locks.");
	}

	private LockFence fenceOf(AnnotatedMethod method, LockAttributes attributes) {
		if (attributes.acceptsOthers()) {
			throw unfenceable(method);
		}
		LockFences fences = this.fences.get();
		if (fences == null) {
			throw OptionalModule.FENCING.isPresent() ? method.invalid("fenced", "true",
					"No bean lets the transactions of the method claim the fence: LockFencingAutoConfiguration is excluded, or the annotation is applied without DistributedLockConfiguration.",
					"Add that configuration. Or leave out 'fenced' and call Fences.claim(handle) at the start of each transaction.")
					: method.invalid("fenced", "true",
							"Fencing is a module of its own, lock-fencing, which is not on the class path: nothing would claim the fence.",
							OptionalModule.FENCING.action());
		}
		return fences.of(method);
	}

	private LockOptions options(AnnotatedMethod method, LockAttributes attributes, List<String> names) {
		String declaredName = names.get(0);
		try {
			LockOptions defaults = this.service.get().defaults().withDeclaredName(declaredName);
			LockOptions options = attributes.over(defaults);
			for (LockOptionsCustomizer customizer : this.customizers.get()) {
				for (String name : names) {
					options = customizer.customize(name, options);
				}
			}
			if (attributes.fenced() && LockAttributes.acceptsOthers(options)) {
				throw unfenceable(method);
			}
			if (attributes.once() != null && LockAttributes.acceptsOthers(options)) {
				throw method.invalid("name", declaredName,
						"The configuration lets several hold the lock at the same time, and each fire time is for one of them.",
						"Remove the permits of this lock (with Spring Boot, under distributed-lock.locks).");
			}
			if (LockAttributes.exceeds(options, defaults)) {
				options = options.withMaxHold(defaults.maxHold());
			}
			return options.withDeclaredName(declaredName);
		}
		catch (IllegalArgumentException ex) {
			throw LockAttributesReader.contradiction(method, attributes, ex);
		}
	}

	/**
	 * Return where each option in force comes from, by attribute.
	 */
	private Map<String, String> sources(LockAttributes attributes, List<String> names) {
		Map<String, String> sources = new LinkedHashMap<>();
		LockOptions defaults = this.service.get().defaults().withDeclaredName(names.get(0));
		LockOptions options = attributes.over(defaults);
		LockAttribute.describe(options).keySet().forEach((each) -> sources.put(each, "built in"));
		noteChanges(LockOptions.defaults(), defaults, "defaults of the application", sources);
		noteChanges(defaults, options, "annotation", sources);
		LockAttribute.OPTIONS.stream()
			.filter((each) -> attributes.given(each) != null)
			.forEach((each) -> sources.put(each.attribute(), "annotation"));
		for (LockOptionsCustomizer customizer : this.customizers.get()) {
			for (String name : names) {
				LockOptions changed = customizer.customize(name, options);
				noteChanges(options, changed, "%s for '%s'".formatted(describe(customizer), name), sources);
				options = changed;
			}
		}
		sources.putAll(LockAttribute.derived(options));
		sources.keySet().retainAll(LockAttribute.describe(options).keySet());
		return sources;
	}

	private static void noteChanges(LockOptions before, LockOptions after, String source, Map<String, String> sources) {
		for (LockAttribute each : LockAttribute.OPTIONS) {
			if (!Objects.equals(each.of(before), each.of(after))) {
				sources.put(each.attribute(), source);
			}
		}
	}

	/**
	 * A lambda has no name of its own, but that of the class that contains it.
	 */
	private static String describe(LockOptionsCustomizer customizer) {
		String text = customizer.toString();
		return text.startsWith(customizer.getClass().getName() + "@")
				? StringUtils.delimitedListToStringArray(customizer.getClass().getName(), "$$")[0] : text;
	}

	private static ContentionHandler onContention(AnnotatedMethod method, LockAttributes attributes, SkipLog log,
			DefinitionMistakes mistakes) {
		boolean skips = attributes.onContention() == OnContention.SKIP;
		boolean fallsBack = StringUtils.hasText(attributes.fallbackMethod());
		if (skips && fallsBack) {
			mistakes.add(method.invalid("fallbackMethod", attributes.fallbackMethod(),
					"onContention = SKIP is given as well: a call that finds the lock held is either skipped or given to the fallback method.",
					"Remove one of the two."));
		}
		ContentionHandler handler = ContentionHandler.RETHROW;
		if (fallsBack) {
			handler = mistakes.read(() -> FallbackMethod.named(attributes.fallbackMethod(), method, log), handler);
		}
		return skips ? mistakes.read(() -> SkippingHandler.of(method, log), handler) : handler;
	}

	/**
	 * The first one would win. Under conditions, they may be for different calls.
	 */
	private static void checkRepetition(AnnotatedMethod method, List<LockOperation> locks) {
		if (locks.size() == 1) {
			return;
		}
		Set<String> names = new HashSet<>();
		locks.stream()
			.filter((lock) -> lock.condition() == null)
			.flatMap((lock) -> lock.names().asWritten().stream().distinct())
			.filter((name) -> !names.add(name))
			.findFirst()
			.ifPresent((name) -> {
				throw method.invalid("name", name,
						"Two annotations of the method have this name, and only one lease and wait can apply to a lock.",
						"Remove one of the annotations, or give each a condition.");
			});
	}

	private static void checkOnce(AnnotatedMethod method, List<LockOperation> locks) {
		if (locks.size() > 1 && locks.stream().anyMatch((lock) -> lock.attributes().once() != null)) {
			throw method.invalid("", "",
					"The method has another lock as well: a call that has one of the two, and not the other, would be in the record as a run.",
					"Move the work under the other lock to a method of another bean.");
		}
	}

	private static void checkHandleParameter(AnnotatedMethod method, List<LockOperation> locks) {
		long count = Arrays.stream(method.method().getParameterTypes()).filter(LockHandle.class::equals).count();
		if (count > 1 || (count == 1 && locks.size() > 1)) {
			throw method.invalid("name",
					String.join("\", \"", locks.stream().flatMap((lock) -> lock.names().asWritten().stream()).toList()),
					"The method has " + count + " parameters of type LockHandle for " + locks.size() + " annotations.",
					"Name all locks in one annotation and take one LockHandle; its parts() are the single locks.");
		}
	}

}
