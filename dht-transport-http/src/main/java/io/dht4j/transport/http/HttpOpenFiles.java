package io.dht4j.transport.http;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.OptionalLong;

/** How many files this process may have open: connections are files, and so is what a store writes to. */
final class HttpOpenFiles {

    /**
     * The part of the open files that connections to one port may use: a node may have a port for peers and one for
     * each public API. The rest is for stores, and for calls to others.
     */
    private static final int PART = 4;

    private HttpOpenFiles() {}

    /** How many files this process may have open; empty where the system does not tell. */
    static OptionalLong limit() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                        && unix.getMaxFileDescriptorCount() > 0
                ? OptionalLong.of(unix.getMaxFileDescriptorCount())
                : OptionalLong.empty();
    }

    /** How many of so many connections the limit of open files allows, 1 at least. */
    static int connections(int wanted, OptionalLong limit) {
        return limit.isEmpty() ? wanted : (int) Math.max(1, Math.min(wanted, limit.getAsLong() / PART));
    }

    /** What to tell of fewer connections than were wanted. */
    static String warning(String where, int wanted, int allowed, OptionalLong limit) {
        return where + " takes at most " + allowed + " connections, not " + wanted + ": this process may have "
                + limit.orElse(0)
                + " files open, of which connections to one port may use a quarter. Raise the limit (ulimit -n) "
                + "to at least "
                + (long) wanted * PART + ", or lower maxConnections (--max-connections)";
    }
}
