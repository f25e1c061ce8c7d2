package io.dht4j.transport.common;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.OptionalLong;

/**
 * Reads the number of files that this process may have open: connections count as files, and so do the files of a
 * store. Does not block; safe for use by any number of threads.
 */
public final class OpenFiles {

    /**
     * The part of the open files that connections to one port may use: a node may have a port for peers and one for
     * each public API. The rest is for stores, and for calls to others.
     */
    private static final int PART = 4;

    private OpenFiles() {}

    /**
     * Looks up how many files this process may have open.
     *
     * @return the limit; empty where the system reports none
     */
    public static OptionalLong limit() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                        && unix.getMaxFileDescriptorCount() > 0
                ? OptionalLong.of(unix.getMaxFileDescriptorCount())
                : OptionalLong.empty();
    }

    /**
     * Limits connections to the part of the open files that one port may use.
     *
     * @param wanted the connections that are configured
     * @param limit the limit of open files
     * @return {@code wanted}, or fewer; 1 at least
     */
    public static int connections(int wanted, OptionalLong limit) {
        return limit.isEmpty() ? wanted : (int) Math.max(1, Math.min(wanted, limit.getAsLong() / PART));
    }

    /**
     * Says why a port takes fewer connections than are configured.
     *
     * @param where names the port
     * @param wanted the connections that are configured
     * @param allowed the connections that the port takes
     * @param limit the limit of open files
     * @return a line for the log
     */
    public static String warning(String where, int wanted, int allowed, OptionalLong limit) {
        return where + " takes at most " + allowed + " connections, not " + wanted + ": this process may have "
                + limit.orElse(0)
                + " files open, of which connections to one port may use a quarter. Raise the limit (ulimit -n) "
                + "to at least "
                + (long) wanted * PART + ", or lower maxConnections";
    }
}
