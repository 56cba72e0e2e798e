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

package io.distributedlock.sample.stage;

import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

import tools.jackson.databind.JsonNode;

final class StockScenario implements Scenario {

	private static final int STOCK = 25;

	private static final int CLIENTS = 40;

	@Override
	public String title() {
		return "Stock";
	}

	@Override
	public String story() {
		return """
				40 customers buy one of 25 pieces at the same moment, on both instances:
				read, check, write, in a transaction of the database that both use.""";
	}

	@Override
	public List<Finding> play(Instances instances) {
		String product = "/stock/" + Instances.fresh("phone");
		instances.first().put(product + "?quantity=" + STOCK);
		List<Answer> answers = instances.atOnce(CLIENTS, (instance) -> instance.post(product + "/purchase"));
		JsonNode stock = instances.second().get(product).body();
		return List.of(Finding.number("customers who got one", STOCK, count(answers, Answer.OK)),
				Finding.number("customers who were told that it is sold out", CLIENTS - STOCK,
						count(answers, Answer.SOLD_OUT)),
				Finding.number("pieces left in the database", 0, stock.path("quantity").asLong()),
				Finding.number("pieces sold in the database", STOCK, stock.path("sold").asLong()),
				Finding.note("sold by",
						answers.stream()
							.filter((answer) -> answer.is(Answer.OK))
							.collect(Collectors.groupingBy(Answer::instance, TreeMap::new, Collectors.counting()))));
	}

	private static long count(List<Answer> answers, int status) {
		return answers.stream().filter((answer) -> answer.is(status)).count();
	}

}
