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

package io.distributedlock.annotation.internal.validation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.InvalidLockDefinitionException;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.LockFinding.Severity;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockAttributes;
import io.distributedlock.annotation.internal.ReactiveTypes;
import io.distributedlock.internal.LockAttribute;
import io.distributedlock.annotation.internal.SimilarNames;
import io.distributedlock.annotation.internal.expression.LockExpressionParser;
import io.distributedlock.annotation.internal.expression.LockExpressionTypes;
import io.distributedlock.annotation.internal.expression.LockNameFormatter;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.NativeDetector;
import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDivide;
import org.springframework.expression.spel.ast.OpMinus;
import org.springframework.expression.spel.ast.OpModulus;
import org.springframework.expression.spel.ast.OpMultiply;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Inspects names, conditions and durations for values that parse, but are probably not
 * intended or fail with every call.
 */
final class LockAttributesInspector {

	private static final Pattern IN_BRACES = Pattern.compile("(?<!#)\\{([\\p{L}_$][\\p{L}\\p{N}_$]*)([^{}]*)}");

	/** Each may have the position of its argument, in one of two groups. */
	private static final Pattern FORMAT = Pattern.compile("%(?:(\\d{1,2})\\$)?[sdS]|\\{(\\d{1,2})?}");

	private static final Pattern PATH = Pattern.compile("\\s*([\\p{L}_$][\\p{L}\\p{N}_$]*)((?:[.(\\[].*)?)");

	private static final Pattern CALL = Pattern.compile("[\\p{L}_$][\\p{L}\\p{N}_$]*\\(\\)");

	private static final Pattern ID = Pattern.compile("(.+?)(?:Id|ID)s?");

	private static final Pattern POSITION = Pattern.compile("id|[pa]\\d+");

	/** In bytes of UTF-8, for every lock service. */
	private static final int LONGEST_NAME = 4096;

	private static final Set<String> OF_ALL_OBJECTS = Set.of("hashCode", "toString");

	/** So many properties are listed. */
	private static final int FEW = 6;

	/** So much of a long name. */
	private static final int SHOWN = 30;

	/** A shorter one cannot work. */
	private static final Duration SHORTEST_LEASE = Duration.ofMillis(10);

	private static final Duration SHORTEST_USUAL_LEASE = Duration.ofSeconds(1);

	private final ConfigurableListableBeanFactory beanFactory;

	private final InspectedMethod.Lock lock;

	private final AnnotatedMethod method;

	private final LockExpressionTypes types;

	private final List<LockFinding> findings = new ArrayList<>();

	private LockAttributesInspector(InspectedMethod.Lock lock, ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.lock = lock;
		this.method = lock.scope().method();
		this.types = new LockExpressionTypes(lock.scope(), beanFactory);
	}

	/**
	 * @param method a method whose definition may have mistakes that are already known
	 */
	static List<LockFinding> of(InspectedMethod method, ConfigurableListableBeanFactory beanFactory) {
		List<LockFinding> findings = new ArrayList<>();
		for (InspectedMethod.Lock lock : method.written()) {
			LockAttributesInspector checks = new LockAttributesInspector(lock, beanFactory);
			lock.attributes().names().forEach((name) -> unlessKnown(() -> checks.name(name)));
			unlessKnown(() -> checks.condition(lock.attributes().condition()));
			unlessKnown(() -> checks.permits(lock.attributes().permitsExpression()));
			unlessKnown(() -> checks.fireTime(lock.attributes().once()));
			findings.addAll(checks.findings);
		}
		return findings;
	}

	/**
	 * Look for durations in the wrong unit.
	 * @param severity an error if the durations cannot be meant as they are written
	 */
	static List<LockFinding> durations(InspectedMethod method, ConfigurableListableBeanFactory beanFactory,
			Severity severity) {
		List<LockFinding> findings = new ArrayList<>();
		for (InspectedMethod.Lock lock : method.written()) {
			LockAttributesInspector checks = new LockAttributesInspector(lock, beanFactory);
			checks.durations().forEach((attribute) -> checks.duration(attribute, severity));
			findings.addAll(checks.findings);
		}
		return findings;
	}

	private Stream<LockAttribute> durations() {
		return LockAttribute.OPTIONS.stream()
			.filter((option) -> option.kind() == LockAttribute.Kind.DURATION
					&& this.lock.attributes().given(option) != null);
	}

	private static void unlessKnown(Runnable check) {
		try {
			check.run();
		}
		catch (InvalidLockDefinitionException ex) {
			// The expression cannot be parsed, which is among the known mistakes
		}
	}

	private void name(String text) {
		Expression expression = this.lock.scope().name(text);
		int bytes = text.getBytes(StandardCharsets.UTF_8).length;
		if (expression == null && bytes > LONGEST_NAME) {
			error("%s cannot work. It has %d bytes in UTF-8, and a name has at most %d.".formatted(
					annotation("name", text.substring(0, SHOWN) + "…"), bytes, LONGEST_NAME), "Write a shorter name.");
			return;
		}
		if (expression != null) {
			String template = this.lock.scope().unambiguousTemplateOf(text);
			String missing = (template != null) ? missingOfRoot(expression) : null;
			if (missing != null) {
				error(annotation("name", text) + " reads " + missing
						+ " of #root, which has no such property: it is an expression, as a variable stands outside of #{…}.",
						"Write \"" + template + "\".");
				return;
			}
			follow("name", text, expression);
			withoutPrefix(text, expression);
			values(text, expression, false);
			quoted(text, expression);
			return;
		}
		if (!text.isBlank() && !text.equals(text.strip())) {
			warn(annotation("name", text)
					+ " begins or ends with a blank, which is a part of the name: it is another lock than \""
					+ text.strip() + "\".", "Remove the blank.");
		}
		String intended = intended(text);
		if (intended != null) {
			warn(annotation("name", text) + " is a literal: all calls have this one lock.", "Did you mean \"" + intended
					+ "\"? If it is meant as written, quote it: \"'" + text.replace("'", "''") + "'\".");
		}
	}

	private @Nullable String missingOfRoot(Expression expression) {
		List<String> missing = new ArrayList<>();
		this.types.follow(expression, (step) -> {
			if (step.isOfRoot() && !step.exists()) {
				missing.add(step.member().toStringAST());
			}
		});
		return missing.isEmpty() ? null : missing.get(0);
	}

	/**
	 * Quotation marks around the whole name make a literal of it.
	 */
	private void quoted(String text, Expression expression) {
		String quoted = LockExpressionParser.quotedText(expression);
		String template = (quoted != null) ? this.lock.scope().templateOf(quoted) : null;
		if (template != null && !template.equals(quoted)) {
			warn(annotation("name", text) + " is a literal: all calls have this one lock.",
					"Did you mean \"" + template + "\"?");
		}
	}

	private void values(String text, Expression expression, boolean joined) {
		if (expression instanceof CompositeStringExpression template) {
			Arrays.stream(template.getExpressions()).forEach((part) -> values(text, part, true));
		}
		else if (expression instanceof SpelExpression spel) {
			value(text, spel.getAST(), joined);
		}
	}

	private void value(String text, SpelNode node, boolean joined) {
		if (node instanceof OpPlus && node.getChildCount() == 2) {
			value(text, node.getChild(0), true);
			value(text, node.getChild(1), true);
			return;
		}
		Class<?> type = this.types.contentTypeOf(node);
		if (type == null) {
			return;
		}
		String value = node.toStringAST();
		String contained = (this.types.typeOf(node) != type) ? " in an Optional" : "";
		String problem = annotation("name", text) + " cannot work. " + value + " is of type " + type.getSimpleName()
				+ contained;
		if (ReactiveTypes.isPublisher(type) || Future.class.isAssignableFrom(type)
				|| CompletionStage.class.isAssignableFrom(type)) {
			error(problem + ", whose value may not be there yet, and is not a part of its text.",
					"Put the annotation on a method that takes the value itself, in another bean, and call that when the value is there.");
		}
		else if (Map.class.isAssignableFrom(type)) {
			error(problem + ", whose entries may be in another order in every instance.",
					"Write the entries that identify it, as in " + value
							+ (contained.isEmpty() ? "['id']" : "?.get('id')") + ".");
		}
		else if (joined && isMany(type)) {
			error(problem + ", which cannot be a part of a name.",
					"Give each element a name of its own, as in \"" + projection(node, "order") + "\".");
		}
		else if (isWithoutText(type)) {
			error(problem + ", which has no toString() of its own.",
					"Write a property that identifies it%s.".formatted(exampleOf(node, type)));
		}
		else if (LockNameFormatter.hasTextOfAllFields(type)) {
			String example = exampleOf(node, type);
			this.findings.add(LockNameFormatter.textOfAllFields(this.method,
					annotation("name", text) + " contains " + value + " of type " + type.getSimpleName() + contained,
					example));
		}
	}

	private String exampleOf(SpelNode node, Class<?> type) {
		return LockExpressionTypes.readable(type).contains("id") ? ", as in " + path(node) + ".id" : "";
	}

	/**
	 * Neither the class nor a subclass has a text, not even one of a hash code of its
	 * own, or elements. A native image does not know the members of each class.
	 */
	private static boolean isWithoutText(Class<?> type) {
		return !NativeDetector.inNativeImage() && isClosed(type) && !type.isPrimitive() && !type.isArray()
				&& !Iterable.class.isAssignableFrom(type) && Stream.of("toString", "hashCode")
					.allMatch((name) -> ClassUtils.getMethod(type, name).getDeclaringClass() == Object.class);
	}

	private static boolean isMany(Class<?> type) {
		return type.isArray() || Collection.class.isAssignableFrom(type);
	}

	private String projection(SpelNode values, String prefix) {
		return path(values) + ".!['" + prefix + ":' + #this]";
	}

	/** The beginning of a path that leads into an {@link Optional}. */
	private String path(SpelNode value) {
		return value.toStringAST() + ((this.types.typeOf(value) == Optional.class) ? "?" : "");
	}

	/**
	 * Numbers identify many kinds of things. A text in a variable may be a whole name,
	 * and a UUID identifies only one thing.
	 */
	private void withoutPrefix(String text, Expression expression) {
		String prefixed = prefixed(text, expression);
		if (prefixed != null) {
			warn(annotation("name", text)
					+ " is a value without a prefix: locks for different things, such as order 5 and user 5, are then the same lock.",
					"Write \"%s\".".formatted(prefixed));
		}
	}

	/**
	 * Return the name with a prefix, or {@code null} if it needs none.
	 */
	private @Nullable String prefixed(String text, Expression expression) {
		if (!(expression instanceof SpelExpression spel)) {
			return null;
		}
		SpelNode node = spel.getAST();
		boolean path = node instanceof CompoundExpression;
		SpelNode start = path ? node.getChild(0) : node;
		if (!(start instanceof VariableReference) || start.toStringAST().equals("#root")) {
			return null;
		}
		String variable = start.toStringAST().substring(1);
		Class<?> type = this.types.contentTypeOf(node);
		boolean complete = path ? type == null || !ClassUtils.isAssignable(Number.class, type)
				: type == UUID.class || variable.toLowerCase(Locale.ROOT).contains("lock");
		String prefix = prefix(variable);
		return complete ? null : (type != null && isMany(type)) ? projection(node, prefix)
				: prefix + ":" + (text.contains("#{") ? text.strip() : "#{" + text.strip() + "}");
	}

	private String prefix(String variable) {
		Matcher id = ID.matcher(variable);
		if (id.matches()) {
			return id.group(1);
		}
		return POSITION.matcher(variable).matches() ? this.method.method().getName() : variable;
	}

	private @Nullable String intended(String literal) {
		Matcher braces = IN_BRACES.matcher(literal);
		String template = braces.replaceAll((match) -> Matcher.quoteReplacement(
				isParameter(match.group(1)) ? "#{#" + match.group(1) + match.group(2) + "}" : match.group()));
		if (!template.equals(literal)) {
			return withPrefix(template);
		}
		String marked = this.lock.scope().templateOf(literal);
		if (!marked.equals(literal)) {
			return withPrefix(marked);
		}
		String formatted = formatted(literal);
		if (!formatted.equals(literal)) {
			return withPrefix(formatted);
		}
		Matcher path = PATH.matcher(literal);
		if (path.matches() && isParameter(path.group(1))) {
			return withPrefix("#" + literal.strip());
		}
		return CALL.matcher(literal).matches() ? "#root.target." + literal : null;
	}

	/**
	 * Return a proposal that is not warned of in its turn.
	 */
	private String withPrefix(String name) {
		try {
			Expression expression = this.lock.scope().name(name);
			String prefixed = (expression != null) ? prefixed(name, expression) : null;
			return (prefixed != null) ? prefixed : name;
		}
		catch (InvalidLockDefinitionException ex) {
			return name;
		}
	}

	/**
	 * Nothing formats a name, as {@code String.format}, {@code MessageFormat} or a logger
	 * would.
	 */
	private String formatted(String literal) {
		Parameter[] parameters = this.method.method().getParameters();
		AtomicInteger next = new AtomicInteger();
		return FORMAT.matcher(literal).replaceAll((match) -> {
			int index = (match.group(1) != null) ? Integer.parseInt(match.group(1)) - 1
					: (match.group(2) != null) ? Integer.parseInt(match.group(2)) : next.getAndIncrement();
			if (index < 0 || index >= parameters.length) {
				return Matcher.quoteReplacement(match.group());
			}
			String name = parameters[index].getName();
			return Matcher.quoteReplacement("#{#" + (isParameter(name) ? name : "p" + index) + "}");
		});
	}

	private boolean isParameter(String name) {
		return this.lock.scope().isVariable(name);
	}

	private void condition(String text) {
		if (text.isBlank()) {
			return;
		}
		Expression expression = this.lock.scope().condition(text);
		follow("condition", text, expression);
		if (!(expression instanceof SpelExpression spel)) {
			return;
		}
		ConstantExpressions constants = new ConstantExpressions(this.types);
		int before = this.findings.size();
		constants.impossible(spel.getAST(), (problem, action) -> error(
				annotation("condition", text) + " cannot work. " + StringUtils.capitalize(problem), action));
		if (this.findings.size() > before) {
			return;
		}
		Boolean constant = constants.condition(spel.getAST());
		if (constant != null) {
			constant(this.lock.attributes().written().getOrDefault("condition", text), constant);
		}
		else if (isNeverBoolean(spel.getAST())) {
			error(annotation("condition", text) + " cannot work. It does not give true or false.",
					"Write an expression that does, as in #amount > 100.");
		}
	}

	/**
	 * A property that switches a lock off is worth a line, one that leaves it on is not.
	 */
	private void constant(String written, boolean needed) {
		boolean property = written.contains("${");
		if (!needed) {
			warn(annotation("condition", written) + " is false for all calls: they all run without the lock.", property
					? "Give the property another value. If it is meant to switch the lock off, say so with @SuppressLockWarnings."
					: "Write a condition that depends on the arguments, as in #amount > 100. Or remove the annotation.");
		}
		else if (!property) {
			warn(annotation("condition", written) + " is true for all calls, as it is without a condition.",
					"Write a condition that depends on the arguments, as in #amount > 100. Or remove the condition.");
		}
	}

	private boolean isNeverBoolean(SpelNode node) {
		if (isArithmetic(node) || node instanceof Literal) {
			return true;
		}
		Class<?> type = this.types.typeOf(node);
		return type != null && type != String.class && ClassUtils.resolvePrimitiveIfNecessary(type) != Boolean.class
				&& isClosed(type);
	}

	private static boolean isArithmetic(SpelNode node) {
		return node instanceof OpPlus || node instanceof OpMinus || node instanceof OpMultiply
				|| node instanceof OpDivide || node instanceof OpModulus;
	}

	private void permits(String text) {
		if (text.isEmpty()) {
			return;
		}
		Expression expression = this.lock.scope().permits(text);
		follow("permitsString", text, expression);
		if (expression instanceof SpelExpression spel && isNeverPermits(spel.getAST())) {
			error(annotation("permitsString", text) + " cannot work. It does not give a whole number of at least 1.",
					"Write a number, or an expression that is one for all arguments, as in #tenant.parallelExports.");
		}
	}

	private void fireTime(LockAttributes.@Nullable Once once) {
		if (once != null && !once.fireTime().isEmpty()) {
			follow("fireTime", once.fireTime(), this.lock.scope().fireTime(once.fireTime()));
		}
	}

	private boolean isNeverPermits(SpelNode node) {
		if (ConstantExpressions.isWritten(node)) {
			return LockAttributes.permitsOf(ConstantExpressions.result(node)) < 1;
		}
		Class<?> type = this.types.typeOf(node);
		if (type == null || !isClosed(type)) {
			return false;
		}
		Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
		return !Number.class.isAssignableFrom(boxed) && !CharSequence.class.isAssignableFrom(boxed)
				&& boxed != Character.class && !hasTextOfItsOwn(boxed);
	}

	/**
	 * Return whether the application defines the text of the objects of a type.
	 */
	private static boolean hasTextOfItsOwn(Class<?> type) {
		Method text = ClassUtils.getMethod(type, "toString");
		return !text.getDeclaringClass().getName().startsWith("java.")
				&& !(type.isRecord() && Modifier.isFinal(text.getModifiers()));
	}

	private void follow(String attribute, String text, Expression expression) {
		this.types.visit(expression, (node) -> node(attribute, text, node));
		this.types.follow(expression, (step) -> {
			if (!step.exists()) {
				if (step.member() instanceof BeanReference bean) {
					bean(attribute, text, LockExpressionTypes.beanName(bean));
				}
				else if (isReadable(step)) {
					member(attribute, text, step);
				}
			}
		});
	}

	private void node(String attribute, String text, SpelNode node) {
		if (node instanceof Assign) {
			error(annotation(attribute, text) + " cannot work. It assigns a value to " + node.getChild(0).toStringAST()
					+ ".",
					"Write == to compare, as in %s == %s.".formatted(node.getChild(0).toStringAST(),
							node.getChild(1).toStringAST()));
		}
		else if (node instanceof TypeReference type && !this.types.isKnown(type)) {
			error(annotation(attribute, text) + " cannot work. There is no class for " + type.toStringAST() + ".",
					"Write the name of a class with its package, as in T(java.time.LocalDate).");
		}
		else if (node instanceof VariableReference && this.types.typeOf(node) == LockHandle.class) {
			error(annotation(attribute, text) + " cannot work. " + node.toStringAST()
					+ " is the handle, which does not exist before the lock is held.", "Use the other arguments only.");
		}
	}

	/**
	 * A method with arguments may be overloaded, and an Object may be anything.
	 */
	private static boolean isReadable(LockExpressionTypes.Step step) {
		return step.type() != Object.class && step.member().getChildCount() == 0
				&& (step.member() instanceof MethodReference || step.member() instanceof PropertyOrFieldReference);
	}

	private void bean(String attribute, String text, String name) {
		String nearest = SimilarNames.nearest(name, List.of(this.beanFactory.getBeanDefinitionNames()));
		error(annotation(attribute, text) + " cannot work. There is no bean '" + name + "'.",
				((nearest != null) ? "Did you mean @" + nearest + "? " : "") + "Define the bean, or name another one.");
	}

	private void member(String attribute, String text, LockExpressionTypes.Step step) {
		Class<?> type = step.type();
		boolean root = step.isOfRoot();
		String written = step.member().toStringAST();
		String problem = annotation(attribute, text) + " reads " + written + " of " + step.from()
				+ (root ? "" : " of type " + type.getTypeName()) + ", which has no such "
				+ ((step.member() instanceof MethodReference) ? "method." : "property.");
		Set<String> readable = LockExpressionTypes.readable(type);
		String nearest = SimilarNames.nearest(written.replace("()", ""), readable);
		String advice = (nearest != null) ? "Did you mean " + nearest + "? " : "";
		if (root && isParameter(written)) {
			error(problem, "Did you mean #" + written + "?");
		}
		else if (type.isPrimitive() && KotlinDetector.isKotlinType(this.method.targetClass())) {
			error(problem, "Kotlin passes only the value inside a value class: leave the property out, as in "
					+ step.start().toStringAST() + ".");
		}
		else if (nearest == null && attribute.equals("name") && step.member() == step.start()) {
			error(problem, "If it is a text, quote it: '%s'.".formatted(written));
		}
		else if (nearest == null && isClosed(type) && BeanUtils.isSimpleValueType(type)) {
			String value = text.replaceFirst(Pattern.quote(step.from()) + "[?]?[.]" + Pattern.quote(written),
					Matcher.quoteReplacement(step.from()));
			error(problem,
					"Leave it out, as in \"%s\".".formatted(attribute.equals("name") ? withPrefix(value) : value));
		}
		else if (type == Optional.class) {
			error(problem, advice + "To read from what it contains, write %s?.%s.".formatted(step.from(), written));
		}
		else if (isClosed(type)) {
			Set<String> known = new TreeSet<>(readable);
			known.removeAll(OF_ALL_OBJECTS);
			boolean few = nearest == null && !root && known.size() <= FEW && !known.isEmpty();
			error(problem, advice + "Use a property or method that it has"
					+ (few ? ": " + String.join(", ", known) : "") + ".");
		}
		else if (Map.class.isAssignableFrom(type) && step.member() instanceof PropertyOrFieldReference) {
			warn(problem,
					"Write %s['%s'] for an entry. If only a subclass has it, calls with other objects are refused."
						.formatted(step.from(), written));
		}
		else {
			warn(problem, advice + "If only a subclass has it, calls with other objects are refused.");
		}
	}

	private static boolean isClosed(Class<?> type) {
		return type.isPrimitive() || type.isArray() || Modifier.isFinal(type.getModifiers());
	}

	/**
	 * Most other libraries count in milliseconds.
	 */
	private void duration(LockAttribute attribute, Severity severity) {
		Map<String, String> written = this.lock.attributes().written();
		String name = attribute.attribute();
		String number = written.get(name);
		String text = written.get(attribute.textName());
		if (text != null) {
			numberInText(attribute, text, severity);
		}
		else if (number != null && LockAttributes.isProbablyMilliseconds(attribute, number)) {
			long seconds = Long.parseLong(number);
			String shown = Printable.of(Duration.ofSeconds(seconds));
			String unit = isUnitOfAll(written) ? "timeUnit = TimeUnit.MILLISECONDS" : "";
			String inMilliseconds = (seconds % 1000 == 0)
					? "%s = %d%s".formatted(name, seconds / 1000, unit.isEmpty() ? "" : ", or " + unit)
					: unit.isEmpty() ? "%sString = \"%sms\"".formatted(name, number) : unit;
			unit("@DistributedLock(%s = %s) is %s: numbers are seconds.".formatted(name, number, shown),
					"If milliseconds are meant, write %s.".formatted(inMilliseconds),
					"%sString = \"%s\"".formatted(name, shown), severity);
		}
		else if (attribute == LockAttribute.TIMEOUT && number != null
				&& this.lock.attributes().given(attribute) instanceof Duration lease
				&& lease.compareTo(SHORTEST_USUAL_LEASE) < 0 && lease.compareTo(SHORTEST_LEASE) >= 0) {
			String shown = Printable.of(lease);
			unit("@DistributedLock(timeout = %s) is a lease of %s: a short pause, or one slow answer, ends it."
				.formatted(number, shown),
					"If seconds are meant, write timeoutString = \"%ss\".".formatted(number.replaceFirst(" .*", "")),
					"timeoutString = \"%s\"".formatted(shown), severity);
		}
	}

	/**
	 * Another unit must not make other numbers too small.
	 */
	private boolean isUnitOfAll(Map<String, String> written) {
		return durations().allMatch((each) -> {
			String number = written.get(each.attribute());
			return number == null || LockAttributes.isProbablyMilliseconds(each, number);
		});
	}

	private void unit(String problem, String action, String otherwise, Severity severity) {
		this.findings.add((severity == Severity.ERROR) ? this.method.error(problem, action)
				: this.method.warning(problem, "%s If not, write %s.".formatted(action, otherwise)));
	}

	private void numberInText(LockAttribute attribute, String text, Severity severity) {
		String number = String.valueOf(this.beanFactory.resolveEmbeddedValue(text)).strip();
		// Unless numbers have another unit
		if (LockAttributes.isProbablyMilliseconds(attribute, number)
				&& this.lock.attributes().given(attribute) instanceof Duration given
				&& Duration.ofSeconds(Long.parseLong(number)).equals(given)) {
			String shown = Printable.of(given);
			unit(annotation(attribute.attribute() + "String", text) + " is %s: numbers are seconds.".formatted(shown),
					"If milliseconds are meant, write %sms.".formatted(number), shown, severity);
		}
	}

	private String annotation(String attribute, String text) {
		return this.method.annotation(attribute, text);
	}

	private void error(String problem, String action) {
		this.findings.add(this.method.error(problem, action));
	}

	private void warn(String problem, String action) {
		this.findings.add(this.method.warning(problem, action));
	}

}
