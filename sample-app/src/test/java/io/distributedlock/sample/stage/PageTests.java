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

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.distributedlock.LockEvent;
import io.distributedlock.LossCause;
import io.distributedlock.testsupport.EnabledIfInstalled;
import io.distributedlock.testsupport.OptionalPackage;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

/**
 * Uses the page in a real browser. With {@code -Dsample.pictures=../docs/images} they
 * take the pictures of the README.
 */
@EnabledIfInstalled(value = OptionalPackage.CHROMIUM, tests = "the page of the sample")
@ExtendWith(OutputCaptureExtension.class)
class PageTests {

	private static final String CONTRAST = """
			const style = getComputedStyle(document.documentElement);
			const luminance = (name) => {
				const hex = style.getPropertyValue(name).trim().slice(1);
				const parts = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
					.map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
				return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
			};
			const [one, other] = [luminance(arguments[0]), luminance(arguments[1])];
			return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);""";

	private static Stage stage;

	private static Browser browser;

	private static int port;

	@BeforeAll
	static void open() throws Exception {
		browser = Browser.start();
		try (ServerSocket free = new ServerSocket(0)) {
			port = free.getLocalPort();
		}
		stage = Stage.open(new MockEnvironment().withProperty("server.port", Integer.toString(port)),
				"--server.port=" + port, "--distributed-lock.redis.command-timeout=3s");
	}

	@AfterAll
	static void end() throws Exception {
		if (browser != null) {
			browser.close();
		}
		if (stage != null) {
			stage.close();
		}
	}

	@BeforeEach
	void openPage() {
		browser.prefer("prefers-color-scheme", "light");
		browser.open(stage.page().url(), 1280, 900);
		browser.awaitText("#live", "Live");
	}

	@Test
	void thePageKeepsToItsPolicyAndTheBrowserHasNothingToComplainAbout() {
		assertThat(browser.all("#scenarios .foot > button:not(.more)")).hasSize(15);
		assertThat(browser.complaints()).isEmpty();
		browser.run("document.head.append(Object.assign(document.createElement('style'), { textContent: 'p {}' }))");
		assertThat(browser.complaints()).singleElement().asString().contains("Content Security Policy");
		assertThat(browser.run("""
				try { document.body.insertAdjacentHTML('beforeend', '<b>x</b>'); return 'inserted'; }
				catch (refused) { return refused.name; }""")).isEqualTo("TypeError");
	}

	@Test
	void thePageHasThePortThatIsChosenAndTheInstancesHaveTheirOwn() {
		assertThat(stage.page().url()).isEqualTo("http://localhost:%d/", port);
		assertThat(browser.all(".lane-head .url")).extracting(WebElement::getText)
			.hasSize(2)
			.doesNotHaveDuplicates()
			.allMatch((url) -> url.matches("localhost:\\d+"))
			.doesNotContain("localhost:" + port);
	}

	@Test
	void aScenarioIsStartedByKeyboardAndItsHoldAppearsInTheLaneOfItsInstance() {
		WebElement button = browser.find("[data-scenario='3'] button");
		for (int tabs = 0; tabs < 40 && !button.equals(browser.focused()); tabs++) {
			browser.type(Keys.TAB);
		}
		assertThat(browser.focused()).isEqualTo(button);
		assertThat(button.getCssValue("outline-style")).isEqualTo("solid");
		browser.type(Keys.ENTER);
		WebElement hold = browser.awaitElement(".hold[data-lock^='pay:order']");
		String lock = hold.getDomAttribute("data-lock");
		String instance = (String) browser.run("return arguments[0].closest('.lane').dataset.instance", hold);
		awaitEndAsExpected(3);
		assertThat(browser.focused()).isEqualTo(button);
		assertThat(instance).isEqualTo(row("Acquired", lock).get(1));
		assertThat(row("Released", lock)).contains(instance, lock);
		assertThat(rows("NotAcquired", lock)).hasSize(4);
		assertThat(browser.all(".refusal[data-lock='" + lock + "']")).isNotEmpty();
		assertThat(browser.all(".overlap[data-lock='" + lock + "']")).isEmpty();
		await().atMost(Browser.LONG)
			.untilAsserted(() -> assertThat(browser.find("#announcer").getDomProperty("textContent"))
				.contains("Scenario 3 went as expected"));
	}

	@ParameterizedTest
	@CsvSource({ "1400, 900", "768, 1024", "390, 844" })
	void timeLineIsInViewWhileAScenarioPlaysAndThenItsResultsAre(int width, int height) {
		browser.open(stage.page().url(), width, height);
		WebElement button = browser.awaitElement("[data-scenario='14'] button");
		// An incident of another test
		await().atMost(Browser.LONG).until(() -> browser.find("#playing").getText().isEmpty());
		browser.run("arguments[0].scrollIntoView()", button);
		assertThat(isInView(browser.find("#lanes"))).as("before").isFalse();
		play(14);
		browser.awaitText("#playing", "14 · At most three at a time");
		assertThat(isInView(browser.find("#playing"))).isTrue();
		assertThat(isInView(browser.find("#lanes"))).isTrue();
		assertThat(isInView(button)).as("not below the time line").isTrue();
		browser.run("tidy()");
		assertThat(browser.find("#line").getSize().getHeight()).as("room for the rest").isLessThan(height * 46 / 100);
		awaitEndAsExpected(14);
		assertThat(browser.all("#scenarios .seen:not([hidden])")).singleElement()
			.satisfies((results) -> assertThat(results.getText()).contains("✓ exports that finished: 9"));
		assertThat(isInView(browser.find("#seen-14"))).isTrue();
		await().atMost(Browser.LONG).until(() -> browser.find("#playing").getText().isEmpty());
		assertThat(isInView(browser.find("#lanes"))).as("afterwards").isFalse();
		assertThat(isInView(browser.find("#seen-14"))).as("afterwards").isTrue();
	}

	@Test
	void aLowWindowIsNotFilledByTheTimeLine() throws Exception {
		// At its end, a scenario takes the reader back to its card: it has to last until
		// the time line was looked at
		CompletableFuture<List<Finding>> end = new CompletableFuture<>();
		Scenario scenario = new Scenario("Until it was seen", "It goes on.", (instances) -> end.join());
		withPage(new LiveFeed(), Collections.nCopies(15, scenario), (url) -> {
			browser.open(url, 1280, 500);
			browser.run("arguments[0].scrollIntoView()", browser.awaitElement("[data-scenario='12'] button"));
			play(12);
			browser.awaitText("#playing", "12 · Until it was seen");
			assertThat(isInView(browser.find("#playing"))).isTrue();
			assertThat(browser.find("#line").getCssValue("position")).isEqualTo("static");
			end.complete(List.of(Finding.that("it was seen", true)));
			awaitEndAsExpected(12);
			assertThat(isInView(browser.find("#seen-12"))).isTrue();
		});
	}

	@Test
	void pageThatConnectsShowsNoNumberAndNoState() {
		browser.block("*/events");
		try {
			browser.open(stage.page().url(), 1280, 900);
			assertThat(browser.find("#redis").getText()).isEqualTo("Redis: connecting…");
			assertThat(browser.find("#lanes").getText()).isEqualTo("Connecting…");
			assertThat(browser.find("#scenarios").getText()).isEqualTo("Connecting…");
			assertThat(browser.find("#held-locks").getText()).isEqualTo("Connecting…");
			assertThat((List<?>) browser.run("""
					buildLanes([{ name: 'instance-1', url: 'http://localhost:1' }]);
					return [...document.querySelectorAll('.lane dd')].map((count) => count.textContent);""")).hasSize(5)
				.allMatch(""::equals);
			assertThat(browser.find(".lane dl").isDisplayed()).isFalse();
		}
		finally {
			browser.block();
		}
		browser.awaitText("#live", "Live");
		browser.awaitText("#redis", "Redis answers");
		await().atMost(Browser.LONG)
			.untilAsserted(() -> assertThat(browser.all(".lane dd")).hasSize(10)
				.allMatch((count) -> count.getText().matches("\\d+")));
		assertThat(browser.all(".connecting")).isEmpty();
	}

	@Test
	void anIdleTimeLineSaysWhatToDo() {
		browser.run("document.querySelector('[name=span][value=\"15\"]').click()");
		String lock = Instances.fresh("before-idle");
		acquire("instance-1", lock, 1);
		await().atMost(Browser.LONG).until(() -> !browser.find("#empty").isDisplayed());
		release("instance-1", lock, 1, Duration.ofMillis(9));
		await().atMost(Browser.LONG).until(() -> browser.find("#empty").isDisplayed());
		assertThat(browser.find("#empty").getText()).contains("Play a scenario or break something");
		acquire("instance-1", lock, 2);
		await().atMost(Browser.LONG).until(() -> !browser.find("#empty").isDisplayed());
		release("instance-1", lock, 2, Duration.ofMillis(9));
	}

	@Test
	void pageThatIsOpenedWhenAllIsOverShowsTheLastActivityUntilSomethingHappens() throws Exception {
		AtomicLong later = new AtomicLong();
		LiveFeed feed = new LiveFeed(() -> System.nanoTime() + later.get());
		withPage(feed, (url) -> {
			feed.publish("scenario", Map.of("number", 13, "playing", false, "asExpected", true, "findings", List.of()));
			release(feed, "instance-1", "over", 1, Duration.ofSeconds(3));
			later.set(TimeUnit.MINUTES.toNanos(10));
			browser.open(url, 1280, 900);
			browser.awaitText("#past", "Last activity, 10 min ago");
			assertThat(isInView(browser.find(".hold[data-lock='over']"))).isTrue();
			assertThat(browser.find(".now").isDisplayed()).isFalse();
			assertThat(browser.find("#playing").getText()).isEmpty();
			assertThat(browser.find("#empty").isDisplayed()).isFalse();
			assertThat(movement().positions()).hasSize(1);
			browser.press("#to-now");
			await().atMost(Browser.LONG).until(() -> browser.find("#empty").isDisplayed());
			assertThat(browser.focused()).isEqualTo(browser.find("#freeze"));
			assertThat(browser.find(".now").isDisplayed()).isTrue();
			browser.press("#to-last");
			assertThat(browser.focused()).isEqualTo(browser.find("#to-now"));
			assertThat(isInView(browser.find(".hold[data-lock='over']"))).isTrue();
			acquire(feed, "instance-2", "next", 2);
			browser.awaitElement(".hold[data-lock='next']");
			assertThat(browser.find("#past").isDisplayed()).isFalse();
			assertThat(browser.find(".now").isDisplayed()).isTrue();
			assertThat(browser.find(".hold[data-lock='next']").getLocation().getX()).isBetween(900, 1200);
		});
	}

	/** A page without any instance: what it shows is what is published. */
	private static void withPage(LiveFeed feed, ThrowingConsumer<String> use) throws Exception {
		withPage(feed, Scenarios.ALL, use);
	}

	private static void withPage(LiveFeed feed, List<Scenario> scenarios, ThrowingConsumer<String> use)
			throws Exception {
		Instances nowhere = Instances.at("http://localhost:1", "http://localhost:2");
		Insider nobody = new Insider(null, null, null, null, null);
		try (Account account = new Account(nowhere, scenarios, feed);
				Incidents incidents = new Incidents(nobody, nobody, nowhere, null, feed);
				PageServer server = PageServer.start(PageServer.bind(new MockEnvironment()), feed, account, incidents,
						nowhere)) {
			use.accept(server.url());
		}
	}

	@Test
	void theLegendIsShortAndExplainsEachSign() {
		assertThat(browser.all(".legend li")).extracting(WebElement::getText)
			.allSatisfy((words) -> assertThat(words).hasSizeLessThan(80).doesNotContainPattern("scenario|in \\d|\\d,"));
		for (String sign : List.of("hold", "renewal", "wait", "refusal", "loss", "done", "commit", "company",
				"operator", "overlap")) {
			assertThat(browser.all(".legend i." + sign)).as(sign).hasSize(1);
		}
	}

	@ParameterizedTest
	@CsvSource({ "1400, 3", "768, 2", "390, 1" })
	void theLegendIsAlignedAndEachEntryIsOneLine(int width, int columns) {
		browser.open(stage.page().url(), width, 844);
		browser.run("document.querySelector('#legend').open = true");
		assertThat(browser.all(".legend li").stream().map((entry) -> entry.getLocation().getX()).distinct())
			.hasSize(columns);
		assertThat(browser.all(".legend li")).allMatch((entry) -> entry.getSize().getHeight() < 30);
	}

	@ParameterizedTest
	@CsvSource({ "1400, true", "768, true", "390, false" })
	void theLegendIsFoldedWhereItWouldFillTheScreen(int width, boolean open) {
		browser.open(stage.page().url(), width, 844);
		assertThat(browser.find(".legend").isDisplayed()).isEqualTo(open);
		WebElement summary = browser.find("#legend summary");
		assertThat(summary.isDisplayed()).isNotEqualTo(open);
		if (!open) {
			summary.click();
			assertThat(browser.find(".legend").isDisplayed()).isTrue();
		}
	}

	@ParameterizedTest
	@CsvSource({ "1400, true", "768, true", "390, false" })
	void incidentsAreFoldedOnANarrowScreenUntilOneIsLookedForOrHappens(int width, boolean open) throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, width, 844);
			browser.awaitText("#live", "Live");
			WebElement button = browser.find("[data-incident='held-job'] button");
			assertThat(button.isDisplayed()).isEqualTo(open);
			assertThat(browser.find("#break-title").isDisplayed()).isTrue();
			browser.press("a[href='#stuck-holder']");
			await().atMost(Browser.LONG).until(button::isDisplayed);
			browser.open(url, width, 844);
			browser.awaitText("#live", "Live");
			feed.publish("incident", Map.of("incident", "held-job", "happening", true));
			await().atMost(Browser.LONG).until(() -> browser.find("[data-incident='held-job'] button").isDisplayed());
		});
	}

	@Test
	void aLossIsSeenSoonOnThePageInTheMetersInTheLogAndInTheTrace(CapturedOutput output) throws Exception {
		double before = lossesOfIncidents();
		LiveFeed.Message told;
		try (LiveFeed.Subscription events = stage.feed().subscribe(null)) {
			breakBy("paused-holder");
			// Seen while it waits, which is told only when it ends
			browser.awaitElement(".two .wait[data-lock^='incident:paused']");
			do {
				told = events.next(60, TimeUnit.SECONDS);
				assertThat(told).as("loss").isNotNull();
			}
			while (!told.data().contains("\"Lost\"") || !told.data().contains("incident:paused"));
		}
		long since = System.nanoTime();
		WebElement sign = browser.awaitElement(".hold.lost[data-lock^='incident:paused'] .loss");
		Duration took = Duration.ofNanos(System.nanoTime() - since);
		assertThat(took).isLessThan(Duration.ofSeconds(15));
		String lock = (String) browser.run("return arguments[0].parentElement.dataset.lock", sign);
		assertThat(row("Lost", lock)).element(5)
			.asString()
			.containsAnyOf("LEASE_EXPIRED", "PROCESS_PAUSED")
			.doesNotContainPattern("\\d(?:ms|s|m|h)\\b");
		assertThat(lossesOfIncidents()).isEqualTo(before + 1);
		assertThat(output).contains("Lock '" + lock + "' was lost");
		await().atMost(Browser.LONG)
			.untilAsserted(() -> assertThat(rows("Span", lock))
				.anySatisfy((span) -> assertThat(span).last().asString().contains("LockLostException", ", trace ")));
		// The one that waited has the lock now, and a greater fencing token
		await().atMost(Browser.LONG).until(() -> browser.all(".hold[data-lock='" + lock + "']").size() == 2);
		List<Long> tokens = browser.all(".hold[data-lock='" + lock + "']")
			.stream()
			.map((hold) -> Long.valueOf(hold.getDomAttribute("data-token")))
			.toList();
		assertThat(tokens.get(1)).isGreaterThan(tokens.get(0));
		assertThat(browser.all(".overlap[data-lock='" + lock + "']")).isEmpty();
	}

	@Test
	void twoHoldersAtOnceAreRedAndOneAfterTheOtherAreNot() {
		String both = Instances.fresh("both");
		String inTurn = Instances.fresh("in-turn");
		acquire("instance-1", inTurn, 1);
		acquire("instance-1", both, 1);
		await().atMost(Browser.LONG).until(() -> browser.all(".hold[data-lock='" + both + "']").size() == 1);
		assertThat(browser.find("#overlap").getText()).doesNotContain(both);
		release("instance-1", inTurn, 1, Duration.ofMinutes(1));
		acquire("instance-2", inTurn, 2);
		acquire("instance-2", both, 2);
		await().atMost(Browser.LONG).until(() -> browser.all(".overlap[data-lock='" + both + "']").size() == 2);
		WebElement alert = browser.find("#overlap");
		assertThat(alert.getAriaRole()).isEqualTo("alert");
		assertThat(alert.getText()).contains("Two holders of '" + both + "'", "instance-1 with the fencing token 1",
				"instance-2 with 2");
		assertThat(browser.find(".overlap[data-lock='" + both + "']").getCssValue("border-top-color"))
			.isEqualTo("rgba(196, 0, 47, 1)");
		for (String lane : List.of(".one", ".two")) {
			WebElement token = browser.find(lane + " .overlap[data-lock='" + both + "'] .token");
			assertThat(token.getText()).isEqualTo(lane.equals(".one") ? "#1" : "#2");
			assertThat(isInView(token)).as("in front of the red").isTrue();
			assertThat(token.getCssValue("background-color")).isEqualTo("rgba(255, 255, 255, 1)");
			browser.awaitElement(lane + " .hold.covered[data-lock='" + both + "']");
			double covers = overlap(browser.find(lane + " .overlap[data-lock='" + both + "']"), token);
			assertThat(covers < 5).as("beside it, where a sign of its loss may follow").isEqualTo(lane.equals(".one"));
		}
		assertThat(row("Overlap", both)).contains("two holders");
		assertThat(browser.all(".overlap[data-lock='" + inTurn + "']")).isEmpty();
		for (String name : List.of(both, inTurn)) {
			release("instance-2", name, 2, Duration.ofMinutes(1));
		}
		release("instance-1", both, 1, Duration.ofMinutes(1));
		openPage();
		assertThat(browser.awaitElement(".overlap[data-lock='" + both + "']").isDisplayed()).isTrue();
		assertThat(rows("Released", inTurn)).hasSize(2);
		assertThat(browser.all(".overlap[data-lock='" + inTurn + "']")).isEmpty();
		browser.press("#overlap-seen");
		assertThat(browser.find("#overlap").isDisplayed()).isFalse();
	}

	@Test
	void holdThatAnotherOneEnclosesIsRedHoweverShortItIs() {
		String lock = Instances.fresh("account:short");
		acquire("instance-1", lock, 1);
		Pause.of(Duration.ofMillis(300));
		acquire("instance-2", lock, 2);
		release("instance-2", lock, 2, Duration.ofMillis(1));
		Pause.of(Duration.ofMillis(300));
		release("instance-1", lock, 1, Duration.ofMinutes(1));
		for (String lane : List.of(".one", ".two")) {
			WebElement red = browser.awaitElement(lane + " .overlap[data-lock='" + lock + "']");
			assertThat(red.getSize().getWidth()).as(lane).isGreaterThanOrEqualTo(14);
		}
	}

	@Test
	void twoHoldersPlannedByAScenarioAreNoAlarm() {
		String planned = Instances.fresh("account:planned");
		browser.run("document.querySelector('#overlap').hidden = true");
		acquire("instance-1", planned, 1);
		acquire("instance-2", planned, 2);
		browser.awaitText("#overlap", "as planned by scenario 13, after its lock was deleted: two holders of");
		assertThat(browser.find("#overlap").getText()).matches("(?s)\\d\\d:\\d\\d:\\d\\d, as planned.*");
		assertThat(browser.find("#overlap").getCssValue("border-top-color")).isNotEqualTo("rgba(196, 0, 47, 1)");
		assertThat(row("Overlap", planned).get(5)).startsWith("as planned by scenario 13");
		// It goes away by itself
		browser.run("document.querySelector('#overlap').dataset.from = -60");
		await().atMost(Browser.LONG).until(() -> !browser.find("#overlap").isDisplayed());
		release("instance-2", planned, 2, Duration.ofMinutes(1));
		release("instance-1", planned, 1, Duration.ofMinutes(1));
	}

	@Test
	void twoHoldersAfterAForcedReleaseAreNoAlarm() {
		String forced = Instances.fresh("forced");
		browser.run("document.querySelector('#overlap').hidden = true");
		acquire("instance-1", forced, 1);
		acquire("instance-2", forced, 2);
		Pause.of(Duration.ofMillis(300));
		assertThat(rows("Overlap", forced)).isEmpty();
		Duration minute = Duration.ofMinutes(1);
		new InstanceEvents("instance-1", stage.feed(), new Plug()).onLockEvent(new LockEvent.Lost(forced, "artificial",
				minute, 1, minute, LossCause.FORCED, "An operator released it."));
		browser.awaitText("#overlap", "after a forced release: two holders of");
		assertThat(browser.find("#overlap").getDomAttribute("class")).isEqualTo("planned");
		assertThat(row("Overlap", forced).get(5)).startsWith("after a forced release; ");
		release("instance-2", forced, 2, minute);
	}

	@Test
	void badgeOfARefusalHidesNoPartOfAToken() {
		String lock = Instances.fresh("badge");
		acquire("instance-1", lock, 1_795_783_465_757_108L);
		refuse("instance-1", lock);
		WebElement hold = browser.awaitElement(".hold[data-lock='" + lock + "']");
		WebElement badge = browser.awaitElement(".refusal[data-lock='" + lock + "']");
		browser.run("state.frozenAt = serverNow() + 5; frame(); tidy()");
		assertThat(overlap(hold, badge)).isLessThan(5);
		assertThat(hold.findElement(By.tagName("span")).isDisplayed()).isTrue();
		browser.run("state.frozenAt = null");
		Pause.of(Duration.ofSeconds(1));
		refuse("instance-1", lock);
		browser.awaitElement(".hold.covered[data-lock='" + lock + "']");
		assertThat(browser.find(".hold[data-lock='" + lock + "'] span").isDisplayed()).isFalse();
		release("instance-1", lock, 1_795_783_465_757_108L, Duration.ofMinutes(1));
	}

	@Test
	void lockThatComesBackGetsAnotherRowOnlyIfItsOwnIsTaken() {
		String job = Instances.fresh("job");
		long row = rowOfNext(job);
		assertThat(rowOfNext(job)).isEqualTo(row);
		String other = Instances.fresh("other");
		browser.run("state.locks.get(arguments[0]).until -= 20", job);
		acquire("instance-2", other, 1);
		browser.awaitElement(".hold[data-lock='" + other + "']");
		browser.run("state.locks.get(arguments[0]).row = arguments[1]", other, row);
		assertThat(rowOfNext(job)).isNotEqualTo(row);
		release("instance-2", other, 1, Duration.ofSeconds(1));
	}

	/** Of a hold that begins and ends now. */
	private static long rowOfNext(String lock) {
		String holds = ".hold[data-lock='" + lock + "']";
		int before = browser.all(holds).size();
		acquire("instance-1", lock, before + 1);
		await().atMost(Browser.LONG).until(() -> browser.all(holds).size() > before);
		long row = (long) browser.run("return state.locks.get(arguments[0]).row", lock);
		release("instance-1", lock, before + 1, Duration.ofMillis(10));
		await().atMost(Browser.LONG)
			.until(() -> (long) browser.run("return state.locks.get(arguments[0]).running", lock) == 0);
		return row;
	}

	@Test
	void labelOfALockIsNeverCutOffAtTheEdge() {
		String lock = Instances.fresh("with-a-name-that-is-longer-than-its-bar");
		acquire("instance-1", lock, 1);
		browser.awaitElement(".hold[data-lock='" + lock + "']");
		release("instance-1", lock, 1, Duration.ofMillis(300));
		assertThat(browser.run(
				"""
						return (async () => {
							state.span = 3;
							resize();
							const label = [...document.querySelectorAll('.one .label')].find((one) => one.textContent === arguments[0]);
							const left = label.closest('.track').getBoundingClientRect().left;
							let cut = 0;
							for (let i = 0; i < 60; i++) {
								frame();
								if (label.checkVisibility() && label.getBoundingClientRect().left < left) cut++;
								await new Promise((resolve) => setTimeout(resolve, 100));
							}
							return [cut, label.checkVisibility()];
						})()""",
				lock))
			.isEqualTo(List.of(0L, false));
	}

	@Test
	void labelIsNotCutOffByTheNextOneWhileThereIsARow() throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 1280, 900);
			browser.awaitText("#live", "Live");
			acquire(feed, "instance-1", "first", 1);
			acquire(feed, "instance-1", "second", 2);
			Map<String, Object> hold = Map.of("instance", "instance-1", "lock", "many", "token", 3, "lease", 60);
			publish(feed, hold, Map.of("event", "Acquired", "waited", 0, "permits", 3, "mode", "EXCLUSIVE"));
			publish(feed, hold, Map.of("event", "Released", "held", 0.01));
			browser.awaitElement(".hold[data-lock='many']");
			// Its bar is over by now, and its name is not
			Pause.of(Duration.ofMillis(2500));
			acquire(feed, "instance-1", "next", 4);
			browser.awaitElement(".hold[data-lock='next']");
			browser.run("tidy()");
			assertThat(browser.all(".label")).extracting(WebElement::getText)
				.containsExactlyInAnyOrder("first", "second", "many · at most 3", "next");
			assertThat(browser.all(".label")).allMatch((label) -> (boolean) browser
				.run("return arguments[0].scrollWidth <= arguments[0].clientWidth", label));
		});
	}

	@Test
	void labelStandsBesideTheFirstBarThatItsLaneStillShowsOrNotAtAll() throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 1280, 900);
			browser.awaitText("#live", "Live");
			for (String lock : List.of("goes-over", "comes-back")) {
				acquire(feed, "instance-1", lock, 1);
				release(feed, "instance-1", lock, 1, Duration.ofMillis(9));
			}
			Pause.of(Duration.ofSeconds(2));
			acquire(feed, "instance-2", "goes-over", 2);
			acquire(feed, "instance-1", "comes-back", 2);
			browser.awaitElement(".one .hold[data-lock='comes-back'][data-token='2']");
			browser.run("frame()");
			assertThat(browser.find(".one .label[data-lock='goes-over']").isDisplayed()).isTrue();
			browser.run("state.frozenAt = state.holds.get('comes-back 2').from + spanShown() - 1; frame(); tidy()");
			assertThat(browser.find(".one .label[data-lock='goes-over']").isDisplayed()).isFalse();
			assertThat(browser.find(".two .label[data-lock='goes-over']").isDisplayed()).isTrue();
			assertThat(browser.find(".one .label[data-lock='comes-back']").getLocation().getX()).isCloseTo(
					browser.find(".one .hold[data-lock='comes-back'][data-token='2']").getLocation().getX(), within(1));
		});
	}

	@Test
	void labelStandsAboveItsRefusal() throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 1280, 900);
			browser.awaitText("#live", "Live");
			new InstanceEvents("instance-1", feed, new Plug())
				.onLockEvent(new LockEvent.NotAcquired("refused", "artificial", Duration.ZERO, LockEvent.Reason.BUSY));
			WebElement badge = browser.awaitElement(".one .refusal[data-lock='refused']");
			browser.run("frame()");
			assertThat(overlap(browser.find(".one .label[data-lock='refused']"), badge)).isGreaterThan(18);
		});
	}

	private static void publish(LiveFeed feed, Map<String, Object> some, Map<String, Object> others) {
		Map<String, Object> all = new HashMap<>(some);
		all.putAll(others);
		feed.publish("lock", all);
	}

	@Test
	void forcedReleasePassesTheLockOfAStuckHolderToTheNext() {
		breakBy("stuck-holder");
		String lock = browser.awaitElement(".two .wait[data-lock^='incident:stuck']").getDomAttribute("data-lock");
		browser.awaitElement("#held-locks option[value='" + lock + "']").click();
		browser.press("#force");
		WebElement answer = browser.awaitElement(".card:has(#force) .answer");
		assertThat(answer.getText()).isEqualTo("'" + lock + "' was taken from its holder.");
		assertThat(isInView(answer)).isTrue();
		browser.awaitElement(".two .hold[data-lock='" + lock + "']");
		browser.awaitElement(".one .hold.lost[data-lock='" + lock + "']");
		assertThat(row("Lost", lock)).element(5).asString().startsWith("FORCED");
	}

	@Test
	void lockThatIsChosenStaysTheSameWhileOthersComeAndGo() {
		String chosen = Instances.fresh("chosen");
		String other = Instances.fresh("a-lock-before-it");
		acquire("instance-1", chosen, 1);
		WebElement option = browser.awaitElement("#held-locks option[value='" + chosen + "']");
		option.click();
		acquire("instance-2", other, 1);
		browser.awaitElement("#held-locks option[value='" + other + "']");
		assertThat(option.isSelected()).isTrue();
		release("instance-1", chosen, 1, Duration.ofMinutes(1));
		release("instance-2", other, 1, Duration.ofMinutes(1));
	}

	@Test
	void lateReleaseEventLeavesNothingRed() {
		String lock = Instances.fresh("late");
		acquire("instance-1", lock, 1);
		Pause.of(Duration.ofMillis(300));
		acquire("instance-2", lock, 2);
		browser.awaitElement("#log tr.Overlap[data-lock='" + lock + "']");
		release("instance-1", lock, 1, Duration.ofMillis(200));
		browser.awaitElement("#log tr.Released[data-lock='" + lock + "']");
		assertThat(browser.all(".overlap[data-lock='" + lock + "']")).isEmpty();
		assertThat(rows("Overlap", lock)).isEmpty();
		assertThat(browser.find("#overlap").isDisplayed()).isFalse();
		release("instance-2", lock, 2, Duration.ofMinutes(1));
	}

	@Test
	void holdEndsWhenItsReleaseIsNotTold() {
		String lock = Instances.fresh("not-told");
		acquire("instance-1", lock, 1);
		int withLease = browser.awaitElement(".hold[data-lock='" + lock + "']").getSize().getWidth();
		new InstanceEvents("instance-1", stage.feed(), new Plug()).onLockEvent(new LockEvent.ReleaseFailed(lock,
				"artificial", Duration.ofMillis(200), 1, Duration.ofMinutes(1), new IllegalStateException("away")));
		assertThat(row("ReleaseFailed", lock)).element(5).asString().contains("it is told later");
		await().atMost(Browser.LONG)
			.until(() -> browser.find(".hold[data-lock='" + lock + "']").getSize().getWidth() < withLease / 2);
	}

	@ParameterizedTest
	@CsvSource({ "5, stock:", "6, price:" })
	void closelyFollowingHoldsAreNotRed(int scenario, String prefix) {
		play(scenario);
		awaitEndAsExpected(scenario);
		assertThat(browser.all(".hold[data-lock^='" + prefix + "']")).hasSizeGreaterThan(20);
		assertThat(browser.all(".overlap[data-lock^='" + prefix + "']")).isEmpty();
		assertThat(browser.all("#log tr.Overlap[data-lock^='" + prefix + "']")).isEmpty();
	}

	@Test
	void theCardComparesWhatIsSoldWithoutTheLockWithOneThatEndsTooEarlyAndWithIt() {
		play(5);
		awaitEndAsExpected(5);
		assertThat(compared(5)).containsExactly(
				"⚠ without the lock: sold 40 of 25, 15 too many (shown on purpose: oversold)",
				"⚠ released before the commit: sold 40 of 25, 15 too many (shown on purpose: oversold)",
				"✓ with the lock: sold 25 of 25");
	}

	@Test
	void commitIsSeenWithinTheHoldOnlyIfTheLockEndsAfterIt() {
		play(5);
		awaitEndAsExpected(5);
		assertThat(commitsWithinAHold("stock:camera")).hasSize(40).allMatch(Boolean.FALSE::equals);
		assertThat(commitsWithinAHold("stock:phone")).hasSize(25).allMatch(Boolean.TRUE::equals);
		assertThat(browser.all("#log tr.Commit[data-lock^='stock:phone']")).extracting(WebElement::getText)
			.first()
			.asString()
			.contains("committed", "0 left");
	}

	/**
	 * For each commit of the last play, whether its instance has the lock at that time.
	 */
	private static List<?> commitsWithinAHold(String lock) {
		return (List<?>) browser.run(
				"""
						const signs = (kind) => [...document.querySelectorAll('.' + kind + '[data-lock^="' + arguments[0] + '"]')];
						const number = (sign, name) => Number(sign.style.getPropertyValue(name));
						const last = signs('commit').pop().dataset.lock;
						return signs('commit').filter((commit) => commit.dataset.lock === last).map((commit) => signs('hold').some((hold) => {
							const into = number(commit, '--from') - number(hold, '--from');
							return hold.parentElement === commit.parentElement && into >= 0 && into <= number(hold, '--whole');
						}));""",
				lock);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1400, 390 })
	void timeLineShowsAShortScenarioInFullUntilSomethingElseHappens(int width) throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, width, 844);
			browser.awaitText("#live", "Live");
			browser.run("document.querySelector('[data-scenario=\"5\"]').classList.add('asked')");
			publishScenario(feed, true);
			for (String step : List.of("first", "second")) {
				feed.publish("step", Map.of("number", 5, "step", step));
				acquire(feed, "instance-1", "lock-" + step, 1);
				Pause.of(Duration.ofMillis(300));
				release(feed, "instance-1", "lock-" + step, 1, Duration.ofMillis(300));
			}
			publishScenario(feed, false);
			browser.awaitText("#past", "as it played");
			browser.run("frame(); tidy()");
			assertThat(browser.all(".steps span")).extracting(WebElement::getText).containsExactly("first", "second");
			assertThat(browser.all(".label")).extracting(WebElement::getText)
				.containsExactly("lock-first", "lock-second");
			assertThat(browser.all(".hold")).filteredOn(WebElement::isDisplayed)
				.allMatch((hold) -> hold.getSize().getWidth() > width / 10 || hold.getTagName().equals("i"));
			assertThat(movement().positions()).hasSize(1);
			assertThat(browser.all("#log tr.Step")).hasSize(2);
			Pause.of(Duration.ofMillis(1200));
			acquire(feed, "instance-2", "next", 2);
			await().atMost(Browser.LONG).until(() -> !browser.find("#past").isDisplayed());
			assertThat(browser.run("return spanShown()")).isEqualTo(30L);
		});
	}

	@Test
	void wordsOfAStepAreShownWholeOrNotAtAll() throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 390, 844);
			browser.awaitText("#live", "Live");
			publishScenario(feed, true);
			feed.publish("step", Map.of("number", 5, "step", "lock ends before commit"));
			browser.awaitElement(".steps span");
			WebElement words = browser.find(".steps span");
			for (int later : List.of(0, 15, 31)) {
				browser.run(
						"state.frozenAt = [...state.things].find(({ step }) => step).from + arguments[0]; frame(); tidy()",
						later);
				assertThat(words.isDisplayed()).as("after %s s", later).isEqualTo(later == 15);
			}
			assertThat(browser.run(
					"return arguments[0].scrollHeight <= arguments[0].parentElement.parentElement.clientHeight", words))
				.isEqualTo(true);
		});
	}

	private static void publishScenario(LiveFeed feed, boolean playing) {
		feed.publish("scenario", Map.of("number", 5, "playing", playing, "asExpected", true, "findings", List.of()));
	}

	@Test
	void firstLoadOfTheCacheIsNamedOnTheTimeLine() {
		play(6);
		awaitEndAsExpected(6);
		browser.awaitText("#past", "as it played");
		browser.run("tidy()");
		assertThat(browser.all(".steps span")).filteredOn(WebElement::isDisplayed)
			.extracting(WebElement::getText)
			.endsWith("first load fills the cache", "expired: 100 readers, one load");
	}

	@Test
	void narrowLaneHasNoEmptyRowAndANameThatIsPressedCanBeReadInFull() throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 390, 844);
			browser.awaitText("#live", "Live");
			String name = "a-name-that-does-not-fit-" + "and-goes-on-".repeat(5);
			acquire(feed, "instance-1", name, 1);
			browser.awaitElement(".lane.one .label");
			browser.run("tidy()");
			assertThat(browser.find(".lane.one .track").getSize().getHeight()).isEqualTo(42 + 22);
			assertThat(browser.find(".lane.two .track").getSize().getHeight()).isEqualTo(22);
			WebElement label = browser.find(".lane.one .label");
			assertThat(label.getDomAttribute("title")).isEqualTo(name);
			int cutOff = label.getSize().getHeight();
			label.click();
			browser.run("frame()");
			assertThat(label.getSize().getHeight()).isGreaterThan(cutOff);
			assertThat(browser.run("return arguments[0].scrollWidth <= arguments[0].clientWidth", label))
				.isEqualTo(true);
		});
	}

	@Test
	void nameForWhichThereIsNoRoomCanBeReadByPressingItsBar() throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 1280, 900);
			browser.awaitText("#live", "Live");
			acquire(feed, "instance-1", "first", 1);
			acquire(feed, "instance-1", "second", 2);
			browser.awaitElement(".hold[data-lock='second']");
			browser.run("state.locks.get('second').row = state.locks.get('first').row; tidy()");
			WebElement label = browser.find(".label[data-lock='first']");
			assertThat(label.getSize().getWidth()).isZero();
			browser.find(".hold[data-lock='first']").click();
			assertThat(label.getSize().getWidth()).isGreaterThan(20);
		});
	}

	@Test
	void badResultThatWasExpectedLooksLikeNeitherAGoodNorAnUnexpectedOne() throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 1280, 900);
			browser.awaitText("#live", "Live");
			List<Finding> findings = List.of(Finding.number("sold", 40, 40).shows("oversold"),
					Finding.number("sold", 25, 25), Finding.number("sold", 25, 24));
			feed.publish("scenario", Map.of("number", 5, "playing", false, "asExpected", false, "findings",
					findings.stream().map(Finding::toString).toList()));
			browser.awaitElement("[data-scenario='5'] .compared li");
			assertThat(compared(5)).containsExactly("⚠ sold: 40 (shown on purpose: oversold)", "✓ sold: 25",
					"✗ sold: expected 25, but saw 24");
			assertThat(browser.all("[data-scenario='5'] .compared .mark"))
				.extracting((mark) -> mark.getCssValue("color"))
				.containsExactly("rgba(154, 75, 0, 1)", "rgba(18, 115, 59, 1)", "rgba(196, 0, 47, 1)");
		});
	}

	@Test
	void cardThatComparesShowsItsResultsBeforeItsStory() throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 1280, 900);
			browser.awaitText("#live", "Live");
			WebElement story = browser.find("#story-5");
			WebElement button = browser.find("[data-scenario='5'] button");
			feed.publish("scenario", Map.of("number", 5, "playing", false, "asExpected", true, "findings",
					List.of("✓ one", "✓ two", "✓ three", "✓ four")));
			browser.awaitText("[data-scenario='5'] .result", "as expected");
			assertThat(story.getLocation().getY()).isLessThan(button.getLocation().getY())
				.isGreaterThan(browser.find("[data-scenario='5'] .compared li:last-child").getLocation().getY());
			WebElement seen = browser.find("#seen-5");
			assertThat(seen.isDisplayed()).isFalse();
			browser.press("[data-scenario='5'] [aria-controls='seen-5']");
			assertThat(seen.getText()).isEqualTo("5 · Stock\n✓ four");
		});
	}

	@Test
	void resultsAreUnfoldedByKeyboardAndBelongToTheirCard() throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 1280, 900);
			browser.awaitText("#live", "Live");
			WebElement unfold = browser.find("[data-scenario='6'] [aria-controls='seen-6']");
			assertThat(unfold.isDisplayed()).as("nothing was seen").isFalse();
			feed.publish("scenario",
					Map.of("number", 6, "playing", false, "asExpected", true, "findings", List.of("✓ one", "✓ two")));
			browser.awaitText("[data-scenario='6'] .outcome", "What was seen (2)");
			assertThat(unfold.getAccessibleName()).isEqualTo("What was seen (2) of 6 · Cache stampede");
			WebElement seen = browser.find("#seen-6");
			for (boolean open : new boolean[] { true, false }) {
				unfold.sendKeys(Keys.ENTER);
				assertThat(seen.isDisplayed()).isEqualTo(open);
				assertThat(unfold.getDomAttribute("aria-expanded")).isEqualTo(Boolean.toString(open));
				assertThat(browser.focused()).isEqualTo(unfold);
			}
			unfold.sendKeys(Keys.ENTER);
			assertThat(seen.findElement(By.tagName("ul")).getAccessibleName()).isEqualTo("6 · Cache stampede");
			feed.publish("scenario", Map.of("number", 6, "playing", true, "asExpected", true, "findings", List.of()));
			await().atMost(Browser.LONG).until(() -> !seen.isDisplayed());
			assertThat(unfold.isDisplayed()).isFalse();
		});
	}

	@Test
	void cardOfAnIncidentShowsWhatWasSeenOfIt() throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 1280, 900);
			browser.awaitText("#live", "Live");
			String seen = "#seen-paused-holder ";
			acquire(feed, "instance-1", "incident:before", 1);
			feed.publish("incident", Map.of("incident", "paused-holder", "happening", true));
			acquire(feed, "instance-1", "incident:paused", 1);
			acquire(feed, "instance-2", "another", 1);
			release(feed, "instance-1", "incident:paused", 1, Duration.ofMillis(300));
			acquire(feed, "instance-2", "incident:paused", 2);
			browser.awaitElement(".two .hold[data-lock='incident:paused']");
			assertThat(browser.all(seen + "li")).isEmpty();
			feed.publish("incident", Map.of("incident", "paused-holder", "happening", false));
			browser.awaitElement(seen + "li");
			assertThat(browser.all(seen + "li")).extracting(WebElement::getText)
				.satisfiesExactly(
						(first) -> assertThat(first).matches("\\+\\d\\.\\d.s +instance-1 acquired incident:paused"),
						(second) -> assertThat(second).matches("\\+\\d\\.\\d.s +instance-2 acquired incident:paused"));
		});
	}

	@Test
	void cardOfAnIncidentShowsALossThatIsToldAfterItsEnd() throws Exception {
		LiveFeed feed = new LiveFeed(() -> 0);
		withPage(feed, (url) -> {
			browser.open(url, 1280, 900);
			browser.awaitText("#live", "Live");
			feed.publish("incident", Map.of("incident", "deleted-key", "happening", true));
			acquire(feed, "instance-1", "incident:deleted", 1);
			feed.publish("deleted", Map.of("lock", "incident:deleted"));
			feed.publish("incident", Map.of("incident", "deleted-key", "happening", false));
			lose(feed, "instance-1", "incident:deleted", 1);
			acquire(feed, "instance-2", "another", 1);
			feed.publish("redis", Map.of("trouble", "is stopped", "why", "by somebody"));
			browser.awaitText("#redis", "Redis is stopped");
			assertThat(browser.all("#seen-deleted-key li")).extracting(WebElement::getText)
				.satisfiesExactly(
						(first) -> assertThat(first).matches("\\+0\\.0.s +instance-1 acquired incident:deleted"),
						(second) -> assertThat(second).matches("\\+0\\.0.s +key deleted incident:deleted"),
						(third) -> assertThat(third).matches("\\+0\\.0.s +instance-1 lost incident:deleted"));
			feed.publish("incident", Map.of("incident", "stuck-holder", "happening", true));
			lose(feed, "instance-1", "incident:stuck", 1);
			feed.publish("redis", Map.of("trouble", "", "why", ""));
			browser.awaitText("#redis", "Redis answers");
			assertThat(browser.all("#seen-deleted-key li")).hasSize(3);
			assertThat(browser.all("#seen-stuck-holder li")).isEmpty();
		});
	}

	@Test
	void whatIsBadOnPurposeSaysSoBesideItsNameAndInTheLog() throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 1280, 900);
			browser.awaitText("#live", "Live");
			acquire(feed, "instance-1", "account:7", 1);
			acquire(feed, "instance-2", "account:7", 2);
			assertThat(browser.awaitElement(".lane.one .overlap").getDomAttribute("title"))
				.isEqualTo("two holders, shown on purpose");
			for (String lock : List.of("account:7", "of-somebody")) {
				acquire(feed, "instance-1", lock, 1);
				lose(feed, "instance-1", lock, 1);
				browser.awaitElement(".one .hold[data-lock='" + lock + "'] .loss");
			}
			assertThat(browser.find(".one .hold[data-lock='account:7'] .loss").getDomAttribute("title"))
				.isEqualTo("lost, shown on purpose");
			assertThat(browser.all(".one .label")).extracting(WebElement::getText)
				.containsExactlyInAnyOrder("account:7 · shown on purpose", "of-somebody");
			assertThat(row("Lost", "account:7")).element(5).asString().contains("shown on purpose");
			assertThat(row("Lost", "of-somebody")).element(5).asString().doesNotContain("purpose");
		});
	}

	@Test
	void cardIsAsHighAsItsContent() {
		assertThat((List<?>) browser.run("""
				return [...document.querySelectorAll('.card')].map((card) =>
					card.getBoundingClientRect().bottom - card.lastElementChild.getBoundingClientRect().bottom);"""))
			.hasSizeGreaterThan(20)
			.allSatisfy((room) -> assertThat(((Number) room).doubleValue()).isLessThan(20));
	}

	@ParameterizedTest
	@ValueSource(ints = { 1400, 768 })
	void cardsOfARowAreEquallyHigh(int width) {
		browser.open(stage.page().url(), width, 900);
		browser.awaitElement("[data-scenario='15']");
		assertThat((List<?>) browser
			.run("""
					const heights = {};
					for (const card of document.querySelectorAll('.card')) (heights[card.offsetTop] ??= new Set()).add(card.offsetHeight);
					return Object.values(heights).map(({ size }) => size);"""))
			.hasSizeGreaterThan(5)
			.allMatch(Long.valueOf(1)::equals);
	}

	@ParameterizedTest
	@CsvSource({ "1400, 3", "1400, 6", "1400, 9", "1280, 3", "768, 3", "768, 4", "390, 3", "1400, 5" })
	void resultIsDirectlyBelowTheRowOfItsCardAndNoCardMovesAside(int width, int scenario) throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, width, 900);
			browser.awaitText("#live", "Live");
			// Where a story is cut off is known in the next frame
			browser.run("document.querySelector('#incidents').parentElement.open = true;"
					+ " return new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))");
			List<Double> before = placesOfCards();
			browser.run("document.querySelector(arguments[0]).classList.add('asked')",
					"[data-scenario='" + scenario + "']");
			feed.publish("scenario", Map.of("number", scenario, "playing", false, "asExpected", true, "findings",
					Collections.nCopies(10, "✓ as it was expected by everybody who read the story")));
			browser.awaitElement("#seen-" + scenario + ":not([hidden])");
			// By somebody else, or before the page was loaded again
			feed.publish("incident", Map.of("incident", "read-only-redis", "happening", true));
			for (int token = 1; token < 9; token++) {
				acquire(feed, "instance-1", "incident:one-of-many", token);
			}
			feed.publish("incident", Map.of("incident", "read-only-redis", "happening", false));
			browser.awaitElement("#seen-read-only-redis:not([hidden]) li");
			assertThat(placesOfCards()).usingElementComparator((one, other) -> Math.abs(one - other) < 1 ? 0 : 1)
				.isEqualTo(before);
			assertThat(browser.run("return document.documentElement.scrollWidth")).isEqualTo((long) width);
			for (String card : List.of("[data-scenario='" + scenario + "']", "[data-incident='read-only-redis']")) {
				assertThat((List<?>) browser.run(
						"""
										const card = document.querySelector(arguments[0]);
										const seen = card.nextElementSibling;
										const grid = card.parentElement;
										const row = [...grid.querySelectorAll('.card')].filter(({ offsetTop }) => offsetTop === card.offsetTop);
								const bottom = Math.max(...row.map((each) => each.getBoundingClientRect().bottom));
								const gap = Math.round(seen.getBoundingClientRect().top - bottom);
								return [seen.offsetWidth - grid.offsetWidth, gap];""",
						card))
					.as(card)
					.isEqualTo(List.of(0L, 12L));
			}
		});
	}

	/** The tops are counted without the results that are open above. */
	@SuppressWarnings("unchecked")
	private static List<Double> placesOfCards() {
		return ((List<Number>) browser
			.run("""
					return [...document.querySelectorAll('.cards')].flatMap((grid) => {
						const start = grid.getBoundingClientRect().top;
						const results = [...grid.querySelectorAll('.seen:not([hidden])')].map((seen) => seen.getBoundingClientRect());
						return [...grid.querySelectorAll('.card')].flatMap((card) => {
							const { left, top, width, height } = card.getBoundingClientRect();
							const above = results.filter((result) => result.top < top).reduce((sum, result) => sum + result.height + 12, 0);
							return [left, top - start - above, width, height];
						});
					});"""))
			.stream()
			.map(Number::doubleValue)
			.toList();
	}

	@Test
	void lineThatWasSeenOfAnIncidentGoesOnBelowItsWords() throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 390, 900);
			browser.awaitText("#live", "Live");
			feed.publish("incident", Map.of("incident", "stopped-redis", "happening", true));
			acquire(feed, "instance-1", "incident:whose-name-is-so-long-that-it-needs-a-second-line", 1);
			feed.publish("incident", Map.of("incident", "stopped-redis", "happening", false));
			WebElement line = browser.awaitElement("#seen-stopped-redis li");
			assertThat(((Number) browser.run("""
					const words = document.createRange();
					words.selectNodeContents(arguments[0]);
					const lines = [...words.getClientRects()].map(({ left }) => left);
					return lines.pop() - lines[0];""", line)).doubleValue())
				.as("a second line begins below the words, not below the time")
				.isGreaterThan(30);
		});
	}

	@Test
	void oneThingBreaksAtATime() throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 1280, 900);
			browser.awaitText("#one-at-a-time", "One thing at a time.");
			String possible = "[data-incident] button[aria-disabled='false']";
			assertThat(browser.all(possible)).hasSize(5);
			browser.run("tell(document.querySelector('[data-scenario]'), 'Something is broken.')");
			feed.publish("incident", Map.of("incident", "stuck-holder", "happening", true));
			browser.awaitText("#one-at-a-time",
					"Under way: Get a holder stuck. When it is over, you can break the next thing.");
			assertThat(browser.all(possible)).isEmpty();
			assertThat(browser.find("[data-scenario] .answer").isDisplayed()).isTrue();
			feed.publish("incident", Map.of("incident", "stuck-holder", "happening", false));
			browser.awaitText("#one-at-a-time", "One thing at a time.");
			assertThat(browser.all(possible)).hasSize(5);
			assertThat(browser.find("[data-scenario] .answer").isDisplayed()).as("is over").isFalse();
		});
	}

	@Test
	void cardForgetsWhatWasSeenOfItsIncidentWhenItHappensAgain() throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 1280, 900);
			browser.awaitText("#live", "Live");
			for (boolean happening : List.of(true, false)) {
				feed.publish("incident", Map.of("incident", "deleted-key", "happening", happening));
				feed.publish("deleted", Map.of("lock", "incident:deleted"));
			}
			browser.awaitElement("#seen-deleted-key li");
			feed.publish("incident", Map.of("incident", "deleted-key", "happening", true));
			browser.awaitElement("[data-incident='deleted-key'].playing");
			assertThat(browser.all("#seen-deleted-key li")).isEmpty();
		});
	}

	@Test
	void buttonsOfIncidentsAreNoLouderThanThoseOfScenarios() {
		browser.awaitElement("[data-incident='paused-holder'] button[aria-disabled='false']");
		String play = browser.find("[data-scenario='1'] button").getCssValue("background-color");
		assertThat(browser.all("#incidents .foot > button:not(.more):not([aria-disabled='true'])")).hasSize(10)
			.allMatch((button) -> button.getCssValue("background-color").equals(play));
	}

	@ParameterizedTest
	@ValueSource(ints = { 1400, 768, 390 })
	void everyPartOfThePageIsOnePressAwayFromItsTop(int width) {
		browser.open(stage.page().url(), width, 844);
		browser.awaitElement("[data-scenario='15']");
		assertThat(browser.all("nav a")).extracting(WebElement::getText)
			.containsExactly("Scenarios", "Break something", "Event log");
		for (String part : List.of("break-title", "log-title", "scenarios-title")) {
			browser.run("scrollTo(0, 0)");
			WebElement link = browser.find("nav a[href='#" + part + "']");
			assertThat(isInView(link)).isTrue();
			browser.press("nav a[href='#" + part + "']");
			await().atMost(Browser.LONG).until(() -> isInView(browser.find("#" + part)));
		}
		assertThat(browser.run("return document.documentElement.scrollWidth")).isEqualTo((long) width);
	}

	@Test
	void cardsAreLowOnANarrowScreenAndAStoryThatIsPressedCanBeReadInFull() {
		browser.open(stage.page().url(), 390, 844);
		WebElement story = browser.awaitElement("#story-10");
		assertThat(browser.find("[data-scenario='10'] button").getLocation().getY()).as("beside the title")
			.isLessThan(story.getLocation().getY());
		int lines = story.getSize().getHeight();
		assertThat(lines).isLessThan(50);
		story.click();
		assertThat(story.getSize().getHeight()).isGreaterThan(lines);
	}

	@Test
	void storyThatIsCutOffHasAButtonThatUnfoldsIt() {
		browser.open(stage.page().url(), 390, 844);
		WebElement story = browser.awaitElement("#story-10");
		WebElement more = browser.find("[data-scenario='10'] .more");
		await().atMost(Browser.LONG).until(more::isDisplayed);
		int lines = story.getSize().getHeight();
		assertThat(more.getText()).startsWith("… more");
		assertThat(more.getAccessibleName()).isEqualTo("… more of 10 · Another language");
		assertThat(more.getDomAttribute("aria-expanded")).isEqualTo("false");
		assertThat(more.getRect().getY() + more.getRect().getHeight()).as("at the end of the second line")
			.isCloseTo(story.getRect().getY() + lines, within(4));
		more.sendKeys(Keys.ENTER);
		assertThat(story.getSize().getHeight()).isGreaterThan(lines);
		assertThat(more.getDomAttribute("aria-expanded")).isEqualTo("true");
		assertThat(more.getRect().getY()).as("below the story")
			.isGreaterThanOrEqualTo(story.getRect().getY() + story.getRect().getHeight() - 3);
		more.sendKeys(Keys.ENTER);
		assertThat(story.getSize().getHeight()).isEqualTo(lines);
		browser.run("document.querySelector('#story-10').textContent = 'Short.'");
		await().atMost(Browser.LONG).until(() -> !more.isDisplayed());
		browser.open(stage.page().url(), 1400, 900);
		browser.awaitElement("#story-10");
		assertThat(browser.all(".more")).hasSizeGreaterThan(20).noneMatch(WebElement::isDisplayed);
	}

	/** What can be seen without opening anything. */
	private static List<String> compared(int scenario) {
		return browser.all("[data-scenario='" + scenario + "'] .compared li")
			.stream()
			.map(WebElement::getText)
			.toList();
	}

	@ParameterizedTest
	@CsvSource({ "14, invoice-export", "15, index:" })
	void allowedHoldersAreNotRed(int scenario, String prefix) {
		play(scenario);
		browser.awaitElement(".hold.company[data-lock^='" + prefix + "']");
		awaitEndAsExpected(scenario);
		assertThat(browser.all("#log tr.Overlap[data-lock^='" + prefix + "']")).isEmpty();
	}

	@Test
	void oneHolderTooManyIsRed() {
		String lock = Instances.fresh("crowd");
		for (int token = 1; token <= 3; token++) {
			stage.feed()
				.publish("lock", Map.of("instance", "instance-" + (token % 2 + 1), "event", "Acquired", "lock", lock,
						"token", token, "lease", 60, "waited", 0, "permits", 2, "mode", "EXCLUSIVE"));
		}
		browser.awaitElement("#log tr.Overlap[data-lock='" + lock + "']");
		assertThat(row("Overlap", lock)).contains("three holders");
		assertThat(browser.find("#overlap").getText()).contains("one of which accepts only 2");
		for (int token = 1; token <= 3; token++) {
			stage.feed()
				.publish("lock", Map.of("instance", "instance-" + (token % 2 + 1), "event", "Released", "lock", lock,
						"token", token, "lease", 60, "held", 60));
		}
		browser.press("#overlap-seen");
	}

	@Test
	void stoppedRedisIsShownUntilResumed() {
		breakBy("stopped-redis");
		browser.awaitText("#redis", "Redis is stopped");
		browser.awaitElement(".outage");
		List<?> rowsAndBelow = (List<?>) browser.run("""
				const label = document.querySelector('.one .outage span').getBoundingClientRect();
				return [Number(lanes.style.getPropertyValue('--rows')),
					Math.round(label.top - document.querySelector('.one .track').getBoundingClientRect().top)];""");
		assertThat((long) rowsAndBelow.get(1)).as("below the last bar")
			.isGreaterThanOrEqualTo((long) rowsAndBelow.get(0) * 42 + 2);
		assertThat(browser.find("[data-incident='stopped-redis'] button").getDomAttribute("aria-disabled"))
			.isEqualTo("true");
		browser.press("[data-scenario='4'] button");
		browser.awaitElement("[data-scenario='4'] .answer");
		browser.awaitText("[data-scenario='4'] .answer", "Redis or an instance is broken");
		String lock = browser.awaitElement(".one .hold.lost[data-lock^='incident:outage']")
			.getDomAttribute("data-lock");
		browser.awaitElement(".two .refusal[data-lock='" + lock + "']");
		assertThat(row("NotAcquired", lock)).element(5).asString().startsWith("Redis is unavailable");
		browser.awaitText("#seen-stopped-redis", "instance-2 refused " + lock + ": Redis is unavailable");
		browser.awaitText("#redis", "Redis answers");
		assertThat(browser.all("#log tr.Lost")).anyMatch(
				(row) -> row.getText().contains("incident:outage") && row.getText().contains("STORE_UNREACHABLE"));
	}

	@Test
	void fullRedisIsShownAndThatAHolderIsRenewedAndANewcomerRefused() {
		breakBy("full-redis");
		browser.awaitText("#redis", "Redis is full");
		String newcomer = browser.awaitElement(".two .refusal[data-lock^='incident:new']").getDomAttribute("data-lock");
		assertThat(row("NotAcquired", newcomer)).element(5).asString().startsWith("Redis is unavailable");
		browser.awaitElement(".one .hold[data-lock^='incident:full'] .renewal");
		browser.awaitText("#redis", "Redis answers");
		browser.awaitElement(".two .hold[data-lock='" + newcomer + "']");
		browser.awaitElement(".two .hold[data-lock^='incident:full']");
		assertThat(browser.all("#log tr.Lost[data-lock^='incident:full']")).isEmpty();
	}

	@Test
	void readOnlyRedisIsShownAndTheLossOfTheHolder() {
		breakBy("read-only-redis");
		browser.awaitText("#redis", "Redis is read-only");
		browser.awaitElement(".two .refusal[data-lock^='incident:new']");
		WebElement loss = browser.awaitElement("#log tr.Lost[data-lock^='incident:read-only']");
		assertThat(cells(loss)).element(5).asString().contains("STORE_UNREACHABLE", "READONLY");
		browser.awaitText("#redis", "Redis answers");
		browser.awaitElement(".two .hold[data-lock='" + loss.getDomAttribute("data-lock") + "']");
	}

	@Test
	void rightThatIsTakenAwayIsShownAndTheRightsToAdd() {
		breakBy("denying-redis");
		browser.awaitText("#redis", "Redis refuses PEXPIRE");
		String waiter = browser.awaitElement(".two .refusal[data-lock^='incident:right']").getDomAttribute("data-lock");
		assertThat(row("NotAcquired", waiter)).element(5).asString().startsWith("Redis is unavailable or refuses it");
		assertThat(row("Lost", waiter)).element(5).asString().contains("ACL SETUSER");
		browser.awaitElement(".two .hold[data-lock^='incident:new']");
		browser.awaitText("#redis", "Redis answers");
		browser.awaitElement(".one .hold[data-lock^='incident:again'] .renewal");
		await().atMost(Browser.LONG).until(() -> browser.all("[data-incident='denying-redis'].playing").isEmpty());
	}

	@Test
	void restartOfRedisWithoutItsDataIsShownAndNoAlarm() {
		browser.run("document.querySelector('#overlap').hidden = true");
		breakBy("restarted-redis");
		String lock = browser.awaitElement(".one .hold.lost[data-lock^='incident:restarted']")
			.getDomAttribute("data-lock");
		browser.awaitElement(".two .hold[data-lock='" + lock + "']");
		assertThat(browser.all("#log tr.Redis")).extracting(WebElement::getText)
			.anyMatch((text) -> text.endsWith("Redis restarts without its data"));
		browser.awaitText("#redis", "Redis answers");
		// As if the old holder had been told late
		acquire("instance-1", lock, 1);
		browser.awaitElement(".overlap[data-lock='" + lock + "']");
		assertThat(browser.find("#overlap").getText())
			.contains("after a restart of Redis without its data: two holders");
		assertThat(browser.find("#overlap").getDomAttribute("class")).isEqualTo("planned");
		release("instance-1", lock, 1, Duration.ofMinutes(1));
	}

	@Test
	void redisOfSomebodyElseIsNotBroken() throws Exception {
		withPage(new LiveFeed(), (url) -> {
			browser.open(url, 1280, 900);
			browser.awaitText("#live", "Live");
			assertThat(browser.all("[data-incident] button[aria-disabled='true']"))
				.extracting((button) -> browser.run("return arguments[0].closest('li').dataset.incident", button))
				.containsExactly("stopped-redis", "full-redis", "read-only-redis", "denying-redis", "restarted-redis");
		});
	}

	@ParameterizedTest
	@ValueSource(ints = { 1400, 390 })
	void wordsOfATroubleStayWithinThePicture(int width) throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, width, 844);
			browser.awaitText("#live", "Live");
			feed.publishState("redis", "", Map.of("trouble", "is read-only, which takes some words", "why", ""));
			browser.awaitElement(".outage span");
			for (int later : List.of(0, 60)) {
				browser.run("state.frozenAt = serverNow() + arguments[0]; frame();", later);
				assertThat((List<?>) browser.run("""
						const words = document.querySelector('.one .outage span').getBoundingClientRect();
						const track = document.querySelector('.one .track').getBoundingClientRect();
						return [words.left - track.left, track.right - words.right];""")).as("after %s s", later)
					.allSatisfy((room) -> assertThat(((Number) room).doubleValue()).isPositive());
			}
		});
	}

	@ParameterizedTest
	@ValueSource(ints = { 1400, 768, 390 })
	void wordsOfATroubleDoNotCrossAnEdgeOfItsBand(int width) throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, width, 844);
			browser.awaitText("#live", "Live");
			feed.publishState("redis", "", Map.of("trouble", "is stopped", "why", ""));
			browser.awaitElement(".outage span");
			Pause.of(Duration.ofSeconds(2));
			feed.publishState("redis", "", Map.of("trouble", "", "why", ""));
			browser.awaitText("#redis", "Redis answers");
			for (int later : List.of(0, 5, 15, 20)) {
				browser.run("state.frozenAt = serverNow() + arguments[0]; frame();", later);
				assertThat((List<?>) browser
					.run("""
							const words = document.querySelector('.one .outage span').getBoundingClientRect();
							const band = document.querySelector('.one .outage').getBoundingClientRect();
							const track = document.querySelector('.one .track').getBoundingClientRect();
							return [words.left - track.left, track.right - words.right,
								Math.max(band.left - words.right, words.left - band.right, Math.min(words.left - band.left, band.right - words.right))];"""))
					.as("after %s s", later)
					.allSatisfy((room) -> assertThat(((Number) room).doubleValue()).isPositive());
				browser.run("state.frozenAt = null");
			}
		});
	}

	@Test
	void wordsOfTwoTroublesInARowAreReadable() throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 390, 844);
			browser.awaitText("#live", "Live");
			for (String trouble : List.of("is stopped", "is read-only")) {
				feed.publishState("redis", "", Map.of("trouble", trouble, "why", ""));
				browser.awaitText("#redis", trouble);
				feed.publishState("redis", "", Map.of("trouble", "", "why", ""));
				browser.awaitText("#redis", "Redis answers");
			}
			assertThat((List<?>) browser
				.run("""
						frame();
						const [one, other] = [...document.querySelectorAll('.one .outage span')].map((words) => words.getBoundingClientRect());
						return [Math.max(one.left - other.right, other.left - one.right), Math.max(one.top - other.bottom, other.top - one.bottom)];"""))
				.as("space between the words")
				.anySatisfy((space) -> assertThat(((Number) space).doubleValue()).isPositive());
		});
	}

	@Test
	void jobIsShownInTheLaneOfTheInstanceThatRanIt() {
		List<String> before = tokens(".hold");
		play(2);
		awaitEndAsExpected(2);
		assertThat(browser.find("[data-scenario='2'] p").getText()).contains("(keyword-lock)", "(keyword-job)");
		openPage();
		assertThat(browser.awaitElement("[data-scenario='2'] .compared li").isDisplayed()).isTrue();
		assertThat(browser.find("#seen-2").isDisplayed()).as("played by nobody").isFalse();
		assertThat(compared(2)).containsExactly(
				"⚠ lines in the file without a lock: 10 (shown on purpose: written twice)",
				"⚠ lines in the file with a lock alone: 10 (shown on purpose: written twice)",
				"✓ lines in the file, once per fire time: 5");
		assertThat(tokens(".one .hold.ran")).filteredOn((token) -> !before.contains(token)).hasSize(1);
		assertThat(browser.all(".one .hold.ran .done")).last()
			.satisfies((sign) -> assertThat(sign.getDomProperty("textContent")).isEqualTo("✓ job done"));
		assertThat(before).containsAll(tokens(".two .hold.ran"));
		assertThat(tokens(".hold.ran.looked")).isEmpty();
		// It may have looked when its schedule began as well
		assertThat(tokens(".two .hold.looked[data-lock='keyword-job']")).filteredOn((token) -> !before.contains(token))
			.isNotEmpty();
		assertThat(browser.all(".two .hold.looked .done")).last()
			.satisfies((sign) -> assertThat(sign.getDomProperty("textContent")).isEqualTo("· already run"));
		assertThat(tokens(".hold.looked[data-lock='keyword-lock']")).as("no job of its own").isEmpty();
		assertThat(row("Released", "keyword-job")).element(5).asString().contains("already run");
		assertThat(row("Job", "keyword-job")).element(1).isEqualTo("instance-1");
		assertThat(row("Job", "keyword-job")).element(5).asString().matches("fire time \\d\\d:\\d\\d:\\d0");
		assertThat(browser.all(".two .hold[data-lock='keyword-job']")).as("has looked").isNotEmpty();
		assertThat(tokens(".hold[data-lock='keyword-lock']")).filteredOn((token) -> !before.contains(token)).hasSize(2);
	}

	@Test
	void killedInstanceIsShownAndThatTheOtherOneRunsItsJobAgain(CapturedOutput output) {
		breakBy("killed-instance");
		WebElement killed = browser.awaitElement(".one .hold.lost[data-lock='keyword-job'] .loss");
		assertThat(killed.getDomProperty("textContent")).isEqualTo("✕ killed");
		assertThat(browser.awaitElement(".one .outage[data-of='instance-1']").getText())
			.isEqualTo("instance-1 is dead");
		assertThat(browser.all(".two .outage[data-of='instance-1']")).isEmpty();
		WebElement again = browser.awaitElement(".two .hold.ran[data-lock='keyword-job'] .done");
		assertThat(again.getDomProperty("textContent")).isEqualTo("✓ job done again");
		assertThat(row("Job", "keyword-job")).element(2).isEqualTo("job done again");
		assertThat(rows("Job", "keyword-job")).extracting((row) -> row.get(1) + " " + row.get(2) + ": " + row.get(5))
			.anyMatch(
					(row) -> row.matches("instance-2 job abandoned: fire time .*, begun by instance-1 and not ended"));
		browser.awaitElement("#log tr.Restarted");
		await().atMost(Browser.LONG).until(() -> browser.all("[data-incident='killed-instance'].playing").isEmpty());
		assertThat(browser.all("#log tr.Overlap[data-lock='keyword-job']")).isEmpty();
		assertThat(browser.all("#seen-killed-instance li")).extracting(WebElement::getText)
			.anyMatch((seen) -> seen.endsWith("instance-1 started again"));
		assertThat(output).contains("instance-1 is killed for Redis and for the page", "It still logs here");
	}

	@Test
	void jobThatAnOperatorHoldsIsRefusedWithTheReasonAndRunLate() {
		breakBy("held-job");
		for (String lane : List.of(".lane.one", ".lane.two")) {
			assertThat(browser.awaitElement(lane + " .operator").getDomProperty("textContent"))
				.isEqualTo("held by operator: maintenance");
		}
		double held = at("Operator", "keyword-job");
		await().atMost(Browser.LONG).until(() -> at("Job", "keyword-job") > held);
		assertThat(row("Job", "keyword-job")).element(2).isEqualTo("job done");
		assertThat(rows("NotAcquired", "keyword-job")).filteredOn((row) -> row.get(5).contains("operator"))
			.allSatisfy((row) -> assertThat(row.get(5)).isEqualTo("held by operator 'anonymous' (maintenance)"))
			.extracting((row) -> row.get(1))
			.contains("instance-1", "instance-2");
		await().atMost(Browser.LONG).until(() -> browser.all("[data-incident='held-job'].playing").isEmpty());
	}

	@Test
	void deletedKeyIsShownAndThatTheHolderLearnsOfIt() {
		breakBy("deleted-key");
		WebElement deleted = browser.awaitElement(".one .hold[data-lock^='incident:deleted'] .deleted");
		String lock = (String) browser.run("return arguments[0].parentElement.dataset.lock", deleted);
		browser.awaitElement(".one .hold.lost[data-lock='" + lock + "'] .loss");
		assertThat(row("Lost", lock)).element(5).asString().startsWith("KEY_VANISHED");
		assertThat(at("Lost", lock) - at("Deleted", lock)).isBetween(0.0, 3.0);
	}

	@ParameterizedTest
	@CsvSource({ "light, 244", "dark, 13" })
	void thePageIsAsLightAsTheReaderPrefersAndItsTextCanBeRead(String scheme, int red) {
		browser.prefer("prefers-color-scheme", scheme);
		assertThat(browser.find("body").getCssValue("background-color")).startsWith("rgba(%d,".formatted(red));
		for (String pair : List.of("text ground", "text panel", "muted ground", "muted panel", "on one", "on two",
				"one panel", "two panel", "good panel", "loss panel", "panel loss", "loss loss-ground",
				"red red-ground", "text red-ground", "text loss-ground", "muted loss-ground", "red panel")) {
			String[] names = pair.split(" ");
			assertThat(((Number) browser.run(CONTRAST, "--" + names[0], "--" + names[1])).doubleValue()).as(pair)
				.isGreaterThanOrEqualTo(4.5);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1280, 800, 360 })
	void contentFitsAnyWidthAndAnyName(int width) {
		String name = "a:" + "very-".repeat(50) + "long/name-" + width;
		browser.open(stage.page().url(), width, 800);
		acquire("instance-1", name, 1);
		browser.awaitElement(".hold[data-lock='" + name + "']");
		release("instance-1", name, 1, Duration.ofMillis(9));
		assertThat(browser.run("return document.documentElement.scrollWidth")).isEqualTo((long) width);
		assertThat((List<?>) browser.run("""
				return [...document.querySelectorAll('button, select, h3, .card p')]
					.filter((part) => part.offsetParent && part.scrollWidth > part.clientWidth + 1
						&& getComputedStyle(part).overflow === 'visible' && part.tagName !== 'BUTTON')
					.map((part) => part.outerHTML)""")).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1400, 768, 500, 390 })
	void whatAnIdleTimeLineSaysStandsInOneLaneAndNoTimeIsCutOff(int width) throws Exception {
		withPage(new LiveFeed(), (url) -> {
			browser.open(url, width, 900);
			browser.awaitText("#live", "Live");
			await().atMost(Browser.LONG).until(() -> browser.find("#empty").isDisplayed());
			assertThat(browser.find("#empty").getText().replace('\n', ' '))
				.isEqualTo("Play a scenario or break something, and watch it here.");
			assertThat(browser.find("#lanes").getSize().getHeight()).as("no big empty box").isLessThan(290);
			assertThat((List<?>) browser
				.run("""
						const words = document.querySelector('#empty > span').getBoundingClientRect();
						const track = document.querySelector('.one .track').getBoundingClientRect();
						const now = document.querySelector('.now').getBoundingClientRect();
						return [words.left - track.left, now.left - words.right, words.top - track.top, track.bottom - words.bottom];"""))
				.allSatisfy((room) -> assertThat(((Number) room).doubleValue()).isPositive());
			assertThat((Number) browser
				.run("""
						const [axis, now] = ['.axis', '.now'].map((part) => document.querySelector(part).getBoundingClientRect());
						return axis.top - now.bottom;"""))
				.as("no time is crossed out")
				.satisfies((room) -> assertThat(room.doubleValue()).isNotNegative());
			for (int look = 0; look < 15; look++) {
				assertThat((List<?>) browser
					.run("""
							const axis = document.querySelector('.axis .track').getBoundingClientRect();
							return [...document.querySelectorAll('.axis .moving span')].filter((time) => time.checkVisibility())
								.map((time) => time.getBoundingClientRect())
								.flatMap((time) => [time.left - axis.left, axis.right - time.right]);"""))
					.isNotEmpty()
					.allSatisfy((room) -> assertThat(((Number) room).doubleValue()).isNotNegative());
				Pause.of(Duration.ofMillis(200));
			}
		});
	}

	@Test
	void whatAnIdleTimeLineSaysIsGoneAsSoonAsAScenarioPlays() throws Exception {
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 1400, 900);
			await().atMost(Browser.LONG).until(() -> browser.find("#empty").isDisplayed());
			publishScenario(feed, true);
			await().atMost(Browser.LONG).until(() -> !browser.find("#empty").isDisplayed());
			assertThat(browser.find(".lane.one .track").getSize().getHeight()).isEqualTo(4 * 42 + 22);
		});
	}

	@Test
	void laneIsHighEnoughFromTheFirstFrameThatShowsALock() throws Exception {
		withPage(new LiveFeed(), (url) -> {
			browser.open(url, 390, 844);
			await().atMost(Browser.LONG).until(() -> browser.find("#empty").isDisplayed());
			assertThat((List<?>) browser
				.run("""
						return (async () => {
							const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
							const rooms = [];
							for (let i = 0; i < 5; i++) {
								onLockEvent({ event: 'Acquired', instance: 'instance-2', lock: 'lock-' + i, token: i, lease: 60, waited: 0, at: serverNow() });
								await frame();
								await frame();
								const hold = document.querySelector('.two .hold[data-lock="lock-' + i + '"]').getBoundingClientRect();
								rooms.push(document.querySelector('.two .track').getBoundingClientRect().bottom - hold.bottom);
							}
							return rooms;
						})()"""))
				.hasSize(5)
				.allSatisfy((room) -> assertThat(((Number) room).doubleValue()).isPositive());
		});
	}

	@Test
	void nothingOfTheTimeLineIsCutOffOnANarrowScreen() throws Exception {
		withPage(new LiveFeed(), (url) -> {
			browser.open(url, 390, 844);
			browser.awaitText("#live", "Live");
			browser
				.run("document.querySelectorAll('.lane-head dd').forEach((count) => { count.textContent = 12345; })");
			assertThat((List<?>) browser
				.run("""
						return [...document.querySelectorAll('.lane-head dd')]
							.map((count) => count.closest('.lanes').getBoundingClientRect().right - count.getBoundingClientRect().right);"""))
				.hasSize(10)
				.allSatisfy((room) -> assertThat(((Number) room).doubleValue()).isPositive());
			assertThat(browser.find("#freeze").getLocation().getY()).as("beside the choice")
				.isCloseTo(browser.find(".segments").getLocation().getY(), within(3));
		});
		LiveFeed feed = new LiveFeed();
		withPage(feed, (url) -> {
			browser.open(url, 390, 844);
			browser.awaitText("#live", "Live");
			acquire(feed, "instance-1", "a-name-that-does-not-fit", 1);
			browser.awaitElement(".label");
			browser.run("frame()");
			WebElement label = browser.find(".label");
			assertThat(label.getCssValue("text-overflow")).isEqualTo("ellipsis");
			assertThat((List<?>) browser
				.run("""
						const [label, track] = [arguments[0], arguments[0].closest('.track')];
						return [label.getBoundingClientRect().width, track.getBoundingClientRect().right - label.getBoundingClientRect().right];""",
						label))
				.allSatisfy((room) -> assertThat(((Number) room).doubleValue()).isPositive());
		});
	}

	@ParameterizedTest
	@ValueSource(ints = { 768, 390 })
	void allOfAnEventCanBeReadOnANarrowScreen(int width) {
		browser.open(stage.page().url(), width, 844);
		String name = "narrow:" + "very-".repeat(20) + "long/name-" + width;
		acquire("instance-1", name, 1_795_783_465_757_108L);
		WebElement row = browser.awaitElement("#log tr[data-lock='" + name + "']");
		assertThat(row.getText()).contains("instance-1", "acquired", name, "#1795783465757108", "for 60 s");
		assertThat(((Number) browser.run("return Math.max(...[...arguments[0].cells].map((cell) =>"
				+ " cell.getBoundingClientRect().left + cell.scrollWidth))", row))
			.intValue()).isLessThanOrEqualTo(width);
		release("instance-1", name, 1_795_783_465_757_108L, Duration.ofMillis(9));
	}

	@Test
	void screenReaderFindsNamesHeadingsAndATable() {
		assertThat(browser.all("button, input, select")).filteredOn(WebElement::isDisplayed)
			.allSatisfy((control) -> assertThat(control.getAccessibleName()).isNotBlank());
		Set<String> starts = Set.copyOf(browser.all("#scenarios .foot > button:not(.more)")
			.stream()
			.map(WebElement::getAccessibleName)
			.toList());
		assertThat(starts).hasSize(15).allMatch((name) -> name.matches("Play (again )?scenario \\d+, .+"));
		assertThat(starts).filteredOn((name) -> name.endsWith(" scenario 3, Double payment")).hasSize(1);
		List<Integer> levels = browser.all("h1, h2, h3")
			.stream()
			.map((heading) -> Integer.valueOf(heading.getTagName().substring(1)))
			.toList();
		assertThat(levels).startsWith(1).containsOnlyOnce(1);
		for (int i = 1; i < levels.size(); i++) {
			assertThat(levels.get(i)).isLessThanOrEqualTo(levels.get(i - 1) + 1);
		}
		assertThat(browser.all("thead th[scope=col]")).hasSize(6);
		assertThat(browser.find("#announcer").getDomAttribute("aria-live")).isEqualTo("polite");
		assertThat(browser.find(".lane .track").getDomAttribute("aria-hidden")).isEqualTo("true");
	}

	@Test
	void pictureStandsStillIfFrozenOrWithReducedMotion() {
		// Nothing that other tests have left
		browser.run("state.openedAt = -Infinity; tidy()");
		assertThat(movement().positions()).hasSizeGreaterThan(5);
		browser.press("#freeze");
		assertThat(movement().positions()).hasSize(1);
		String lock = Instances.fresh("while-frozen");
		acquire("instance-1", lock, 1);
		release("instance-1", lock, 1, Duration.ofMillis(9));
		assertThat(movement().positions()).hasSize(1);
		assertThat(browser.all(".hold[data-lock='" + lock + "']")).isEmpty();
		browser.press("#freeze");
		browser.awaitElement(".hold[data-lock='" + lock + "']");
		browser.prefer("prefers-reduced-motion", "reduce");
		Movement movement = movement();
		assertThat(movement.positions()).as("positions in %s s", movement.seconds())
			.hasSizeLessThanOrEqualTo((int) Math.ceil(movement.seconds()) + 2);
	}

	/**
	 * Best alone, with {@code -Dtest=PageTests#theReadmeHasItsPictures}: other tests
	 * leave their locks on the time line.
	 */
	@Test
	@EnabledIfSystemProperty(named = "sample.pictures", matches = ".+",
			disabledReason = "Takes the pictures of the README where -Dsample.pictures names a directory")
	void theReadmeHasItsPictures() throws IOException {
		browser.open(stage.page().url(), 1280, 664);
		browser.awaitText("#live", "Live");
		play(2);
		browser.awaitElement(".one .hold.ran .done");
		// What follows in the same row is not to be covered
		browser.awaitElement(".two .hold .done.already");
		play(8);
		play(3);
		for (int scenario : List.of(2, 3, 8)) {
			awaitEndAsExpected(scenario);
		}
		breakBy("paused-holder");
		browser.awaitElement("#log tr.Released[data-lock^='incident:paused']");
		browser.awaitElement("#log tr.Span[data-lock^='incident:paused']");
		await().atMost(Browser.LONG).until(() -> browser.find("#playing").getText().isEmpty());
		picture(".log", "page-log");
		play(14);
		await().atMost(Browser.LONG).until(() -> browser.all(".hold.company[data-lock='invoice-export']").size() == 9);
		// Both at the same moment
		browser.run("state.frozenAt = serverNow(); frame(); tidy()");
		picture("body", "page-light");
		browser.prefer("prefers-color-scheme", "dark");
		picture("body", "page-dark");
	}

	/** As soon as what another test has begun is over. */
	private static void breakBy(String incident) {
		String button = "[data-incident='" + incident + "'] button";
		await().atMost(Browser.LONG).until(() -> browser.all(".card.playing").isEmpty());
		browser.press(button);
	}

	/** Play it, and forget how it went before. */
	private static void play(int scenario) {
		browser.run("arguments[0].textContent = ''", browser.find("[data-scenario='" + scenario + "'] .result"));
		browser.press("[data-scenario='" + scenario + "'] button");
	}

	private static void awaitEndAsExpected(int scenario) {
		String card = "[data-scenario='" + scenario + "']";
		await().atMost(Browser.LONG)
			.untilAsserted(
					() -> assertThat(browser.find(card + " .result").getText())
						.as(() -> "Card: %s%nAnswer: %s%nConnection: %s".formatted(
								browser.find(card).getDomProperty("textContent"),
								browser.all(card + " .answer").stream().map(WebElement::getText).toList(),
								browser.find("#live").getText()))
						.isEqualTo("✓ as expected"));
	}

	/** Whether all of it can be seen, and nothing covers it. */
	private static boolean isInView(WebElement part) {
		return (boolean) browser.run("""
				const { left, top, width, bottom } = arguments[0].getBoundingClientRect();
				return [top + 2, (top + bottom) / 2, bottom - 2].every((y) =>
					arguments[0].contains(document.elementFromPoint(left + width / 2, y)));""", part);
	}

	/** Where the picture is, in a second, or in more where frames take long. */
	private static Movement movement() {
		Map<?, ?> seen = (Map<?, ?>) browser.run("""
				return (async () => {
					const seen = new Set();
					const start = performance.now();
					for (let i = 0; i < 20; i++) {
						seen.add(document.querySelector('.lane .moving').style.transform);
						await new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve), 50));
					}
					return { positions: [...seen], seconds: (performance.now() - start) / 1000 };
				})()""");
		return new Movement((List<?>) seen.get("positions"), ((Number) seen.get("seconds")).doubleValue());
	}

	private static void picture(String top, String name) throws IOException {
		browser.run("document.activeElement.blur(); document.querySelector(arguments[0]).scrollIntoView()", top);
		Path directory = Files.createDirectories(Path.of(System.getProperty("sample.pictures")));
		Files.write(directory.resolve(name + ".png"), browser.picture());
	}

	/** A loss that is told late, on a busy machine, counts as that of a pause. */
	private static double lossesOfIncidents() {
		return Stream.of("lease_expired", "process_paused").mapToDouble((cause) -> {
			Answer answer = stage.instances()
				.first()
				.get("/actuator/metrics/distributed.lock.lost?tag=lock.name:incident&tag=cause:" + cause);
			return answer.is(Answer.OK) ? answer.body().path("measurements").path(0).path("value").asDouble() : 0;
		}).sum();
	}

	private static void acquire(String instance, String lock, long token) {
		acquire(stage.feed(), instance, lock, token);
	}

	private static void acquire(LiveFeed feed, String instance, String lock, long token) {
		new InstanceEvents(instance, feed, new Plug()).onLockEvent(
				new LockEvent.Acquired(lock, "artificial", Duration.ZERO, false, token, Duration.ofMinutes(1)));
	}

	private static void lose(LiveFeed feed, String instance, String lock, long token) {
		Duration minute = Duration.ofMinutes(1);
		new InstanceEvents(instance, feed, new Plug()).onLockEvent(
				new LockEvent.Lost(lock, "artificial", minute, token, minute, LossCause.KEY_VANISHED, "It is gone."));
	}

	private static void refuse(String instance, String lock) {
		new InstanceEvents(instance, stage.feed(), new Plug())
			.onLockEvent(new LockEvent.NotAcquired(lock, "artificial", Duration.ZERO, LockEvent.Reason.BUSY));
	}

	/** By how many pixels one covers the other, from left to right. */
	private static double overlap(WebElement one, WebElement other) {
		return ((Number) browser.run("""
				const [one, other] = [...arguments].map((part) => part.getBoundingClientRect());
				return Math.min(one.right, other.right) - Math.max(one.left, other.left);""", one, other))
			.doubleValue();
	}

	private static void release(String instance, String lock, long token, Duration held) {
		release(stage.feed(), instance, lock, token, held);
	}

	private static void release(LiveFeed feed, String instance, String lock, long token, Duration held) {
		new InstanceEvents(instance, feed, new Plug())
			.onLockEvent(new LockEvent.Released(lock, "artificial", held, token, Duration.ofMinutes(1)));
	}

	@SuppressWarnings("unchecked")
	private static List<String> tokens(String holds) {
		return (List<String>) browser
			.run("return [...document.querySelectorAll(arguments[0])].map((hold) => hold.dataset.token)", holds);
	}

	private static List<List<String>> rows(String event, String lock) {
		List<List<String>> rows = new ArrayList<>();
		for (WebElement row : browser.all("#log tr." + event + "[data-lock='" + lock + "']")) {
			rows.add(cells(row));
		}
		return rows;
	}

	private static List<String> row(String event, String lock) {
		browser.awaitElement("#log tr." + event + "[data-lock='" + lock + "']");
		return rows(event, lock).get(0);
	}

	private static double at(String event, String lock) {
		return Double.parseDouble(
				browser.awaitElement("#log tr." + event + "[data-lock='" + lock + "']").getDomAttribute("data-at"));
	}

	@SuppressWarnings("unchecked")
	private static List<String> cells(WebElement row) {
		return (List<String>) browser.run("return [...arguments[0].cells].map((cell) => cell.textContent)", row);
	}

	/**
	 * The different positions of the picture, and how long they were looked at.
	 */
	private record Movement(List<?> positions, double seconds) {

	}

}
