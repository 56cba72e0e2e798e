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

package io.distributedlock.annotation.internal;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.annotation.InvalidLockDefinitionException;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.LockFinding.Severity;
import io.distributedlock.internal.LockAttribute;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * An annotated method as the bean has it.
 *
 * @param method the most specific method, never a bridge
 * @param targetClass the class of the bean as the user wrote it
 * @param job whether what is wrong is to be reported in the words of
 * {@code @OncePerFireTime}
 */
public record AnnotatedMethod(Method method, Class<?> targetClass, boolean job) {

	private static final String ASYNC = "org.springframework.scheduling.annotation.Async";

	/** Those of a job, as {@code @DistributedLock} has them, which are texts there. */
	private static final Set<String> TEXTS_OF_JOBS = Set.of("name", "catchUp", "fireTime", "timeoutString",
			"maxHoldString");

	public AnnotatedMethod(Method method, Class<?> targetClass) {
		this(method, targetClass, false);
	}

	/**
	 * Return this method as one that is annotated with {@code @OncePerFireTime}.
	 */
	public AnnotatedMethod asJob() {
		return new AnnotatedMethod(this.method, this.targetClass, true);
	}

	/**
	 * Return the name of an attribute in the annotation that the method has.
	 * @param attribute the name in {@code @DistributedLock}
	 */
	public String attribute(String attribute) {
		return (this.job && TEXTS_OF_JOBS.contains(attribute)) ? attribute.replaceFirst("String$", "") : attribute;
	}

	/**
	 * Return the annotation as it is written, with one attribute. Only
	 * {@code @LeaderOnly} has one called "value": those of locks are reported by their
	 * names. What {@code @OncePerFireTime} does not have comes from a
	 * {@code @DistributedLock}.
	 * @param attribute the name in {@code @DistributedLock}, or an empty text for none
	 */
	public String annotation(String attribute, String value) {
		if (attribute.equals("value")) {
			return "@LeaderOnly(\"%s\")".formatted(value);
		}
		boolean textOfJob = this.job && TEXTS_OF_JOBS.contains(attribute);
		boolean ofJob = textOfJob || (this.job && (attribute.isEmpty() || attribute.equals("onLost")));
		String name = ofJob ? "@OncePerFireTime" : "@DistributedLock";
		if (attribute.isEmpty()) {
			return name;
		}
		return ((textOfJob || LockAttribute.isText(attribute)) ? "%s(%s = \"%s\")" : "%s(%s = %s)").formatted(name,
				attribute(attribute), value);
	}

	public String description() {
		return qualifiedName() + parametersOf(this.method);
	}

	/**
	 * Without the continuation of a suspending function.
	 */
	public static String parametersOf(Method method) {
		return Arrays.stream(method.getParameterTypes())
			.limit(method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0))
			.map(ClassUtils::getShortName)
			.collect(Collectors.joining(", ", "(", ")"));
	}

	/**
	 * Return the name of a lock that was not given one.
	 */
	public String qualifiedName() {
		return this.targetClass.getName() + "." + methodName();
	}

	/**
	 * The name in the source. Kotlin appends a hash to the name of a function with a
	 * value class among its parameters.
	 */
	private String methodName() {
		String name = this.method.getName();
		int hash = KotlinDetector.isKotlinType(this.method.getDeclaringClass()) ? name.lastIndexOf('-') : -1;
		return (hash > 0) ? name.substring(0, hash) : name;
	}

	/**
	 * Return whether a call of a method of an interface arrives at this one. Where the
	 * interface has type parameters, the two signatures differ.
	 */
	public boolean implementsMethodOf(Class<?> type) {
		return Arrays.stream(type.getMethods())
			.filter((each) -> each.getName().equals(this.method.getName())
					&& each.getParameterCount() == this.method.getParameterCount())
			.anyMatch((each) -> AopUtils.getMostSpecificMethod(each, this.targetClass).equals(this.method));
	}

	/**
	 * Return whether this is a method that Kotlin's {@code @JvmOverloads} adds, with the
	 * annotations of the function but without all of its parameters. It is final, so that
	 * it runs on the proxy and calls the function there, which has the lock.
	 */
	public boolean isGeneratedOverload() {
		Class<?> declaring = this.method.getDeclaringClass();
		if (!Modifier.isFinal(this.method.getModifiers()) || !KotlinDetector.isKotlinType(declaring)) {
			return false;
		}
		List<Method> methods = List.of(declaring.getDeclaredMethods());
		return methods.stream().anyMatch((each) -> each.getName().equals(this.method.getName() + "$default"))
				&& methods.stream()
					.anyMatch((each) -> each.getName().equals(this.method.getName()) && isWithDefaults(each));
	}

	private boolean isWithDefaults(Method function) {
		List<Class<?>> fewer = List.of(this.method.getParameterTypes());
		int found = 0;
		for (Class<?> type : function.getParameterTypes()) {
			if (found < fewer.size() && fewer.get(found) == type) {
				found++;
			}
		}
		return found == fewer.size() && function.getParameterCount() > fewer.size()
				&& function.getReturnType() == this.method.getReturnType();
	}

	/**
	 * Return the declared name of locks whose name is not a literal.
	 */
	public String shortName() {
		String simpleName = this.targetClass.getSimpleName();
		String className = simpleName.isEmpty() ? ClassUtils.getShortName(this.targetClass) : simpleName;
		return className + "." + methodName();
	}

	public boolean isSuspending() {
		return KotlinDetector.isSuspendingFunction(this.method);
	}

	/**
	 * The type for the caller, with type variables resolved as the class of the bean
	 * allows. A suspending function has it in the type of its last parameter.
	 */
	public Class<?> resultType() {
		return resultType(this.method, this.targetClass);
	}

	public static Class<?> resultType(Method method, Class<?> targetClass) {
		return KotlinDetector.isSuspendingFunction(method) ? new MethodParameter(method, -1).getParameterType()
				: ResolvableType.forMethodReturnType(method, targetClass).resolve(method.getReturnType());
	}

	/**
	 * The type may not be on the class path.
	 */
	public boolean returns(String typeName) {
		return isNamed(resultType(), typeName);
	}

	/**
	 * Return whether a type, or one that it extends or implements, has the name.
	 */
	public static boolean isNamed(@Nullable Class<?> type, String name) {
		return type != null && (type.getName().equals(name) || isNamed(type.getSuperclass(), name)
				|| Arrays.stream(type.getInterfaces()).anyMatch((each) -> isNamed(each, name)));
	}

	/**
	 * Return the methods that a class may have annotations on. For generated classes,
	 * these are the methods of their interfaces. A private method of an interface has no
	 * other place to be reported.
	 */
	public static Stream<Method> methodsOf(Class<?> type) {
		Stream<Method> methods = isGenerated(type)
				? ClassUtils.getAllInterfacesForClassAsSet(type)
					.stream()
					.flatMap((each) -> Arrays.stream(each.getMethods()))
				: Stream.concat(Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type)),
						ClassUtils.getAllInterfacesForClassAsSet(type)
							.stream()
							.flatMap((each) -> Arrays.stream(each.getDeclaredMethods()))
							.filter((method) -> Modifier.isPrivate(method.getModifiers())));
		return methods.filter((method) -> !method.isSynthetic() && method.getDeclaringClass() != Object.class);
	}

	/**
	 * Return whether it is the class of a JDK proxy or a lambda.
	 */
	public static boolean isGenerated(Class<?> type) {
		return Proxy.isProxyClass(type) || type.isHidden();
	}

	public boolean isAsync() {
		return isAnnotated(ASYNC);
	}

	/**
	 * Return whether the method or its class has an annotation.
	 * @param type the name of its type
	 */
	public boolean isAnnotated(String type) {
		return MergedAnnotations.from(this.method, SearchStrategy.TYPE_HIERARCHY).isPresent(type)
				|| MergedAnnotations.from(this.targetClass, SearchStrategy.TYPE_HIERARCHY).isPresent(type);
	}

	public InvalidLockDefinitionException invalid(String attribute, String value, String problem, String action) {
		return invalid(attribute, value, problem, action, null);
	}

	public InvalidLockDefinitionException invalid(String attribute, String value, String problem, String action,
			@Nullable Throwable cause) {
		return new InvalidLockDefinitionException(annotation(attribute, value), description(), attribute(attribute),
				value, problem, action, cause);
	}

	public LockFinding error(String problem, String action) {
		return new LockFinding(Severity.ERROR, description(), problem, action);
	}

	public LockFinding warning(String problem, String action) {
		return new LockFinding(Severity.WARNING, description(), problem, action);
	}

	public int parameterIndexOf(Class<?> type) {
		return Arrays.asList(this.method.getParameterTypes()).indexOf(type);
	}

}
