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

package io.distributedlock.fencing;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * The data sources whose transactions are fenced, no matter whether the transaction
 * manager uses the named data source, a wrapper of it, or its target.
 */
final class FencedDataSources {

	private final List<DataSource> named;

	/**
	 * Create a new instance. If no data source is named, all are fenced.
	 */
	FencedDataSources(Collection<? extends DataSource> named) {
		this.named = List.copyOf(named);
	}

	boolean areNamed() {
		return !this.named.isEmpty();
	}

	boolean contains(DataSource dataSource) {
		return this.named.isEmpty() || this.named.contains(dataSource)
				|| this.named.stream()
					.flatMap(FencedDataSources::targets)
					.collect(Collectors.toSet())
					.containsAll(targets(dataSource).toList());
	}

	/**
	 * Return the data sources from which the connections come. A data source that routes
	 * is fenced only if all of its targets are.
	 */
	private static Stream<DataSource> targets(DataSource dataSource) {
		DataSource innermost = innermost(dataSource);
		List<DataSource> routed = routed(innermost);
		return routed.isEmpty() ? Stream.of(innermost) : routed.stream().flatMap(FencedDataSources::targets);
	}

	/**
	 * Return the data sources to use for work without a transaction in each database:
	 * with wrappers that may have credentials, but without wrappers that return the
	 * connection of the current transaction.
	 */
	static Stream<DataSource> databasesOf(DataSource dataSource) {
		List<DataSource> routed = routed(innermost(dataSource));
		return routed.isEmpty() ? Stream.of(outsideOfTransactions(dataSource))
				: routed.stream().flatMap(FencedDataSources::databasesOf);
	}

	private static DataSource outsideOfTransactions(DataSource dataSource) {
		DataSource own = dataSource;
		DataSource inner = dataSource;
		while (inner instanceof DelegatingDataSource wrapper && wrapper.getTargetDataSource() != null) {
			inner = wrapper.getTargetDataSource();
			own = (wrapper instanceof TransactionAwareDataSourceProxy) ? inner : own;
		}
		return own;
	}

	/**
	 * Return whether a data source may lead to several databases.
	 */
	static boolean routes(DataSource dataSource) {
		return innermost(dataSource) instanceof AbstractRoutingDataSource;
	}

	/**
	 * Return whether a data source routes to databases that only it knows, and perhaps
	 * only while it is asked for a connection.
	 */
	static boolean routesByItself(DataSource dataSource) {
		return innermost(dataSource) instanceof AbstractRoutingDataSource routing && routed(routing).isEmpty();
	}

	private static DataSource innermost(DataSource dataSource) {
		return (dataSource instanceof DelegatingDataSource wrapper && wrapper.getTargetDataSource() != null)
				? innermost(wrapper.getTargetDataSource()) : dataSource;
	}

	private static List<DataSource> routed(DataSource dataSource) {
		if (!(dataSource instanceof AbstractRoutingDataSource routing)) {
			return List.of();
		}
		try {
			return Stream
				.concat(routing.getResolvedDataSources().values().stream(),
						Stream.ofNullable(routing.getResolvedDefaultDataSource()))
				.distinct()
				.toList();
		}
		catch (IllegalStateException ex) {
			// One that looks its targets up when it needs them
			return List.of();
		}
	}

}
