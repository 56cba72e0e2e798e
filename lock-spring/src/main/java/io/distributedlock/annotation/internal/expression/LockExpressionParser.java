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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

import io.distributedlock.annotation.InvalidLockDefinitionException.Kind;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockedCall;
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
	 * Return the scope in which the calls of a method evaluate their expressions.
	 * @param declaring the method that has the annotation, which the method may override
	 * or implement
	 */
	public Scope scopeOf(AnnotatedMethod method, Method declaring) {
		return new Scope(method, declaring,
				new LockVariables(method.method(), declaring, getParameterNameDiscoverer()));
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

		private final LockVariables variables;

		private final Map<String, Integer> positions;

		private Scope(AnnotatedMethod method, Method declaring, LockVariables variables) {
			this.method = method;
			this.declaring = declaring;
			this.variables = variables;
			this.positions = variables.positions();
		}

		public AnnotatedMethod method() {
			return this.method;
		}

		LockVariables variables() {
			return this.variables;
		}

		/**
		 * Return whether a variable stands for a parameter.
		 */
		public boolean isVariable(String name) {
			return this.variables.positionOf(name) != null;
		}

		/**
		 * Parse a name.
		 * @return the expression, or {@code null} if the text is a literal
		 */
		public @Nullable Expression name(String text) {
			if (text.contains(TEMPLATE.getExpressionPrefix()) || EXPRESSION.matcher(text).find()) {
				return parse("name", text,
						"Quote what is not evaluated, as in 'pay:' + #orderId, or write a template as in pay:#{#orderId}.");
			}
			return null;
		}

		/**
		 * Return the text between the quotation marks if a name is only a quoted text.
		 * @return the quoted text, or {@code null} if the name is anything else
		 */
		public @Nullable String quotedText(String text) {
			return (name(text) instanceof SpelExpression expression
					&& expression.getAST() instanceof StringLiteral literal)
							? String.valueOf(literal.getLiteralValue().getValue()) : null;
		}

		/**
		 * Parse a name for evaluation.
		 * @param values turns the values of the expression into text
		 * @return the expression to evaluate, or {@code null} if the text is a literal
		 */
		@Nullable Expression evaluatedName(String text, LockNameFormatter values) {
			Expression parsed = name(text);
			return (parsed != null)
					? new LockExpressionBuilder(LockExpressionParser.this.configuration, values).name(parsed) : null;
		}

		/**
		 * Parse a condition.
		 */
		public Expression condition(String text) {
			return parse("condition", text, "Write an expression that is true or false, as in #amount > 100.");
		}

		/**
		 * Parse an expression for permits.
		 */
		public Expression permits(String text) {
			return parse("permitsString", text,
					"Write a number, or an expression that is one for all arguments, as in #tenant.parallelExports.");
		}

		/**
		 * Return the context in which the expressions are evaluated for one call.
		 */
		public EvaluationContext contextOf(LockedCall call) {
			return new LockEvaluationContext(LockExpressionParser.this.shared, this.method, this.positions, call);
		}

		private Expression parse(String attribute, String text, String action) {
			try {
				Expression expression = getExpression(LockExpressionParser.this.expressions,
						new AnnotatedElementKey(this.method.method(), this.method.targetClass()), text);
				checkVariables(attribute, text, expression);
				return expression;
			}
			catch (ParseException | IllegalStateException ex) {
				throw this.method.invalid(Kind.EXPRESSION, attribute, text,
						"The expression cannot be parsed: " + ex.getMessage() + ".", action, ex);
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
				String variable = node.toStringAST().substring(1).replaceFirst("\\(.*", "");
				if (!variable.equals("root") && !variable.equals("this")
						&& this.variables.positionOf(variable) == null) {
					throw this.method.invalid(Kind.VARIABLE, attribute, text,
							"There is no parameter '" + variable + "'." + declaredOn(),
							this.variables.adviceFor(variable));
				}
			}
			for (int i = 0; i < node.getChildCount(); i++) {
				checkVariables(attribute, text, node.getChild(i));
			}
		}

	}

}
