package io.dht4j.server;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code ./dht} in a fresh checkout: with which Maven it builds, and what it says meanwhile. */
@EnabledOnOs({OS.LINUX, OS.MAC})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LauncherTest {

    private static final long PATIENCE_SECONDS = 1_800;

    /** Lines of a build. */
    private static final List<String> LINES = List.of(
            "[INFO] Scanning for projects...",
            "[INFO] Building dht4j 0.1.0                                      [1/7]",
            "[INFO] Building dht-api 0.1.0                                    [2/7]",
            "[INFO] Building jar: target/dht-api-0.1.0.jar",
            "[INFO] Building dht-transport-http 0.1.0                         [3/7]");

    @TempDir
    private Path directory;

    private Path tools;
    private Path checkout;

    /** A run of the script. */
    private record Run(int exitCode, String out, List<String> err) {}

    /** Makes a directory with all programs of the path but Maven. */
    @BeforeAll
    void linkTools(@TempDir Path shared) throws IOException {
        tools = shared;
        for (String place : System.getenv("PATH").split(File.pathSeparator)) {
            if (!Files.isDirectory(Path.of(place))) {
                continue;
            }
            try (Stream<Path> programs = Files.list(Path.of(place))) {
                for (Path program : programs.toList()) {
                    Path link = tools.resolve(program.getFileName());
                    if (!program.getFileName().toString().startsWith("mvn") && Files.notExists(link, NOFOLLOW_LINKS)) {
                        Files.createSymbolicLink(link, program);
                    }
                }
            }
        }
    }

    /** So that the directory is empty when it is removed: JUnit warns of each link out of it. */
    @AfterAll
    void removeTools() throws IOException {
        try (Stream<Path> links = Files.list(tools)) {
            for (Path link : links.toList()) {
                Files.delete(link);
            }
        }
    }

    @BeforeEach
    void makeCheckout() throws IOException {
        checkout = Files.createDirectory(directory.resolve("check out")).toRealPath();
    }

    @Test
    void anInstalledMavenIsTakenFirstAndTellsHowFarTheBuildIs() throws Exception {
        copyScript();
        script(installed().resolve("mvn"), "[ERROR] of the installed one");
        script(checkout.resolve("mvnw"), "[ERROR] of the wrapper");

        Run run = run(installed() + File.pathSeparator + tools);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .hasSize(6)
                .startsWith(
                        "dht: first use of this command, building ... (Maven may have to download libraries, "
                                + "which takes a few minutes)",
                        "dht: building module 1 of 7: dht4j",
                        "dht: building module 2 of 7: dht-api",
                        "dht: building module 3 of 7: dht-transport-http",
                        "[ERROR] of the installed one");
        Path log = checkout.resolve("target/dht/build.log");
        assertThat(run.err()).last().asString().isEqualTo("dht: the build failed; all of Maven's output is in " + log);
        assertThat(log).content().startsWith(String.join("\n", LINES));
    }

    @Test
    void ofABuildThatFailsTheCompilersWordsAreShownOnce() throws Exception {
        copyScript();
        String error = "[ERROR] /src/Key.java:[3,1] class, interface, enum, or record expected";
        script(installed().resolve("mvn"), error + "\n" + error + "\n[ERROR] -> [Help 1]");

        Run run = run(installed() + File.pathSeparator + tools);

        assertThat(run.err()).containsOnlyOnce(error).noneMatch(line -> line.contains("Help 1"));
    }

    @Test
    void withoutMavenTheWrapperIsTaken() throws Exception {
        copyScript();
        script(checkout.resolve("mvnw"), "[ERROR] of the wrapper");

        Run run = run(tools.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains(
                        "dht: no mvn found: ./mvnw uses its own Maven, which it downloads once",
                        "[ERROR] of the wrapper");
    }

    @Test
    void helpOfWhatHasAProgramOfItsOwnIsThatPrograms() throws Exception {
        copyScript();
        pretendBuilt();

        assertThat(runWithJava(Map.of(), "help", "bench").out()).endsWith(" io.dht4j.benchmarks.cli.Bench --help\n");
        assertThat(runWithJava(Map.of(), "help", "simulate").out())
                .endsWith(" io.dht4j.benchmarks.simulate.Simulate --help\n");
        assertThat(runWithJava(Map.of(), "help", "put").out()).endsWith(" io.dht4j.server.cli.Dht help put\n");
    }

    @Test
    void optionsForJavaMayChooseACollector() throws Exception {
        copyScript();
        pretendBuilt();

        assertThat(runWithJava(Map.of(), "get", "k").out()).contains(" -XX:+UseSerialGC ");
        assertThat(runWithJava(Map.of("DHT_JAVA_OPTS", "-Xmx64m -XX:+UseG1GC"), "get", "k")
                        .out())
                .contains(" -Xmx64m -XX:+UseG1GC ")
                .doesNotContain("SerialGC");
    }

    @Test
    void javaReadsArgumentsAsUtf8WhateverTheLocale() throws Exception {
        copyScript();
        pretendBuilt();

        assertThat(runWithJava(Map.of("LC_ALL", "C"), "get", "k").out()).startsWith("LC_ALL=C.UTF-8 ");
        assertThat(runWithJava(Map.of("LC_ALL", "C.UTF-8"), "get", "k").out()).startsWith("LC_ALL=C.UTF-8 ");
    }

    @Test
    void whatOneUserHasBuiltOthersMayRun() throws Exception {
        copyScript();
        for (String module : List.of("dht-api", "dht-server")) {
            Files.createDirectories(checkout.resolve(module + "/src/main"));
            Files.createFile(checkout.resolve(module + "/pom.xml"));
        }
        program(
                installed().resolve("mvn"),
                "cd '" + checkout
                        + "/dht-server' && mkdir -p target/lib && touch target/lib/a.jar target/dht-server-1.jar");
        Path home = directory.resolve("jdk of one's own");
        Files.createDirectories(home.resolve("bin"));
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
        program(home.resolve("bin/java"), "echo \"$*\"");
        program(home.resolve("bin/javac"), "true");

        Run run = run(
                Map.of("PATH", installed() + File.pathSeparator + tools, "JAVA_HOME", home.toString()), "--version");

        assertThat(run.exitCode()).as(String.join("\n", run.err())).isZero();
        String build =
                Files.readString(checkout.resolve("target/dht/build.stamp")).strip();
        assertThat(Files.getPosixFilePermissions(checkout.resolve("target/dht").resolve(build)))
                .contains(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_EXECUTE)
                .doesNotContain(PosixFilePermission.OTHERS_WRITE);
    }

    private static void program(Path file, String line) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + line + "\n");
        if (!file.toFile().setExecutable(true)) {
            throw new IOException(file + " cannot be made executable");
        }
    }

    /** Makes what a build leaves, as far as the script looks at it. */
    private void pretendBuilt() throws IOException {
        for (String module : List.of("dht-api", "dht-server", "benchmarks")) {
            Files.createDirectories(checkout.resolve(module + "/src/main"));
            Files.createFile(checkout.resolve(module + "/pom.xml"));
        }
        for (String build : List.of("build", "bench")) {
            Files.createDirectories(checkout.resolve("target/dht/" + build + ".12345678"));
            Files.writeString(checkout.resolve("target/dht/" + build + ".stamp"), build + ".12345678\n");
        }
    }

    /** Runs the script with a Java that writes how it is called. */
    private Run runWithJava(Map<String, String> environment, String... arguments) throws Exception {
        Path home = directory.resolve("jdk");
        Files.createDirectories(home.resolve("bin"));
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
        Path java = home.resolve("bin/java");
        Files.writeString(java, "#!/bin/sh\necho \"LC_ALL=$LC_ALL $*\"\n");
        if (!java.toFile().setExecutable(true)) {
            throw new IOException(java + " cannot be made executable");
        }
        Map<String, String> all = new HashMap<>(environment);
        all.put("PATH", System.getenv("PATH"));
        all.put("JAVA_HOME", home.toString());
        return run(all, arguments);
    }

    /** Compiles all that the command line needs. */
    @Test
    @Tag("full")
    void aFreshCheckoutIsBuiltOnce() throws Exception {
        copyTree();

        Run first = run(System.getenv("PATH"), "--version");
        Run second = run(System.getenv("PATH"), "--version");

        assertThat(first.exitCode()).as(String.join("\n", first.err())).isZero();
        assertThat(first.out()).matches("dht4j \\d\\S*, Java \\d.*\\R");
        List<String> modules = first.err().stream()
                .filter(line -> line.contains("building module"))
                .toList();
        assertThat(modules)
                .hasSizeGreaterThan(4)
                .allMatch(Pattern.compile("dht: building module \\d+ of " + modules.size() + ": dht[a-z0-9-]*")
                        .asMatchPredicate());
        assertThat(second.exitCode()).isZero();
        assertThat(second.out()).isEqualTo(first.out());
        assertThat(second.err()).isEmpty();
    }

    /** Where the machine has a Maven of its own. */
    private Path installed() throws IOException {
        return Files.createDirectories(directory.resolve("installed"));
    }

    /** The checkout in which the tests run: the nearest directory upwards that has the script. */
    private static Path root() {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("dht"))) {
            root = root.getParent();
        }
        return root;
    }

    private void copyScript() throws IOException {
        Files.copy(root().resolve("dht"), checkout.resolve("dht"));
        Files.createFile(checkout.resolve("pom.xml"));
    }

    /** The checkout without what builds and servers leave in it. */
    private void copyTree() throws IOException {
        Path root = root();
        Set<String> others = Set.of("", ".mvn", "examples", "benchmarks");
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path from, BasicFileAttributes attributes) throws IOException {
                Path relative = root.relativize(from);
                String first = relative.getName(0).toString();
                boolean isBuilt = relative.getNameCount() == 2 && relative.endsWith("target");
                if (isBuilt || !(others.contains(first) || first.startsWith("dht-"))) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Files.createDirectories(checkout.resolve(relative));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path from, BasicFileAttributes attributes) throws IOException {
                Files.copy(from, checkout.resolve(root.relativize(from)));
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Makes a program that writes the lines of a build and an error, and fails. */
    private static void script(Path file, String error) throws IOException {
        Files.writeString(
                file, "#!/bin/sh\ncat << 'END'\n" + String.join("\n", LINES) + "\n" + error + "\nEND\nexit 1\n");
        if (!file.toFile().setExecutable(true)) {
            throw new IOException(file + " cannot be made executable");
        }
    }

    private Run run(String path, String... arguments) throws Exception {
        return run(Map.of("PATH", path, "JAVA_HOME", System.getProperty("java.home")), arguments);
    }

    private Run run(Map<String, String> environment, String... arguments) throws Exception {
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        ProcessBuilder builder = new ProcessBuilder();
        builder.command().add(checkout.resolve("dht").toString());
        builder.command().addAll(Arrays.asList(arguments));
        // What the machine has set for Maven, and a locale that it lacks, would show.
        builder.environment().remove("MAVEN_OPTS");
        builder.environment().put("LC_ALL", "C");
        builder.environment().putAll(environment);
        Process process =
                builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("the script ends")
                    .isTrue();
        } finally {
            process.destroyForcibly().onExit().join();
        }
        return new Run(process.exitValue(), Files.readString(out), Files.readAllLines(err));
    }
}
