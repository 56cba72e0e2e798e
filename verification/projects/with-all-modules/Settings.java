package com.example;

import io.distributedlock.leadership.Leadership;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/**
 * Starts with the properties of the documentation, and again with one more, which does not exist.
 */
@EnableAutoConfiguration
class Settings {

	public static void main(String... args) {
		run(args);
		System.out.println("With a misspelt property:");
		System.setProperty("distributed-lock.key-prefx", "a");
		run(args);
	}

	private static void run(String... args) {
		try (var context = SpringApplication.run(Settings.class, args)) {
			System.out.println("Leaders: " + String.join(", ", context.getBeanNamesForType(Leadership.class)));
		}
	}

}
