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

package io.distributedlock.annotation.internal.bytecode;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/**
 * Finds calls of methods on {@code this} in the byte code of a class. They do not go
 * through the proxy of a bean, so that the advice of the method does not apply to them.
 */
public final class SelfInvocationFinder {

	private static final Log logger = LogFactory.getLog(SelfInvocationFinder.class);

	private final Class<?> type;

	/** By name and descriptor. */
	private final Map<String, Method> callees;

	private final Set<Call> calls = new LinkedHashSet<>();

	private SelfInvocationFinder(Class<?> type, Collection<Method> callees) {
		this.type = type;
		this.callees = callees.stream()
			.collect(Collectors.toMap((method) -> method.getName() + Type.getMethodDescriptor(method),
					Function.identity(), (first, second) -> first));
	}

	/**
	 * Look at a class and the classes from which it inherits methods. A class whose byte
	 * code cannot be read has no calls.
	 */
	public static Set<Call> find(Class<?> type, Collection<Method> callees) {
		SelfInvocationFinder finder = new SelfInvocationFinder(type, callees);
		for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
			finder.read(each);
		}
		return finder.calls;
	}

	private void read(Class<?> declaring) {
		try (InputStream bytes = declaring.getResourceAsStream(ClassUtils.getClassFileName(declaring))) {
			if (bytes != null) {
				new ClassReader(bytes).accept(new Methods(Type.getInternalName(declaring)),
						ClassReader.SKIP_DEBUG | ClassReader.EXPAND_FRAMES);
			}
		}
		catch (IOException | IllegalArgumentException ex) {
			logger.debug("The byte code of " + declaring.getName() + " cannot be read", ex);
		}
	}

	private boolean isOwn(String internalName) {
		for (Class<?> each = this.type; each != null; each = each.getSuperclass()) {
			if (Type.getInternalName(each).equals(internalName)) {
				return true;
			}
		}
		return false;
	}

	private boolean isCallee(String owner, String name, String descriptor) {
		return isOwn(owner) && this.callees.containsKey(name + descriptor);
	}

	/**
	 * A call.
	 *
	 * @param caller the class and the method that has the call, as it is written
	 * @param recursive whether the method calls itself
	 */
	public record Call(String caller, Method callee, boolean recursive) {
	}

	private final class Methods extends ClassVisitor {

		private final String declaring;

		Methods(String declaring) {
			super(SpringAsmInfo.ASM_VERSION);
			this.declaring = declaring;
		}

		@Override
		public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			if ((access & Opcodes.ACC_BRIDGE) != 0) {
				return null;
			}
			SelfInvocationFinder outer = SelfInvocationFinder.this;
			return new ThisReceiverAnalyzer(access,
					(owner, callee, type) -> outer.isCallee(owner, callee, type)
							&& !(isOverridden(owner) && callee.equals(name) && type.equals(descriptor)),
					(callee, type) -> outer.calls.add(new Call(outer.type.getName() + "." + source(name, descriptor),
							Objects.requireNonNull(outer.callees.get(callee + type)),
							callee.equals(name) && type.equals(descriptor))));
		}

		/**
		 * Return whether it is {@code super} that is called. What a method overrides runs
		 * under the advice of the method.
		 */
		private boolean isOverridden(String owner) {
			return !owner.equals(this.declaring);
		}

		/**
		 * The method as it is written. What a lambda captures are not the parameters of
		 * the method that it is in.
		 */
		private static String source(String name, String descriptor) {
			String[] parts = name.split("\\$");
			if (name.startsWith("lambda$") && parts.length == 3) {
				return parts[1];
			}
			return name + Arrays.stream(Type.getArgumentTypes(descriptor))
				.map((type) -> ClassUtils.getShortName(type.getClassName()))
				.collect(Collectors.joining(", ", "(", ")"));
		}

	}

}
