package com.example;

import java.util.List;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/**
 * Calls the classes that begin the guides, and prints what they lock.
 */
@SpringBootApplication
public class Application {

	@Bean
	LockListener printer() {
		return (event) -> {
			if (event instanceof LockEvent.Acquired acquired) {
				System.out.println("Locked " + acquired.name());
			}
		};
	}

	public static void main(String... args) {
		try (var context = SpringApplication.run(Application.class, args)) {
			System.out.println(context.getBean(Orders.class).ship(42));
			context.getBean(NightlyReport.class).writeReport();
			context.getBean(Catalog.class).export("a");
			System.out.println(context.getBean(Catalog.class).read("b"));
			context.getBean(Catalog.class).rebuild("c");
			System.out.println(context.getBean(Shipments.class).ship("d").block());
			context.getBean(Exports.class).export("e", List.of("1", "2"));
		}
	}

}
