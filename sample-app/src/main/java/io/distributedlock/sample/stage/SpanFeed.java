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

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.ExceptionEventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;

/**
 * Publishes the spans of the locks of an instance, where an application would send them
 * to the store of its traces.
 */
final class SpanFeed implements SpanExporter {

	private static final AttributeKey<String> DECLARED_NAME = AttributeKey.stringKey("lock.name");

	private static final AttributeKey<String> NAME = AttributeKey.stringKey("lock.evaluated-name");

	private final String instance;

	private final LiveFeed feed;

	private final Plug plug;

	SpanFeed(String instance, LiveFeed feed, Plug plug) {
		this.instance = instance;
		this.feed = feed;
		this.plug = plug;
	}

	@Override
	public CompletableResultCode export(Collection<SpanData> spans) {
		spans.stream()
			.filter((span) -> span.getAttributes().get(DECLARED_NAME) != null && !this.plug.isPulled())
			.forEach((span) -> this.feed.publish("span", fields(span)));
		return CompletableResultCode.ofSuccess();
	}

	private Map<String, Object> fields(SpanData span) {
		Map<String, Object> fields = new LinkedHashMap<>();
		fields.put("instance", this.instance);
		fields.put("lock", String.valueOf(span.getAttributes().get(NAME)));
		fields.put("name", span.getName());
		fields.put("trace", span.getTraceId());
		fields.put("took", (span.getEndEpochNanos() - span.getStartEpochNanos()) / 1_000_000_000d);
		span.getEvents()
			.stream()
			.filter(ExceptionEventData.class::isInstance)
			.map((event) -> ((ExceptionEventData) event).getException().getClass().getSimpleName())
			.findFirst()
			.ifPresent((error) -> fields.put("error", error));
		return fields;
	}

	@Override
	public CompletableResultCode flush() {
		return CompletableResultCode.ofSuccess();
	}

	@Override
	public CompletableResultCode shutdown() {
		return CompletableResultCode.ofSuccess();
	}

}
