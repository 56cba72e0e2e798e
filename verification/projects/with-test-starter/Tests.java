package com.example;

import java.io.PrintWriter;

import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

/**
 * Runs the tests, and prints how many passed.
 */
public class Tests {

	public static void main(String... args) {
		LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
			.selectors(selectClass(OrderServiceTests.class))
			.build();
		SummaryGeneratingListener listener = new SummaryGeneratingListener();
		LauncherFactory.create().execute(request, listener);
		listener.getSummary().printFailuresTo(new PrintWriter(System.err, true));
		System.out.println("Tests passed: " + listener.getSummary().getTestsSucceededCount());
	}

}
