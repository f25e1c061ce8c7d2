package io.dht4j.testkit.network;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The machine's TCP connections, as Linux reports them in {@code /proc/net/tcp} and {@code tcp6}: the state of one side
 * of a connection, independent of the other. Other systems report none. Thread-safe; blocks while it reads.
 */
public final class TcpTable {

    /** {@code ESTABLISHED} and {@code CLOSE_WAIT}: this side has not closed the connection. */
    private static final Set<String> OPEN = Set.of("01", "08");

    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int STATE = 3;

    private static final List<Path> TABLES = List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"));

    private TcpTable() {}

    /** Returns whether the system reports the table. Tests that need it are skipped elsewhere. */
    public static boolean isShown() {
        return TABLES.stream().anyMatch(Files::exists);
    }

    /**
     * Returns how many connections to a port their callers keep open, although the listener may have closed its side.
     *
     * @param port a port with a present or former listener, 1 to 65,535
     * @return connections, of all processes
     * @throws UncheckedIOException if the system's table is missing or unreadable
     */
    public static long openByCallersOf(int port) {
        return open(REMOTE, port);
    }

    /**
     * Returns how many connections the listener at a port keeps open, although the callers may have closed their side.
     *
     * @param port a port with a present or former listener, 1 to 65,535
     * @return connections, of all processes
     * @throws UncheckedIOException if the system's table is missing or unreadable
     */
    public static long openByListenerAt(int port) {
        return open(LOCAL, port);
    }

    private static long open(int column, int port) {
        String end = String.format(Locale.ROOT, ":%04X", port);
        return lines().stream()
                .map(line -> line.strip().split("\\s+"))
                .filter(fields -> fields.length > STATE && fields[column].endsWith(end) && OPEN.contains(fields[STATE]))
                .count();
    }

    private static List<String> lines() {
        List<String> lines = new ArrayList<>();
        try {
            if (!isShown()) {
                throw new NoSuchFileException(TABLES.toString());
            }
            for (Path table : TABLES) {
                // A system without IPv6 lacks the second file.
                if (Files.exists(table)) {
                    lines.addAll(Files.readAllLines(table));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return lines;
    }
}
