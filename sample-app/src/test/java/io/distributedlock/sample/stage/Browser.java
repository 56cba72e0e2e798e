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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;

import io.distributedlock.testsupport.OptionalPackage;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A Chromium without a window. Uses what is installed and never downloads anything.
 */
final class Browser implements AutoCloseable {

	static final Duration LONG = Duration.ofSeconds(60);

	private final ChromeDriver driver;

	private final Path profile;

	private Browser(ChromeDriver driver, Path profile) {
		this.driver = driver;
		this.profile = profile;
	}

	static Browser start() throws IOException {
		Path profile = Files.createTempDirectory("sample-browser");
		LoggingPreferences logs = new LoggingPreferences();
		logs.enable(LogType.BROWSER, Level.ALL);
		ChromeOptions options = new ChromeOptions();
		options.setBinary(OptionalPackage.CHROMIUM.executable("chromium").toFile());
		options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic",
				"--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
				"--disable-sync", "--no-first-run", "--hide-scrollbars", "--user-data-dir=" + profile);
		options.setCapability("goog:loggingPrefs", logs);
		ChromeDriverService service = new ChromeDriverService.Builder()
			.usingDriverExecutable(OptionalPackage.CHROMIUM.executable("chromedriver").toFile())
			.build();
		return new Browser(new ChromeDriver(service, options), profile);
	}

	/** Open a page anew, in a window of that size. */
	void open(String url, int width, int height) {
		this.driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
		complaints();
		this.driver.get(url);
	}

	/** Let the reader prefer something, as {@code prefers-color-scheme} tells a page. */
	void prefer(String feature, String value) {
		this.driver.executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", feature, "value", value))));
	}

	/** Let requests to such addresses fail, or none if none is given. */
	void block(String... addresses) {
		this.driver.executeCdpCommand("Network.enable", Map.of());
		this.driver.executeCdpCommand("Network.setBlockedURLs", Map.of("urls", List.of(addresses)));
	}

	WebElement find(String selector) {
		return this.driver.findElement(By.cssSelector(selector));
	}

	List<WebElement> all(String selector) {
		return this.driver.findElements(By.cssSelector(selector));
	}

	WebElement awaitElement(String selector) {
		await().atMost(LONG).until(() -> !all(selector).isEmpty());
		return find(selector);
	}

	void awaitText(String selector, String text) {
		await().atMost(LONG).untilAsserted(() -> assertThat(find(selector).getText()).contains(text));
	}

	/** Press a button by its key: a mouse may miss it, because the page moves. */
	void press(String button) {
		find(button).sendKeys(Keys.ENTER);
	}

	void type(CharSequence key) {
		this.driver.switchTo().activeElement().sendKeys(key);
	}

	WebElement focused() {
		return this.driver.switchTo().activeElement();
	}

	Object run(String script, Object... arguments) {
		return this.driver.executeScript(script, arguments);
	}

	/** What the console says since it was asked the last time. */
	List<String> complaints() {
		return this.driver.manage().logs().get(LogType.BROWSER).getAll().stream().map(LogEntry::getMessage).toList();
	}

	byte[] picture() {
		return this.driver.getScreenshotAs(OutputType.BYTES);
	}

	@Override
	public void close() throws IOException {
		this.driver.quit();
		FileSystemUtils.deleteRecursively(this.profile);
	}

}
