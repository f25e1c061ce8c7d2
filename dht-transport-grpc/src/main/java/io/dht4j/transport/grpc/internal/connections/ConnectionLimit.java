package io.dht4j.transport.grpc.internal.connections;

import io.dht4j.transport.common.CallerNetwork;
import io.dht4j.transport.common.ConnectionShares;
import io.dht4j.transport.common.OpenFiles;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts the open connections of a listener, in total and by remote address, so that one caller cannot take every
 * place. IPv6 addresses of one network (64 bits) count as one, since a caller has all of them. Does not block; safe for
 * use by any number of threads.
 */
public final class ConnectionLimit {

    /** The divisor of all places that gives the additional connections while others are about to leave. */
    private static final int PART_LEAVING = 16;

    private static final int LEAST_LEAVING = 16;

    /** The least default bound for one address, however few places there are in all. */
    private static final int FEW = 100;

    private final int max;
    private final int maxLeaving;
    private final int maxPerAddress;
    private final AtomicInteger open = new AtomicInteger();
    /** The connections by address or network. */
    private final Map<CallerNetwork, Integer> byCaller = new ConcurrentHashMap<>();

    /** Creates a limit of so many connections, and of so many from one address. */
    ConnectionLimit(int max, int maxPerAddress) {
        this.max = max;
        this.maxLeaving = Math.max(LEAST_LEAVING, max / PART_LEAVING);
        this.maxPerAddress = maxPerAddress;
    }

    /**
     * Returns the limit of a listener. Connections are files: the limit leaves some to stores and to other listeners,
     * and warns an operator whose limit of files is far too low.
     *
     * @param where names the listener
     * @param max the most connections in all
     * @param perAddress the most of one remote address; half of all, or a hundred if that is more, if empty
     */
    public static ConnectionLimit of(String where, int max, OptionalInt perAddress, Consumer<String> warnings) {
        return of(where, max, perAddress, OpenFiles.limit(), warnings);
    }

    /** Returns the limit of a listener in a process that may open so many files; empty if that is unknown. */
    static ConnectionLimit of(
            String where, int max, OptionalInt perAddress, OptionalLong openFiles, Consumer<String> warnings) {
        int possible = OpenFiles.connections(max, openFiles);
        if (possible < max / 2) {
            warnings.accept(OpenFiles.warning(where, max, possible, openFiles));
        }
        return new ConnectionLimit(possible, Math.min(possible, perAddress.orElse(Math.max(FEW, possible / 2))));
    }

    /**
     * Counts an accepted connection. Returns false if there is no place for it; else it must leave, from the same
     * address.
     */
    boolean enter(@Nullable SocketAddress remote) {
        return enter(remote, () -> false);
    }

    /**
     * Counts an accepted connection.
     *
     * @param giveWay makes another one leave soon if all places are taken; false if none can
     * @return false if there is no place for it; else it must leave, from the same address
     */
    boolean enter(@Nullable SocketAddress remote, BooleanSupplier giveWay) {
        CallerNetwork key = caller(remote);
        boolean[] entered = new boolean[1];
        boolean hasPlace = false;
        int all = open.incrementAndGet();
        try {
            int[] places = new int[1];
            byCaller.compute(key, (caller, count) -> {
                int before = count == null ? 0 : count;
                // One address may have all places, and so also those of others that give way.
                entered[0] = before < maxPerAddress || ConnectionShares.oneAddressMayHaveAll(max, maxPerAddress);
                places[0] = ConnectionShares.placesFor(max, maxPerAddress, before);
                return entered[0] ? Integer.valueOf(before + 1) : count;
            });
            hasPlace = entered[0] && (all <= places[0] || giveWay.getAsBoolean());
            return hasPlace;
        } finally {
            // Also after an out-of-memory error while counting the address.
            if (!hasPlace) {
                open.decrementAndGet();
                if (entered[0]) {
                    leave(key);
                }
            }
        }
    }

    /** Counts the end of a connection that entered. */
    void leave(@Nullable SocketAddress remote) {
        open.decrementAndGet();
        leave(caller(remote));
    }

    private void leave(CallerNetwork key) {
        byCaller.computeIfPresent(key, (caller, count) -> count == 1 ? null : Integer.valueOf(count - 1));
    }

    /** Returns the source of a connection. */
    static CallerNetwork caller(@Nullable SocketAddress remote) {
        // Closed already, or not an Internet address: all of those count as one caller.
        return CallerNetwork.of(remote instanceof InetSocketAddress inet ? inet.getAddress() : null);
    }

    /**
     * Returns whether the next connection should wait to be accepted: connections that give way are still open for a
     * moment, and so many of them are.
     */
    boolean isCrowded() {
        return open.get() > max + maxLeaving;
    }

    /** Returns the number of open connections. */
    public int open() {
        return open.get();
    }

    /** Returns the most connections in all. */
    public int max() {
        return max;
    }

    /** Returns the most connections of one address. */
    int maxPerAddress() {
        return maxPerAddress;
    }

    /** Returns, for tests, the number of remembered addresses. */
    int callers() {
        return byCaller.size();
    }
}
