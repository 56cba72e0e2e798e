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

import java.lang.reflect.Modifier;
import java.util.BitSet;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Reads the instructions of a method and tracks where {@code this} is on the operand
 * stack, to distinguish a call on it from a call on another object of the same class.
 * Knows the height of the stack after each instruction, and which of its places were
 * filled by loading {@code this}. Where paths meet, the frame determines the height, and
 * the entries below are those from before the paths diverged.
 */
final class ThisReceiverAnalyzer extends MethodVisitor {

	/**
	 * The change in height by each instruction without a descriptor, from NOP (0) to
	 * MONITOREXIT (195): 'E' is zero, 'F' one more, 'D' one less.
	 */
	private static final String CHANGES = "EFFFFFFFFGGFFFGGFFFFGFGFGFEEEEEEEEEEEEEEEEEEEEDEDEDDDDDCDCDEEEEEEEEEEEEEEEEEEEEBABABBBBDCFFFGGGEDCDCDCDCDCDCDCDCDCDCEEEEDDDDDDDCDCDCEFEFDDEEFFDEDEEEBDDBBDDDDDDCCCCCCCCEFEDDDCDCDEEEEEEEEEEFEEEDEEDD";

	private final boolean hasThis;

	private final Callees callees;

	private final BiConsumer<String, String> found;

	private final BitSet thisPlaces = new BitSet();

	private int height;

	ThisReceiverAnalyzer(int access, Callees callees, BiConsumer<String, String> found) {
		super(SpringAsmInfo.ASM_VERSION);
		this.hasThis = !Modifier.isStatic(access);
		this.callees = callees;
		this.found = found;
	}

	private void pop(int slots) {
		this.height = Math.max(0, this.height - slots);
		this.thisPlaces.clear(this.height, Math.max(this.height, this.thisPlaces.length()));
	}

	private void change(int opcode) {
		int change = CHANGES.charAt(opcode) - 'E';
		if (change < 0) {
			pop(-change);
		}
		else {
			this.height += change;
		}
	}

	@Override
	public void visitInsn(int opcode) {
		if (opcode == Opcodes.AALOAD || opcode == Opcodes.SWAP) {
			int change = (opcode == Opcodes.SWAP) ? 0 : -1;
			pop(2);
			this.height += 2 + change;
			return;
		}
		change(opcode);
	}

	@Override
	public void visitVarInsn(int opcode, int index) {
		if (opcode == Opcodes.ALOAD && index == 0 && this.hasThis) {
			this.thisPlaces.set(this.height);
		}
		change(opcode);
	}

	@Override
	public void visitIntInsn(int opcode, int operand) {
		if (opcode != Opcodes.NEWARRAY) {
			this.height++;
		}
	}

	@Override
	public void visitTypeInsn(int opcode, String type) {
		if (opcode == Opcodes.NEW) {
			this.height++;
		}
		else if (opcode != Opcodes.CHECKCAST) {
			pop(1);
			this.height++;
		}
	}

	@Override
	public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
		int size = Type.getType(descriptor).getSize();
		switch (opcode) {
			case Opcodes.GETSTATIC -> this.height += size;
			case Opcodes.PUTSTATIC -> pop(size);
			case Opcodes.GETFIELD -> {
				pop(1);
				this.height += size;
			}
			default -> pop(1 + size);
		}
	}

	@Override
	public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
		int sizes = Type.getArgumentsAndReturnSizes(descriptor);
		int arguments = (sizes >> 2) - 1;
		boolean onThis = opcode != Opcodes.INVOKESTATIC && isThis(this.height - arguments - 1);
		if (onThis && this.callees.contains(owner, name, descriptor)) {
			this.found.accept(name, descriptor);
		}
		pop(arguments + ((opcode == Opcodes.INVOKESTATIC) ? 0 : 1));
		this.height += sizes & 3;
	}

	private boolean isThis(int place) {
		return place >= 0 && this.thisPlaces.get(place);
	}

	@Override
	public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrapMethod, Object... arguments) {
		int sizes = Type.getArgumentsAndReturnSizes(descriptor);
		int captured = (sizes >> 2) - 1;
		if (captured > 0 && isThis(this.height - captured)) {
			for (Object argument : arguments) {
				if (argument instanceof Handle target
						&& this.callees.contains(target.getOwner(), target.getName(), target.getDesc())) {
					this.found.accept(target.getName(), target.getDesc());
				}
			}
		}
		pop(captured);
		this.height += sizes & 3;
	}

	@Override
	public void visitJumpInsn(int opcode, Label label) {
		if (opcode == Opcodes.IFNULL || opcode == Opcodes.IFNONNULL) {
			pop(1);
		}
		else {
			change(opcode);
		}
	}

	@Override
	public void visitLdcInsn(Object value) {
		this.height += (value instanceof Long || value instanceof Double) ? 2 : 1;
	}

	@Override
	public void visitTableSwitchInsn(int min, int max, Label defaultLabel, Label... labels) {
		pop(1);
	}

	@Override
	public void visitLookupSwitchInsn(Label defaultLabel, int[] keys, Label[] labels) {
		pop(1);
	}

	@Override
	public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
		pop(dimensions);
		this.height++;
	}

	@Override
	public void visitFrame(int type, int locals, Object @Nullable [] local, int size, Object @Nullable [] stack) {
		int slots = 0;
		for (int i = 0; i < size && stack != null; i++) {
			slots += (stack[i] == Opcodes.LONG || stack[i] == Opcodes.DOUBLE) ? 2 : 1;
		}
		if (slots < this.height) {
			pop(this.height - slots);
		}
		this.height = slots;
	}

	/**
	 * The methods whose calls on {@code this} to find.
	 */
	@FunctionalInterface
	interface Callees {

		boolean contains(String owner, String name, String descriptor);

	}

}
