package io.dht4j.benchmarks.process;

import io.dht4j.testkit.network.FreePorts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** An unpacked archive of the server, whose programs are timed from the call of its launcher. Used by one thread. */
public final class InstalledDht {

    /** Every program is killed after this time, a server too. */
    private static final long DEADLINE_SECONDS = 60;

    private static final long ARCHIVE_SECONDS = 300;
    private static final long POLL_MILLIS = 100;
    private static final String NO_ARCHIVE = "off";

    private final Path launcher;
    private final Path directory;
    private final String cache;

    private InstalledDht(Path launcher, Path directory, String cache) {
        this.launcher = launcher;
        this.directory = directory;
        this.cache = cache;
    }

    /**
     * One start.
     *
     * @param readyMillis from the call until the server says that it is ready
     * @param getMillis from the call of {@code dht get} until its end
     * @param residentMib resident memory of the server afterwards, in MiB; NaN where the system does not say
     */
    public record Start(double readyMillis, double getMillis, double residentMib) {}

    /**
     * Returns an installation whose programs start without an archive of classes.
     *
     * @param home the unpacked archive
     * @param directory for its data, which exists
     * @throws IOException if there is no launcher
     */
    public static InstalledDht withoutArchive(Path home, Path directory) throws IOException {
        Path launcher = home.resolve("bin/dht").toAbsolutePath();
        if (!Files.isExecutable(launcher)) {
            throw new IOException("there is no " + launcher + ": unpack dht-package/target/dht4j-*.tar.gz, and name its"
                    + " directory by --installation");
        }
        return new InstalledDht(launcher, directory, NO_ARCHIVE);
    }

    /**
     * Returns the same installation with an archive of classes, which is made before the return. Blocks, for some
     * seconds.
     *
     * @throws IOException if no archive is made in time
     */
    public InstalledDht makeArchive() throws IOException, InterruptedException {
        Path cache = directory.resolve("cache");
        Path made = cache.resolve("dht4j-startup");
        InstalledDht with = new InstalledDht(launcher, directory, cache.toString());
        with.run("--version");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(ARCHIVE_SECONDS);
        while (!holdsOneFile(made)) {
            if (System.nanoTime() > end) {
                throw new IOException("the JVM has made no archive of classes within " + ARCHIVE_SECONDS + " s");
            }
            Thread.sleep(POLL_MILLIS);
        }
        return with;
    }

    /** Returns whether the archive is there alone: the training has removed its lock. */
    private static boolean holdsOneFile(Path cache) throws IOException {
        if (!Files.isDirectory(cache)) {
            return false;
        }
        try (Stream<Path> files = Files.list(cache)) {
            List<Path> all = files.toList();
            return all.size() == 1 && Files.isRegularFile(all.get(0));
        }
    }

    /**
     * Starts a server of one node with an empty store, reads a key by {@code dht get}, and ends the server. Blocks.
     *
     * @param data the directory of the store, which does not exist
     * @throws IOException if a program fails
     */
    public Start start(Path data) throws IOException, InterruptedException {
        String address = "127.0.0.1:" + FreePorts.find(1).get(0);
        String url = "http://" + address;
        long begin = System.nanoTime();
        Process server = process("server", "--listen", address, "--data", data.toString());
        try (BufferedReader out = server.inputReader(StandardCharsets.UTF_8)) {
            String line = out.readLine();
            double ready = millisSince(begin);
            if (line == null || !line.startsWith("ready ")) {
                throw new IOException("the server does not start: " + errors());
            }
            run("put", "key", "value", "--node", url);
            long called = System.nanoTime();
            run("get", "key", "--node", url);
            return new Start(ready, millisSince(called), residentMib(server.pid()));
        } finally {
            server.destroy();
            if (!server.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        }
    }

    private static double millisSince(long begin) {
        return (System.nanoTime() - begin) / 1e6;
    }

    private static double residentMib(long pid) throws IOException {
        Path status = Path.of("/proc/" + pid + "/status");
        if (!Files.exists(status)) {
            return Double.NaN;
        }
        try (Stream<String> lines = Files.lines(status)) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024.0)
                    .findFirst()
                    .orElse(Double.NaN);
        }
    }

    private void run(String... words) throws IOException, InterruptedException {
        Process process = process(words);
        process.getInputStream().transferTo(OutputStream.nullOutputStream());
        int code = process.waitFor();
        if (code != 0) {
            throw new IOException("dht " + String.join(" ", words) + " ends with " + code + ": " + errors());
        }
    }

    private String errors() throws IOException {
        return Files.readString(directory.resolve("errors")).strip();
    }

    private Process process(String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(Arrays.asList(words));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("errors").toFile()));
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("DHT_"));
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        environment.put("DHT_STARTUP_CACHE", cache);
        Process process = builder.start();
        process.onExit().orTimeout(DEADLINE_SECONDS, TimeUnit.SECONDS).whenComplete((ended, late) -> {
            if (late != null) {
                process.destroyForcibly();
            }
        });
        return process;
    }
}
