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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

import javax.xml.parsers.DocumentBuilderFactory;

import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * Checks a directory in the layout of a Maven repository against the rules of Maven
 * Central, and some of our own. Reports all findings, and ends with 1 if there are any.
 */
class CheckRelease {

	private static final String PLACEHOLDER = "/OWNER/";

	private final Path root;

	private final boolean signed;

	private final boolean complete;

	private final List<String> errors = new ArrayList<>();

	private final Set<String> notes = new LinkedHashSet<>();

	/** Group, artifact and version of each pom in the directory. */
	private final Set<String> released = new TreeSet<>();

	CheckRelease(Path root, boolean signed, boolean complete) {
		this.root = root;
		this.signed = signed;
		this.complete = complete;
	}

	public static void main(String[] args) throws Exception {
		List<String> arguments = List.of(args);
		CheckRelease check = new CheckRelease(Path.of(args[0]), arguments.contains("--signed"),
				arguments.contains("--final"));
		System.exit(check.run() ? 0 : 1);
	}

	private boolean run() throws Exception {
		List<Path> files;
		try (Stream<Path> all = Files.walk(this.root)) {
			files = all.filter(Files::isRegularFile).sorted().toList();
		}
		List<Path> poms = files.stream().filter((file) -> file.toString().endsWith(".pom")).toList();
		if (poms.isEmpty()) {
			this.errors.add(this.root + " holds no pom: nothing would be published.");
		}
		for (Path pom : poms) {
			this.released.add(coordinates(parse(pom)));
		}
		for (Path pom : poms) {
			checkPom(pom);
		}
		for (Path file : files) {
			checkFile(file);
		}
		this.notes.forEach((note) -> System.out.println("NOTE: " + note));
		this.errors.forEach((error) -> System.out.println("ERROR: " + error));
		if (this.errors.isEmpty()) {
			System.out.printf("OK: %d files of %d modules keep the rules: %s%n", files.size(), poms.size(),
					String.join(", ", this.released));
			return true;
		}
		System.out.println("FAILED: " + this.errors.size() + " rules are broken.");
		return false;
	}

	private void checkPom(Path pom) throws Exception {
		Element project = parse(pom);
		String name = pom.getFileName().toString();
		for (String path : List.of("groupId", "artifactId", "version", "name", "description", "url",
				"licenses/license/name", "licenses/license/url", "developers/developer/name", "scm/connection",
				"scm/developerConnection", "scm/url")) {
			require(name, project, path);
		}
		for (String element : List.of("repositories", "pluginRepositories", "distributionManagement", "build",
				"profiles")) {
			if (child(project, element) != null) {
				this.errors.add("%s has <%s>: what is published must not need it.".formatted(name, element));
			}
		}
		String text = Files.readString(pom);
		if (text.contains("${")) {
			this.errors.add(name + " has a property that is not replaced by its value.");
		}
		if (text.contains("-SNAPSHOT")) {
			this.errors.add(name + " names a SNAPSHOT.");
		}
		if (text.contains(PLACEHOLDER)) {
			String finding = "The URLs have the placeholder OWNER: set <github.repository> in pom.xml.";
			if (this.complete) {
				this.errors.add(name + ": " + finding);
			}
			else {
				this.notes.add(finding + " To publish is refused until then.");
			}
		}
		Element parent = child(project, "parent");
		if (parent != null && !this.released.contains(coordinates(parent))) {
			this.errors.add("%s has the parent %s, which is not published.".formatted(name, coordinates(parent)));
		}
		List<Element> dependencies = new ArrayList<>(children(child(project, "dependencies"), "dependency"));
		Element management = child(project, "dependencyManagement");
		if (management != null) {
			dependencies.addAll(children(child(management, "dependencies"), "dependency"));
		}
		for (Element dependency : dependencies) {
			checkDependency(name, text(project, "groupId"), dependency);
		}
		String artifact = text(project, "artifactId") + "-" + text(project, "version");
		if (!name.equals(artifact + ".pom")) {
			this.errors.add(pom + " should be named " + artifact + ".pom.");
		}
		Path directory = this.root.resolve(text(project, "groupId").replace('.', '/'))
			.resolve(text(project, "artifactId"))
			.resolve(text(project, "version"));
		if (!directory.equals(pom.getParent())) {
			this.errors.add(pom + " should be in " + directory + ".");
		}
		String packaging = text(project, "packaging");
		if (packaging.isEmpty() || packaging.equals("jar")) {
			checkJars(pom.resolveSibling(artifact));
		}
	}

	private void checkDependency(String name, String group, Element dependency) {
		String coordinates = coordinates(dependency);
		if (text(dependency, "version").isEmpty()) {
			this.errors.add("%s depends on %s without a version.".formatted(name, coordinates));
		}
		if (!text(dependency, "systemPath").isEmpty()) {
			this.errors.add("%s depends on a file of this machine: %s.".formatted(name, coordinates));
		}
		if (text(dependency, "scope").equals("test")) {
			this.errors.add("%s names %s, which only its own tests need.".formatted(name, coordinates));
		}
		if (text(dependency, "groupId").equals(group) && !this.released.contains(coordinates)) {
			this.errors.add("%s depends on %s, which is not published.".formatted(name, coordinates));
		}
	}

	private void checkJars(Path artifact) throws IOException {
		Set<String> main = entries(Path.of(artifact + ".jar"));
		Set<String> sources = entries(Path.of(artifact + "-sources.jar"));
		Set<String> javadoc = entries(Path.of(artifact + "-javadoc.jar"));
		if (!main.contains("META-INF/LICENSE")) {
			this.errors.add(artifact.getFileName() + ".jar has no META-INF/LICENSE.");
		}
		List<String> types = main.stream()
			.filter((entry) -> entry.endsWith(".class") && !entry.contains("$") && !entry.contains("-info"))
			.map((entry) -> entry.substring(0, entry.length() - ".class".length()))
			.toList();
		if (!types.isEmpty() && !javadoc.contains("index.html")) {
			this.errors.add(artifact.getFileName() + "-javadoc.jar has no index.html.");
		}
		String missing = types.stream()
			// A file of Kotlin with functions is a class of its name and "Kt"
			.filter((type) -> !sources.contains(type + ".java") && !sources.contains(type.replaceFirst("Kt$", ".kt")))
			.collect(Collectors.joining(", "));
		if (!missing.isEmpty()) {
			this.errors.add(artifact.getFileName() + "-sources.jar has no source of " + missing + ".");
		}
	}

	private Set<String> entries(Path jar) throws IOException {
		if (!Files.isRegularFile(jar)) {
			this.errors.add("There is no " + jar.getFileName() + ".");
			return Set.of();
		}
		try (ZipFile zip = new ZipFile(jar.toFile())) {
			return zip.stream().map((entry) -> entry.getName()).collect(Collectors.toSet());
		}
	}

	private void checkFile(Path file) throws IOException, GeneralSecurityException {
		String name = file.getFileName().toString();
		if (name.matches(".*\\.(md5|sha1|sha256|sha512|asc)") || name.startsWith("maven-metadata")) {
			return;
		}
		checkSum(file, ".md5", "MD5");
		checkSum(file, ".sha1", "SHA-1");
		if (this.signed && !Files.isRegularFile(Path.of(file + ".asc"))) {
			this.errors.add(name + " has no signature.");
		}
	}

	private void checkSum(Path file, String extension, String algorithm) throws IOException, GeneralSecurityException {
		Path sum = Path.of(file + extension);
		if (!Files.isRegularFile(sum)) {
			this.errors.add("%s has no %s.".formatted(file.getFileName(), extension));
			return;
		}
		String actual = HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file)));
		if (!Files.readString(sum).trim().equalsIgnoreCase(actual)) {
			this.errors.add("%s does not fit the file.".formatted(sum.getFileName()));
		}
	}

	private void require(String name, Element project, String path) {
		Element current = project;
		for (String step : path.split("/")) {
			current = child(current, step);
			if (current == null) {
				break;
			}
		}
		if (current == null || current.getTextContent().isBlank()) {
			this.errors.add("%s has no <%s>.".formatted(name, path.replace("/", "><")));
		}
	}

	private static Element parse(Path pom) throws Exception {
		DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
		factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
		return factory.newDocumentBuilder().parse(pom.toFile()).getDocumentElement();
	}

	private static String coordinates(Element element) {
		return text(element, "groupId") + ":" + text(element, "artifactId") + ":" + text(element, "version");
	}

	private static String text(Element parent, String name) {
		Element element = child(parent, name);
		return (element != null) ? element.getTextContent().trim() : "";
	}

	private static Element child(Element parent, String name) {
		List<Element> found = children(parent, name);
		return found.isEmpty() ? null : found.get(0);
	}

	private static List<Element> children(Element parent, String name) {
		List<Element> found = new ArrayList<>();
		if (parent != null) {
			for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
				if (node instanceof Element element && element.getTagName().equals(name)) {
					found.add(element);
				}
			}
		}
		return found;
	}

}
