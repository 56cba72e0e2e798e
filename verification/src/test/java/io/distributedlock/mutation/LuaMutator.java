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

package io.distributedlock.mutation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Changes a Lua script in every way that a mistake of one token or line would: each
 * comparison, bound, sum and connective, each condition without a comparison, each
 * statement removed, and each order of two calls.
 */
final class LuaMutator {

	private static final Pattern TOKEN = Pattern.compile("(?<comment>--[^\\n]*)|(?<string>'(?:[^'\\\\]|\\\\.)*'"
			+ "|\"(?:[^\"\\\\]|\\\\.)*\")|(?<number>\\d+(?:\\.\\d+)?(?:e\\d+)?)|(?<name>[A-Za-z_]\\w*)"
			+ "|(?<symbol>==|~=|<=|>=|\\.\\.\\.|\\.\\.|[^\\s\\w])");

	private static final Map<String, List<String>> SYMBOLS = Map.of("==", List.of("~="), "~=", List.of("=="), "<",
			List.of("<=", ">="), "<=", List.of("<", ">"), ">", List.of(">=", "<="), ">=", List.of(">", "<"), "+",
			List.of("-"), "-", List.of("+"), "*", List.of("/"), "%", List.of("*"));

	private static final Map<String, List<String>> NAMES = Map.of("and", List.of("or"), "or", List.of("and"), "not",
			List.of(""), "true", List.of("false"), "false", List.of("true"));

	private static final Set<String> KEYWORDS = Set.of("and", "break", "else", "elseif", "end", "for", "function", "if",
			"local", "not", "or", "repeat", "return", "then", "until", "while");

	/** What may stand in front of a minus that subtracts. */
	private static final Pattern OPERAND = Pattern.compile("[\\w)\\]'\"]$");

	private final String script;

	private final List<String> lines;

	private final List<ScriptMutant> mutants = new ArrayList<>();

	private LuaMutator(String script, String text) {
		this.script = script;
		this.lines = List.of(text.split("\n"));
	}

	static List<ScriptMutant> mutants(String script, String text) {
		LuaMutator mutator = new LuaMutator(script, text);
		for (int at = 0; at < mutator.lines.size(); at++) {
			mutator.changeTokens(at);
			mutator.changeCondition(at);
			mutator.changeStatements(at);
		}
		return mutator.mutants;
	}

	private void changeTokens(int at) {
		String line = this.lines.get(at);
		List<Token> tokens = tokens(line);
		for (int i = 0; i < tokens.size(); i++) {
			Token token = tokens.get(i);
			boolean unary = token.text.equals("-") && (i == 0 || KEYWORDS.contains(tokens.get(i - 1).text)
					|| !OPERAND.matcher(tokens.get(i - 1).text).find());
			List<String> others = switch (token.kind) {
				case "symbol" -> unary ? List.of() : SYMBOLS.getOrDefault(token.text, List.of());
				case "name" -> NAMES.getOrDefault(token.text, List.of());
				case "number" -> isIndex(line, token) ? List.of()
						: numbers(token.text, line.substring(token.end).strip().equals("do"));
				default -> List.of();
			};
			for (String other : others) {
				long before = tokens.subList(0, i).stream().filter((each) -> each.text.equals(token.text)).count();
				long all = tokens.stream().filter((each) -> each.text.equals(token.text)).count();
				String which = (all > 1) ? " #" + (before + 1) : "";
				add(at, token.text + " to " + (other.isEmpty() ? "nothing" : other) + which,
						line.substring(0, token.begin) + other + line.substring(token.end));
			}
		}
	}

	private static boolean isIndex(String line, Token token) {
		return line.startsWith("[", token.begin - 1) && line.startsWith("]", token.end);
	}

	/** Without an end, a loop would block the server. */
	private static List<String> numbers(String text, boolean isStep) {
		if (!text.matches("\\d+")) {
			return List.of("0");
		}
		long number = Long.parseLong(text);
		return LongStream.of(number + 1, number - 1, 0)
			.filter((other) -> other != number && other >= (isStep ? 1 : 0))
			.distinct()
			.mapToObj(String::valueOf)
			.toList();
	}

	/** A condition that compares nothing: the others change with their comparisons. */
	private void changeCondition(int at) {
		Matcher matcher = Pattern.compile("^(\\s*(?:if|elseif) )(.*)( then)$").matcher(this.lines.get(at));
		if (matcher.matches() && tokens(matcher.group(2)).stream()
			.noneMatch((token) -> token.text.matches("==|~=|<|<=|>|>=|and|or|not"))) {
			add(at, "negated", matcher.group(1) + "not (" + matcher.group(2) + ")" + matcher.group(3));
		}
	}

	private void changeStatements(int at) {
		if (!isStatement(at)) {
			return;
		}
		add(at, "removed", "");
		if (isCall(at) && at + 1 < this.lines.size() && isStatement(at + 1) && isCall(at + 1)) {
			List<String> changed = new ArrayList<>(this.lines);
			changed.set(at, this.lines.get(at + 1));
			changed.set(at + 1, this.lines.get(at));
			this.mutants.add(new ScriptMutant(this.script, name(at), "after the next", join(changed)));
		}
	}

	/** An assignment, a call or a return in one line, but not the end of the script. */
	private boolean isStatement(int at) {
		List<Token> tokens = tokens(this.lines.get(at));
		if (tokens.isEmpty() || !tokens.get(0).kind.equals("name") || !isBalanced(tokens)) {
			return false;
		}
		String first = tokens.get(0).text;
		return first.equals("break") || (first.equals("return") ? at + 1 < this.lines.size()
				: !KEYWORDS.contains(first) && tokens.stream().anyMatch((token) -> token.text.matches("[(=]")));
	}

	private boolean isCall(int at) {
		List<Token> tokens = tokens(this.lines.get(at));
		return !tokens.get(0).text.equals("return") && tokens.stream().noneMatch((token) -> token.text.equals("="));
	}

	private static boolean isBalanced(List<Token> tokens) {
		int depth = 0;
		for (Token token : tokens) {
			depth += token.text.matches("[({\\[]") ? 1 : token.text.matches("[)}\\]]") ? -1 : 0;
			if (depth < 0) {
				return false;
			}
		}
		return depth == 0 && !tokens.get(tokens.size() - 1).text.matches(",|\\.\\.|and|or");
	}

	private void add(int at, String change, String line) {
		List<String> changed = new ArrayList<>(this.lines);
		changed.set(at, line);
		this.mutants.add(new ScriptMutant(this.script, name(at), change, join(changed)));
	}

	private String name(int at) {
		String line = this.lines.get(at).strip();
		int[] same = IntStream.range(0, this.lines.size())
			.filter((each) -> this.lines.get(each).strip().equals(line))
			.toArray();
		return (same.length > 1) ? line + " @" + (Arrays.binarySearch(same, at) + 1) : line;
	}

	private static String join(List<String> lines) {
		return String.join("\n", lines) + "\n";
	}

	private static List<Token> tokens(String line) {
		List<Token> tokens = new ArrayList<>();
		Matcher matcher = TOKEN.matcher(line);
		while (matcher.find()) {
			for (String kind : List.of("string", "number", "name", "symbol")) {
				if (matcher.group(kind) != null) {
					tokens.add(new Token(kind, matcher.start(), matcher.end(), matcher.group()));
				}
			}
		}
		return tokens;
	}

	private record Token(String kind, int begin, int end, String text) {
	}

}
