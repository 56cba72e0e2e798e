package com.example;

import io.distributedlock.leadership.Leadership;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Starts with the properties of the documentation, and again with one more, which does not exist.
 */
@EnableAutoConfiguration
class Settings {

	public static void main(String... args) {
		run(args);
		System.out.println("With a misspelt property:");
		// The README has strict
		System.setProperty("distributed-lock.validation", "fail");
		System.setProperty("distributed-lock.key-prefx", "a");
		run(args);
	}

	private static void run(String... args) {
		try (var context = SpringApplication.run(Settings.class, args)) {
			System.out.println("Leaders: " + String.join(", ", context.getBeanNamesForType(Leadership.class)));
			boolean apart = context.getBean(RedisConnectionFactory.class) != context.getBean("lockConnectionFactory");
			System.out.println("Redis of the locks beside that of Spring Boot: " + apart);
		}
	}

	/** Called as on the page about the configuration. */
	@Bean(defaultCandidate = false)
	LettuceConnectionFactory lockConnectionFactory(DataRedisProperties redis) {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(redis.getHost(), redis.getPort());
		server.setPassword(RedisPassword.of(redis.getPassword()));
		return new LettuceConnectionFactory(server);
	}

}
