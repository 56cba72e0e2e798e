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

package io.distributedlock.annotation.internal.expression;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockedCall;
import io.distributedlock.annotation.internal.SimilarNames;
import io.distributedlock.annotation.internal.WorkGuards;
import io.distributedlock.internal.LockAttribute;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.AnnotatedElementKey;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.CachedExpressionEvaluator;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;

/**
 * Parses names and conditions, each once per method, and rejects variables that the
 * method does not have.
 */
public final class LockExpressionParser extends CachedExpressionEvaluator {

	/**
	 * A quoted start; a variable; a bean, whose name may be quoted; a type; a property of
	 * the root object that is asked for another; a quoted text beside a plus.
	 */
	private static final Pattern EXPRESSION = Pattern
		.compile("^\\s*['\"]|#[\\p{L}_$]" + "|(?<![\\p{L}\\p{N}_.-])@[\\p{L}_'\"]|(?<![\\p{L}\\p{N}_$])T\\("
				+ "|^\\s*(?:method|target|targetClass|args)\\s*[.\\[]|['\"]\\s*\\+|\\+\\s*['\"]");

	/** In a literal, with what may be read from it. */
	private static final Pattern VARIABLE = Pattern
		.compile("[#$]([\\p{L}_$][\\p{L}\\p{N}_$]*)((?:[.][\\p{L}_$][\\p{L}\\p{N}_$]*(?:\\(\\))?)*)");

	/** What stands in an expression rather than in a text. */
	private static final Pattern CODE = Pattern.compile("[#$][\\p{L}_$]|[\"'+(){}\\[\\]]");

	private static final TemplateParserContext TEMPLATE = new TemplateParserContext();

	private final Map<ExpressionKey, Expression> expressions = new ConcurrentHashMap<>();

	private final EvaluationContext shared;

	private final SpelParserConfiguration configuration;

	public LockExpressionParser(ConfigurableBeanFactory beanFactory) {
		this(beanFactory, new SpelParserConfiguration(SpelCompilerMode.OFF, beanFactory.getBeanClassLoader()));
	}

	private LockExpressionParser(ConfigurableBeanFactory beanFactory, SpelParserConfiguration configuration) {
		super(new SpelExpressionParser(configuration));
		this.configuration = configuration;
		StandardEvaluationContext context = new StandardEvaluationContext();
		context.setBeanResolver(new BeanFactoryResolver(beanFactory));
		context.setTypeLocator(new StandardTypeLocator(beanFactory.getBeanClassLoader()));
		this.shared = context;
	}

	/**
	 * @param declaring the method that has the annotation, which the method may override
	 * or implement
	 */
	public Scope scopeOf(AnnotatedMethod method, Method declaring) {
		return new Scope(method, declaring);
	}

	/**
	 * Return the text between the quotation marks if a name is nothing but a quoted text,
	 * or {@code null}.
	 */
	public static @Nullable String quotedText(@Nullable Expression name) {
		return (name instanceof SpelExpression expression && expression.getAST() instanceof StringLiteral literal)
				? String.valueOf(literal.getLiteralValue().getValue()) : null;
	}

	@Override
	protected Expression parseExpression(String expression) {
		return expression.contains(TEMPLATE.getExpressionPrefix()) ? getParser().parseExpression(expression, TEMPLATE)
				: super.parseExpression(expression);
	}

	/**
	 * The names that the expressions of one method know.
	 */
	public final class Scope {

		private final AnnotatedMethod method;

		private final Method declaring;

		/** The names of the parameters, empty if the class file has none. */
		private final Set<String> parameters = new LinkedHashSet<>();

		/**
		 * The positions of the parameters, by the names and numbers of their variables.
		 */
		private final Map<String, Integer> positions;

		private Scope(AnnotatedMethod method, Method declaring) {
			this.method = method;
			this.declaring = declaring;
			Map<String, Integer> variables = new HashMap<>();
			for (int position = 0; position < method.method().getParameterCount(); position++) {
				variables.put("p" + position, position);
				variables.put("a" + position, position);
			}
			addNames(method.method(), variables);
			if (!declaring.equals(method.method())
					&& declaring.getParameterCount() == method.method().getParameterCount()) {
				addNames(declaring, variables);
			}
			this.positions = Map.copyOf(variables);
		}

		/**
		 * The names in the method that has the annotation take precedence.
		 */
		private void addNames(Method method, Map<String, Integer> variables) {
			@Nullable String @Nullable [] names = getParameterNameDiscoverer().getParameterNames(method);
			for (int position = 0; names != null && position < names.length; position++) {
				if (names[position] != null) {
					this.parameters.add(names[position]);
					variables.put(names[position], position);
				}
			}
		}

		public AnnotatedMethod method() {
			return this.method;
		}

		/**
		 * Return the position of the parameter that a variable stands for, or
		 * {@code null}.
		 */
		@Nullable Integer positionOf(String variable) {
			return this.positions.get(variable);
		}

		public boolean isVariable(String name) {
			return this.positions.containsKey(name);
		}

		/**
		 * Return the expression in the text of an attribute, or {@code null} if the text
		 * is a literal, as only a name can be.
		 */
		public @Nullable Expression parse(LockAttribute attribute, String text) {
			return switch (attribute) {
				case NAME -> name(text);
				case CONDITION -> condition(text);
				case PERMITS -> permits(text);
				default -> throw new IllegalArgumentException(attribute + " is no expression");
			};
		}

		/**
		 * Return {@code null} if the text is a literal.
		 */
		public @Nullable Expression name(String text) {
			if (text.contains(TEMPLATE.getExpressionPrefix()) || EXPRESSION.matcher(text).find()) {
				return parse("name", text, () -> adviceForName(text));
			}
			return null;
		}

		private String adviceForName(String text) {
			if (isUnclosed(text)) {
				return "Close it: \"" + text + TEMPLATE.getExpressionSuffix() + "\".";
			}
			String template = unambiguousTemplateOf(text);
			Matcher variable = VARIABLE.matcher(text);
			if (template == null && this.positions.isEmpty() && variable.find()) {
				return adviceFor(variable.group(1));
			}
			return (template != null) ? "Write \"" + template + "\"."
					: "Write a template, as in pay:#{#orderId}, or quote what is not evaluated, as in 'pay:' + #orderId.";
		}

		/**
		 * Return a text with each variable in {@code #{…}}, together with the properties
		 * that its type has.
		 */
		public String templateOf(String text) {
			return VARIABLE.matcher(text).replaceAll((match) -> {
				Integer position = positionOf(match.group(1));
				String path = match.group(2);
				String variable = "#" + match.group(1);
				return Matcher.quoteReplacement((position == null) ? match.group()
						: isReadable(this.method.method().getParameterTypes()[position], path)
								? "#{" + variable + path + "}" : "#{" + variable + "}" + path);
			});
		}

		private static boolean isReadable(Class<?> type, String path) {
			String member = path.replaceFirst("^[.]", "").replaceFirst("[.].*", "");
			return member.endsWith("()") ? ClassUtils.hasMethod(type, member.substring(0, member.length() - 2))
					: LockExpressionTypes.readable(type).contains(member);
		}

		/**
		 * Return the template that is meant by texts and variables side by side, or
		 * {@code null} if something else may be meant.
		 */
		public @Nullable String unambiguousTemplateOf(String text) {
			if (text.contains(TEMPLATE.getExpressionPrefix())) {
				return null;
			}
			String template = templateOf(text);
			String literal = template.replaceAll("#\\{[^{}]*}", "");
			return (template.equals(text) || CODE.matcher(literal).find()) ? null : template;
		}

		/**
		 * Whether nothing but the end of the last expression of a template is missing.
		 */
		private static boolean isUnclosed(String text) {
			int last = text.lastIndexOf(TEMPLATE.getExpressionPrefix());
			if (last < 0 || text.indexOf(TEMPLATE.getExpressionSuffix(), last) >= 0) {
				return false;
			}
			try {
				new SpelExpressionParser().parseExpression(text + TEMPLATE.getExpressionSuffix(), TEMPLATE);
				return true;
			}
			catch (ParseException | IllegalStateException ex) {
				return false;
			}
		}

		/**
		 * Return the name for evaluation.
		 * @param values turns the values of the expression into text
		 */
		Expression evaluatedName(Expression name, LockNameFormatter values) {
			return new LockExpressionBuilder(LockExpressionParser.this.configuration, values).name(name);
		}

		public Expression condition(String text) {
			return parse("condition", text, () -> "Write an expression that is true or false, as in #amount > 100.");
		}

		public Expression permits(String text) {
			return parse("permitsString", text,
					() -> "Write a number, or an expression that is one for all arguments, as in #tenant.parallelExports.");
		}

		public Expression fireTime(String text) {
			return parse("fireTime", text, () -> WorkGuards.FIRE_TIME_ACTION);
		}

		public EvaluationContext contextOf(LockedCall call) {
			return new LockEvaluationContext(LockExpressionParser.this.shared, this.method, this.positions, call);
		}

		private Expression parse(String attribute, String text, Supplier<String> action) {
			try {
				Expression expression = getExpression(LockExpressionParser.this.expressions,
						new AnnotatedElementKey(this.method.method(), this.method.targetClass()), text);
				checkVariables(attribute, text, expression);
				return expression;
			}
			catch (ParseException | IllegalStateException ex) {
				throw this.method.invalid(attribute, text, "The expression cannot be parsed: " + ex.getMessage() + ".",
						action.get(), ex);
			}
		}

		private String declaredOn() {
			return this.declaring.equals(this.method.method()) ? ""
					: " The annotation is on " + ClassUtils.getShortName(this.declaring.getDeclaringClass()) + "."
							+ this.declaring.getName() + AnnotatedMethod.parametersOf(this.declaring) + ".";
		}

		private void checkVariables(String attribute, String text, Expression expression) {
			if (expression instanceof CompositeStringExpression template) {
				for (Expression part : template.getExpressions()) {
					checkVariables(attribute, text, part);
				}
			}
			else if (expression instanceof SpelExpression spel) {
				checkVariables(attribute, text, spel.getAST());
			}
		}

		private void checkVariables(String attribute, String text, SpelNode node) {
			if (node instanceof VariableReference || node instanceof FunctionReference) {
				String written = node.toStringAST();
				int arguments = written.indexOf('(');
				String variable = written.substring(1, (arguments > 0) ? arguments : written.length());
				if (!variable.equals("root") && !variable.equals("this") && !isVariable(variable)) {
					throw this.method.invalid(attribute, text,
							"There is no parameter '" + variable + "'." + declaredOn(), adviceFor(variable));
				}
			}
			for (int i = 0; i < node.getChildCount(); i++) {
				checkVariables(attribute, text, node.getChild(i));
			}
		}

		private String adviceFor(String variable) {
			int count = this.method.method().getParameterCount();
			if (count == 0) {
				return this.method.job()
						? "The method has no parameters: write a text without #" + variable + ", such as one with ${…}."
						: "The method has no parameters: write the expression without #" + variable
								+ ", or add the parameter.";
			}
			String positional = IntStream.range(0, count).mapToObj((p) -> "#p" + p).collect(Collectors.joining(", "));
			if (this.parameters.isEmpty()) {
				return "The class file has no parameter names: compile with the option -parameters, or use "
						+ positional + ".";
			}
			String known = this.parameters.stream().map((name) -> "#" + name).collect(Collectors.joining(", "));
			String nearest = SimilarNames.nearest(variable, this.parameters);
			return ((nearest != null) ? "Did you mean #" + nearest + "? " : "") + "Known are " + known + " (or "
					+ positional + ").";
		}

	}

}
