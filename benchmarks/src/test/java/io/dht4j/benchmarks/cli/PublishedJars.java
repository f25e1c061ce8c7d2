package io.dht4j.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The jars that are published, and a stranger's build against them. Of modules that this Maven run has not packaged
 * yet, jars with the same classes are made.
 */
final class PublishedJars {

    private static final Pattern MODULE = Pattern.compile(".*/(dht-[a-z-]+|benchmarks)/target/classes");

    /** What a transport, store or placement may use, and what these need. */
    private static final Pattern TO_COMPILE = Pattern.compile(
            "(dht-(api|core|store|lab)|jspecify|slf4j-api|HdrHistogram|commons-(statistics|numbers)-[a-z]+|hash4j"
                    + "|caffeine|h2-mvstore)[-.].*");

    private final Path directory;
    private final List<Path> jars = new ArrayList<>();

    /**
     * Finds or makes the jars.
     *
     * @param directory an existing one for jars and classes
     */
    PublishedJars(Path directory) throws IOException {
        this.directory = directory;
        Path made = Files.createDirectories(directory.resolve("published"));
        for (String entry : System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator))) {
            Path path = Path.of(entry);
            var module = MODULE.matcher(entry);
            if (module.matches() && Files.isDirectory(path)) {
                Path jar = made.resolve(module.group(1) + ".jar");
                run("jar", List.of("--create", "--file", jar.toString(), "-C", entry, "."));
                jars.add(jar);
            } else if (entry.endsWith(".jar") && !entry.endsWith("-tests.jar")) {
                jars.add(path);
            }
        }
    }

    /** Returns the jars of the command {@code ./dht bench}. */
    List<Path> all() {
        return jars;
    }

    /**
     * Compiles and packs sources. Packages that the modules do not export are out of their reach.
     *
     * @return the jar
     */
    Path compile(List<Path> sources) throws IOException {
        String modules = jars.stream()
                .filter(jar -> TO_COMPILE.matcher(jar.getFileName().toString()).matches())
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
        Path classes = Files.createDirectory(directory.resolve("classes"));
        List<String> javac = new ArrayList<>(List.of(
                "--release",
                "17",
                "-proc:none",
                "--module-path",
                modules,
                "--add-modules",
                "io.dht4j.lab,io.dht4j.core,io.dht4j.store,org.slf4j,org.jspecify",
                "-d",
                classes.toString()));
        sources.forEach(source -> javac.add(source.toString()));
        run("javac", javac);
        Path jar = directory.resolve("my.jar");
        run("jar", List.of("--create", "--file", jar.toString(), "-C", classes.toString(), "."));
        return jar;
    }

    /** Compiles and packs the documentation's example of a transport. */
    Path example() throws IOException {
        Path examples = Path.of("..", "examples", "src", "main", "java", "io", "dht4j", "examples");
        List<Path> sources = new ArrayList<>();
        for (String part : List.of("transport", "measure")) {
            try (Stream<Path> files = Files.list(examples.resolve(part))) {
                files.forEach(sources::add);
            }
        }
        return compile(sources);
    }

    private static void run(String tool, List<String> args) {
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        int code = ToolProvider.findFirst(tool).orElseThrow().run(out, out, args.toArray(String[]::new));
        assertThat(code).as(said.toString()).isZero();
    }
}
