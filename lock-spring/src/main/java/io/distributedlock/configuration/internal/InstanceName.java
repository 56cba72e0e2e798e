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

package io.distributedlock.configuration.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

import org.springframework.core.env.Environment;

/**
 * Derives a recognizable name of this instance: {@code application@host-process}.
 */
public final class InstanceName {

	private InstanceName() {
	}

	public static String derive(Environment environment) {
		String application = environment.getProperty("spring.application.name", "application");
		return application + "@" + host(environment) + "-" + ProcessHandle.current().pid();
	}

	/**
	 * The variables come first because asking for the local host may ask a name server.
	 */
	private static String host(Environment environment) {
		for (String variable : List.of("HOSTNAME", "COMPUTERNAME")) {
			String host = environment.getProperty(variable);
			if (host != null && !host.isBlank()) {
				return host;
			}
		}
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "localhost";
		}
	}

}
