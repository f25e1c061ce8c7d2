package io.dht4j.server.faults;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The wall clock of a process, which can be set while it runs: a library that is preloaded adds what a file says. Needs
 * Linux and a C compiler.
 */
final class SkewedClock {

    private static final long COMPILE_SECONDS = 60;

    private final Path library;
    private final Path offset;

    private SkewedClock(Path library, Path offset) {
        this.library = library;
        this.offset = offset;
    }

    /**
     * Compiles the library.
     *
     * @return empty where there is no compiler for it
     */
    static Optional<Path> compile(Path directory) throws IOException, InterruptedException {
        Path source = directory.resolve("skewed-clock.c");
        Path library = directory.resolve("skewed-clock.so");
        try (InputStream in = SkewedClock.class.getResourceAsStream("skewed-clock.c")) {
            Files.copy(Objects.requireNonNull(in), source);
        }
        if (!System.getProperty("os.name").equals("Linux")) {
            return Optional.empty();
        }
        Process compiler;
        try {
            compiler = new ProcessBuilder(
                            "cc", "-shared", "-fPIC", "-O2", "-o", library.toString(), source.toString(), "-ldl")
                    .redirectOutput(directory.resolve("cc.out").toFile())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            return Optional.empty();
        }
        if (!compiler.waitFor(COMPILE_SECONDS, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
            compiler.destroyForcibly();
            throw new IOException("cc: " + Files.readString(directory.resolve("cc.out")));
        }
        return Optional.of(library);
    }

    /** A clock that is right. */
    static SkewedClock of(Path library, Path offset) throws IOException {
        SkewedClock clock = new SkewedClock(library, offset);
        clock.set(Duration.ZERO);
        return clock;
    }

    /** From now on the process's clock is ahead by so much. */
    void set(Duration ahead) throws IOException {
        byte[] nanos = ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(ahead.toNanos())
                .array();
        // Not truncated, since processes have it mapped.
        Files.write(offset, nanos, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    /** What a process needs in its environment to have this clock. */
    Map<String, String> environment() {
        return Map.of("LD_PRELOAD", library.toString(), "SKEWED_CLOCK", offset.toString());
    }
}
