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

package io.distributedlock.testsupport;

import java.util.ArrayList;
import java.util.List;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PortBinding;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * A Redis server in a container, bound to a fixed port of the host.
 */
final class ContainerRedis implements RedisBackend {

	private static final String IMAGE = System.getProperty("lock.test.redis.image", "redis:7.4-alpine");

	private static final int INNER_PORT = 6379;

	private final GenericContainer<?> container;

	private final int port;

	ContainerRedis(RedisSettings settings, int port) {
		this.port = port;
		List<String> command = new ArrayList<>(List.of("redis-server"));
		command.addAll(settings.arguments());
		this.container = new GenericContainer<>(DockerImageName.parse(IMAGE)).withExposedPorts(INNER_PORT)
			.withCreateContainerCmdModifier(this::bindPort)
			.withCommand(command.toArray(String[]::new));
	}

	private void bindPort(CreateContainerCmd create) {
		HostConfig hostConfig = create.getHostConfig();
		if (hostConfig == null) {
			hostConfig = new HostConfig();
		}
		create.withHostConfig(hostConfig.withPortBindings(PortBinding.parse(this.port + ":" + INNER_PORT)));
	}

	@Override
	public void start() {
		if (this.container.getContainerId() == null) {
			this.container.start();
		}
		else {
			docker().startContainerCmd(this.container.getContainerId()).exec();
		}
	}

	@Override
	public void stop() {
		resume();
		docker().stopContainerCmd(this.container.getContainerId()).exec();
	}

	@Override
	public void kill() {
		docker().killContainerCmd(this.container.getContainerId()).exec();
	}

	@Override
	public void pause() {
		docker().pauseContainerCmd(this.container.getContainerId()).exec();
	}

	@Override
	public void resume() {
		if (Boolean.TRUE.equals(state().getPaused())) {
			docker().unpauseContainerCmd(this.container.getContainerId()).exec();
		}
	}

	@Override
	public boolean isRunning() {
		return this.container.getContainerId() != null && Boolean.TRUE.equals(state().getRunning());
	}

	@Override
	public String host() {
		return this.container.getHost();
	}

	@Override
	public int port() {
		return this.port;
	}

	@Override
	public String output() {
		return this.container.getLogs();
	}

	@Override
	public void close() {
		this.container.close();
	}

	private InspectContainerResponse.ContainerState state() {
		return docker().inspectContainerCmd(this.container.getContainerId()).exec().getState();
	}

	private DockerClient docker() {
		return this.container.getDockerClient();
	}

}
