package io.dht4j.security;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Counts the open connections of a listener, in all and by remote address, so that one caller cannot take every place. A
 * listener asks when it accepts a connection, before it has spent anything on it. IPv6 addresses of one network (64 bits)
 * count as one, since a caller has all of them.
 *
 * <p>Does not block; safe for use by any number of threads.
 */
public final class ConnectionLimit {

    /** What identifies an IPv6 network. */
    private static final int NETWORK_BYTES = 8;

    private final int max;
    private final int maxPerAddress;
    private final AtomicInteger open = new AtomicInteger();
    /** By address or network. */
    private final Map<ByteBuffer, Integer> byCaller = new ConcurrentHashMap<>();

    /**
     * No connection is open yet.
     *
     * @param max the most connections in all, 1 or more
     * @param maxPerAddress the most connections of one remote address, 1 or more
     * @throws IllegalArgumentException if one of them is less than 1
     */
    public ConnectionLimit(int max, int maxPerAddress) {
        if (max < 1 || maxPerAddress < 1) {
            throw new IllegalArgumentException(
                    "connections must be 1 or more, not " + max + " in all and " + maxPerAddress + " per address");
        }
        this.max = max;
        this.maxPerAddress = maxPerAddress;
    }

    /**
     * Counts a connection that was accepted, if there is a place for it.
     *
     * @param remote where it comes from; null if that is not known
     * @return true if it is counted, and {@link #leave} must be called when it has ended; false if it must be closed
     */
    public boolean enter(@Nullable SocketAddress remote) {
        if (open.incrementAndGet() > max) {
            open.decrementAndGet();
            return false;
        }
        boolean[] entered = new boolean[1];
        byCaller.compute(caller(remote), (caller, count) -> {
            int before = count == null ? 0 : count;
            entered[0] = before < maxPerAddress;
            return entered[0] ? Integer.valueOf(before + 1) : count;
        });
        if (!entered[0]) {
            open.decrementAndGet();
        }
        return entered[0];
    }

    /**
     * A connection that was counted has ended.
     *
     * @param remote as it was given to {@link #enter}
     */
    public void leave(@Nullable SocketAddress remote) {
        byCaller.computeIfPresent(caller(remote), (caller, count) -> count == 1 ? null : Integer.valueOf(count - 1));
        open.decrementAndGet();
    }

    /**
     * How many connections are open.
     *
     * @return those that were counted and have not left
     */
    public int open() {
        return open.get();
    }

    private static ByteBuffer caller(@Nullable SocketAddress remote) {
        InetAddress address = remote instanceof InetSocketAddress inet ? inet.getAddress() : null;
        if (address == null) {
            // Gone already, or no address of the Internet: all of those are one caller.
            return ByteBuffer.allocate(0);
        }
        byte[] bytes = address.getAddress();
        return ByteBuffer.wrap(bytes, 0, address instanceof Inet6Address ? NETWORK_BYTES : bytes.length);
    }

    /** For tests: how many addresses are remembered. */
    int callers() {
        return byCaller.size();
    }
}
