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

package io.distributedlock.sample.app.keyword;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import io.distributedlock.sample.app.InstanceName;
import io.distributedlock.sample.app.SlowWork;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;

/**
 * The work of the job: reads every document and appends its keywords to a file.
 */
@Component
class KeywordExtraction {

	private static final Logger logger = LoggerFactory.getLogger(KeywordExtraction.class);

	private static final int SHORTEST_KEYWORD = 7;

	private final DocumentRepository documents;

	private final KeywordFile file;

	private final SlowWork work;

	private final InstanceName instance;

	private volatile Duration timePerDocument = Duration.ofMillis(40);

	KeywordExtraction(DocumentRepository documents, KeywordFile file, SlowWork work, InstanceName instance) {
		this.documents = documents;
		this.file = file;
		this.work = work;
		this.instance = instance;
	}

	void setTimePerDocument(Duration time) {
		this.timePerDocument = time;
	}

	void run(Guard guard) {
		List<Document> all = this.documents.findAll();
		for (Document document : all) {
			this.work.take(this.timePerDocument);
			this.file.append(new Keywords(document.id(), this.instance.toString(), guard, extract(document.text())));
		}
		logger.info("appended {} lines to the file of keywords", all.size());
	}

	private List<String> extract(String text) {
		return Arrays.stream(text.toLowerCase(Locale.ROOT).split("\\W+"))
			.filter((word) -> word.length() >= SHORTEST_KEYWORD)
			.distinct()
			.toList();
	}

}
