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

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Counts open connections and the statements that are executed, and notes the names of
 * the fences that are claimed.
 */
final class CountingDataSource extends DelegatingDataSource {

	private final AtomicInteger open = new AtomicInteger();

	private final AtomicInteger statements = new AtomicInteger();

	private final List<String> claimed = new CopyOnWriteArrayList<>();

	CountingDataSource(DataSource target) {
		super(target);
	}

	int open() {
		return this.open.get();
	}

	int statements() {
		return this.statements.get();
	}

	List<String> claimed() {
		return this.claimed;
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		this.open.incrementAndGet();
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("close")) {
						this.open.decrementAndGet();
					}
					Object result = AopUtils.invokeJoinpointUsingReflection(connection, method, arguments);
					return (result instanceof PreparedStatement statement
							&& method.getName().equals("prepareStatement")) ? counting(statement) : result;
				});
	}

	private PreparedStatement counting(PreparedStatement statement) {
		return (PreparedStatement) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { PreparedStatement.class }, (proxy, method, arguments) -> {
					if (method.getName().startsWith("execute")) {
						this.statements.incrementAndGet();
					}
					if (method.getName().equals("setString")) {
						this.claimed.add((String) arguments[1]);
					}
					return AopUtils.invokeJoinpointUsingReflection(statement, method, arguments);
				});
	}

}
