package io.dht4j.examples;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code ./dht} in a fresh checkout: with which Maven it builds, and what it says meanwhile. */
@Tag("portable")
@EnabledOnOs({OS.LINUX, OS.MAC})
class LauncherTest {

    private static final long PATIENCE_SECONDS = 600;

    /** Lines of a build. */
    private static final List<String> LINES = List.of(
            "[INFO] Scanning for projects...",
            "[INFO] Building dht4j 0.1.0-SNAPSHOT                                      [1/7]",
            "[INFO] Building dht-api 0.1.0-SNAPSHOT                                    [2/7]",
            "[INFO] Building jar: target/dht-api-0.1.0-SNAPSHOT.jar",
            "[INFO] Building dht-transport-http 0.1.0-SNAPSHOT                         [3/7]");

    @TempDir
    private Path directory;

    private Path checkout;

    /** A run of the script. */
    private record Run(int exitCode, String out, List<String> err) {}

    @BeforeEach
    void makeCheckout() throws IOException {
        checkout = Files.createDirectory(directory.resolve("check out")).toRealPath();
    }

    @Test
    void an_installed_maven_is_taken_first_and_tells_how_far_the_build_is() throws Exception {
        copyScript();
        Path tools = tools();
        script(tools.resolve("mvn"), "[ERROR] of the installed one");
        script(checkout.resolve("mvnw"), "[ERROR] of the wrapper");

        Run run = run(tools.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .hasSize(6)
                .startsWith(
                        "dht: first use of this command, building ... (Maven may have to download libraries, which takes a few minutes)",
                        "dht: building module 1 of 7: dht4j",
                        "dht: building module 2 of 7: dht-api",
                        "dht: building module 3 of 7: dht-transport-http",
                        "[ERROR] of the installed one");
        Path log = checkout.resolve("target/dht/build.log");
        assertThat(run.err()).last().asString().isEqualTo("dht: the build failed; all of Maven's output is in " + log);
        assertThat(log).content().startsWith(String.join("\n", LINES));
    }

    @Test
    void without_maven_the_wrapper_is_taken() throws Exception {
        copyScript();
        script(checkout.resolve("mvnw"), "[ERROR] of the wrapper");

        Run run = run(tools().toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains("dht: no mvn found: ./mvnw takes its own, which it downloads once", "[ERROR] of the wrapper");
    }

    /** Compiles all that the command line needs. */
    @Test
    @Tag("full")
    void a_fresh_checkout_is_built_once() throws Exception {
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
                .allMatch(Pattern.compile("dht: building module \\d of " + modules.size() + ": dht[a-z0-9-]*")
                        .asMatchPredicate());
        assertThat(second.exitCode()).isZero();
        assertThat(second.out()).isEqualTo(first.out());
        assertThat(second.err()).isEmpty();
    }

    private void copyScript() throws IOException {
        Files.copy(Checkout.root().resolve("dht"), checkout.resolve("dht"));
        Files.createFile(checkout.resolve("pom.xml"));
    }

    /** The checkout without what builds and servers leave in it. */
    private void copyTree() throws IOException {
        Path root = Checkout.root();
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

    /** A directory with all programs of the path but Maven. */
    private Path tools() throws IOException {
        Path tools = Files.createDirectory(directory.resolve("tools"));
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
        return tools;
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
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        ProcessBuilder builder = new ProcessBuilder();
        builder.command().add(checkout.resolve("dht").toString());
        builder.command().addAll(Arrays.asList(arguments));
        builder.environment().put("PATH", path);
        // What the machine has set for Maven, and a locale that it lacks, would show.
        builder.environment().remove("MAVEN_OPTS");
        builder.environment().put("LC_ALL", "C");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
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
