package io.dht4j.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A server in a process of its own. */
public final class ServerProcess implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 180;

    private final Process process;
    private final Path err;
    private final CompletableFuture<String> firstLine = new CompletableFuture<>();

    private ServerProcess(Process process, Path err) {
        this.process = process;
        this.err = err;
        Thread reader = new Thread(this::read, "output of " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts {@code dht server} with these options. What it says on standard error goes to a file in the directory. */
    public static ServerProcess start(Path directory, String... options) throws IOException {
        return start(List.of(), directory, options);
    }

    /** As {@link #start}, in a process with these variables in its environment besides. */
    public static ServerProcess startWith(Map<String, String> variables, Path directory, String... options)
            throws IOException {
        List<String> shell = new ArrayList<>(List.of("env"));
        variables.forEach((name, value) -> shell.add(name + "=" + value));
        return start(shell, directory, options);
    }

    /**
     * As {@link #start}, in a process whose files may not grow beyond so many blocks, of half a kilobyte or one, as the
     * shell counts.
     */
    static ServerProcess startWithSmallFiles(int blocks, Path directory, String... options) throws IOException {
        return start(List.of("sh", "-c", "ulimit -f " + blocks + " && exec \"$@\"", "sh"), directory, options);
    }

    /** As {@link #start}, in a process that may have so many files open. */
    static ServerProcess startWithOpenFiles(int files, Path directory, String... options) throws IOException {
        return start(List.of("sh", "-c", "ulimit -n " + files + " && exec \"$@\"", "sh"), directory, options);
    }

    /** As {@link #start}, with a heap of that size, {@code 128m} for example. */
    static ServerProcess startWithHeap(String heap, Path directory, String... options) throws IOException {
        return start(List.of(), heap, "Serial", directory, options);
    }

    /** As {@link #startWithHeap}, with another garbage collector, {@code G1} for example. */
    static ServerProcess startWithHeap(String heap, String collector, Path directory, String... options)
            throws IOException {
        return start(List.of(), heap, collector, directory, options);
    }

    private static ServerProcess start(List<String> shell, Path directory, String... options) throws IOException {
        return start(shell, "256m", "Serial", directory, options);
    }

    private static ServerProcess start(
            List<String> shell, String heap, String collector, Path directory, String... options) throws IOException {
        List<String> command = new ArrayList<>(shell);
        commandLine("server", options).stream()
                .map(word -> word.startsWith("-Xmx") ? "-Xmx" + heap : word)
                .map(word -> word.equals("-XX:+UseSerialGC") ? "-XX:+Use" + collector + "GC" : word)
                .forEach(command::add);
        Path err = Files.createTempFile(directory, "server", ".err");
        return new ServerProcess(
                new ProcessBuilder(command).redirectError(err.toFile()).start(), err);
    }

    /** What starts a command of {@code dht} in a process of its own. */
    public static List<String> commandLine(String name, String... options) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
        if (Runtime.version().feature() >= 24) {
            command.add("--enable-native-access=ALL-UNNAMED");
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(List.of(
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "io.dht4j.server.cli.Dht",
                name));
        command.addAll(List.of(options));
        if (name.equals("server") && !command.contains("--shutdown-delay")) {
            // Most tests have no clients that could leave.
            command.addAll(List.of("--shutdown-delay", "0"));
        }
        return command;
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            firstLine.complete(line == null ? "" : line);
            while (line != null) {
                line = lines.readLine();
            }
        } catch (IOException e) {
            firstLine.completeExceptionally(e);
        }
    }

    /** The line that says that it serves; waits for it. */
    public String awaitReady() throws Exception {
        String line = firstLine.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (!line.startsWith("ready ")) {
            throw new AssertionError("not ready but \"" + line + "\": " + err());
        }
        return line;
    }

    /** {@code kill -9}. Returns when the process is gone. */
    public void kill() {
        close();
    }

    /** Sends a signal, {@code STOP} or {@code CONT} for example. Returns when it was sent. */
    public void signal(String name) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IOException("kill -" + name + " " + process.pid() + " ended with " + exit);
        }
    }

    /** The process's number. */
    public long pid() {
        return process.pid();
    }

    /** Whether it runs. */
    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGTERM. */
    public void terminate() {
        process.destroy();
    }

    /** Waits for the end. */
    public int exitCode() throws InterruptedException {
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("process " + process.pid() + " does not end");
        }
        return process.exitValue();
    }

    public String err() throws IOException {
        return Files.readString(err);
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
