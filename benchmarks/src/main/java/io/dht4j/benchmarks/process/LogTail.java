package io.dht4j.benchmarks.process;

import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.LineReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** The last lines of a log, and a file with all of them if there is one. Safe for use by any number of threads. */
final class LogTail implements AutoCloseable {

    private static final int LINES = 40;
    private static final int LINE_LENGTH = 1000;

    private final Deque<String> last = new ArrayDeque<>();
    private final Optional<BufferedWriter> file;
    private boolean closed;

    LogTail(Optional<Path> file) throws IOException {
        this.file = file.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        Files.newBufferedWriter(file.get(), StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    /** Reads a log to its end. */
    void readAll(InputStream log) {
        LineReader lines = new LineReader(log, Json.MAX_LINE);
        try {
            for (Optional<byte[]> line = lines.next(); line.isPresent(); line = lines.next()) {
                add(new String(line.get(), StandardCharsets.UTF_8));
            }
        } catch (IOException | ClientException e) {
            // A stream that this side closed ends like this too.
            add("(the log ends here: " + e.getMessage() + ")");
        }
    }

    synchronized void add(String line) {
        remember(line);
        if (closed) {
            // From a thread that notices the child's end late.
            return;
        }
        file.ifPresent(writer -> {
            try {
                writer.write(line);
                writer.newLine();
                writer.flush();
            } catch (IOException e) {
                remember("(not written to the log file: " + e.getMessage() + ")");
            }
        });
    }

    /** The caller holds the lock. */
    private void remember(String line) {
        if (last.size() == LINES) {
            last.removeFirst();
        }
        last.addLast(line.length() <= LINE_LENGTH ? line : line.substring(0, LINE_LENGTH) + "...");
    }

    synchronized List<String> lines() {
        return List.copyOf(last);
    }

    /** Closes the file. Later lines are kept in memory only. */
    @Override
    public synchronized void close() {
        closed = true;
        file.ifPresent(writer -> {
            try {
                writer.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }
}
