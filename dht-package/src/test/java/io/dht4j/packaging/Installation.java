package io.dht4j.packaging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The unpacked archive. */
public final class Installation {

    /** The archive that the build has made. */
    static final Path ARCHIVE = Path.of(System.getProperty("dht.package.archive"));

    /** The Debian package that the build has made. */
    static final Path DEBIAN = Path.of(System.getProperty("dht.package.debian"));

    private static final long PATIENCE_SECONDS = 60;

    private final Path home;
    private final Path logs;

    private Installation(Path home, Path logs) {
        this.home = home;
        this.logs = logs;
    }

    /** A program that has ended. */
    public record Run(int exitCode, String out, String err) {}

    /** Unpacks the archive into a directory. */
    public static Installation unpack(Path directory) throws Exception {
        return unpack(ARCHIVE, directory);
    }

    /** Unpacks an archive, perhaps that of another release, into a directory that has no other one. */
    static Installation unpack(Path archive, Path directory) throws Exception {
        Run tar = run(directory, Map.of(), List.of("tar", "-xzf", archive.toString(), "-C", directory.toString()));
        if (tar.exitCode() != 0) {
            throw new IOException(tar.err());
        }
        Path home;
        try (Stream<Path> made = Files.list(directory)) {
            home = made.filter(each -> each.getFileName().toString().startsWith("dht4j-"))
                    .findFirst()
                    .orElseThrow();
        }
        return new Installation(home, Files.createDirectory(directory.resolve("logs")));
    }

    /** Returns a path in it. */
    public Path resolve(String path) {
        return home.resolve(path);
    }

    /** Runs {@code dht} and waits for its end. */
    Run dht(Map<String, String> variables, String... words) throws Exception {
        return run(logs, variables, command(words));
    }

    /** Starts {@code dht server} with variables alone; its output goes to files. */
    public Started server(Map<String, String> variables) throws IOException {
        Path out = Files.createTempFile(logs, "server", ".out");
        Path err = Files.createTempFile(logs, "server", ".err");
        Process process = builder(variables, command("server"))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        return new Started(process, out, err);
    }

    private List<String> command(String... words) {
        List<String> command = new ArrayList<>(List.of(home.resolve("bin/dht").toString()));
        command.addAll(List.of(words));
        return command;
    }

    /** Returns a program in an environment that has a path, Java and these variables. */
    private static ProcessBuilder builder(Map<String, String> variables, List<String> command) {
        Map<String, String> all = new HashMap<>(variables);
        all.put("PATH", System.getenv("PATH"));
        all.put("JAVA_HOME", System.getProperty("java.home"));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().putAll(all);
        return builder;
    }

    /** Runs a program and waits for its end. */
    public static Run run(Path directory, Map<String, String> variables, List<String> command) throws Exception {
        Path out = Files.createTempFile(directory, "run", ".out");
        Path err = Files.createTempFile(directory, "run", ".err");
        Process process = builder(variables, command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError(command + " does not end");
            }
        } finally {
            process.destroyForcibly();
        }
        return new Run(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    /** A server that runs. */
    public record Started(Process process, Path outFile, Path errFile) implements AutoCloseable {

        public String out() throws IOException {
            return Files.readString(outFile);
        }

        public String err() throws IOException {
            return Files.readString(errFile);
        }

        /** Sends SIGTERM, and returns the exit code. */
        public int stop() throws Exception {
            process.destroy();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("the server does not end: " + err());
            }
            return process.exitValue();
        }

        @Override
        public void close() {
            process.destroyForcibly().onExit().join();
        }
    }
}
