package io.dht4j.transport.tcp.internal.server;

import io.dht4j.transport.common.CallerNetwork;
import io.dht4j.transport.common.ConnectionShares;
import io.dht4j.transport.common.OpenFiles;
import io.dht4j.transport.common.options.ConnectionLimits;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Counts the open connections of a listener, in total and by remote address, so that one caller cannot take every
 * place. When all places are taken, a connection over which no request was ever admitted gives way, the oldest first.
 * So no caller keeps a place by silence, and peers never lose theirs. Safe for use by any number of threads; does not
 * block.
 */
final class ConnectionPlaces {

    /** This share of all places may be open in addition, while connections that have given way close. */
    private static final int PART_LEAVING = 16;

    private static final int LEAST_LEAVING = 16;

    /** The least default bound for one address, however few places there are in all. */
    private static final int FEW = 100;

    private final int max;
    private final int maxLeaving;
    private final int maxPerAddress;

    // Guarded by this.
    private final Map<CallerNetwork, Integer> byCaller = new HashMap<>();
    /** The connections without an admitted request, the oldest first. */
    private final Set<Guest> strangers = new LinkedHashSet<>();

    /** The connections that were asked to close and are still open. */
    private final Set<Guest> leaving = new HashSet<>();

    private int open;

    /** A connection that has a place. */
    interface Guest {

        CallerNetwork network();

        /** Closes the connection soon, on its event loop. Called under the lock. */
        void giveWay();
    }

    ConnectionPlaces(int max, int maxPerAddress) {
        this.max = max;
        this.maxLeaving = Math.max(LEAST_LEAVING, max / PART_LEAVING);
        this.maxPerAddress = maxPerAddress;
    }

    /**
     * Returns the places of a listener. Connections are files: the limit leaves some to stores and to other listeners,
     * and warns an operator whose limit of files is far too low.
     *
     * @param where names the listener
     */
    static ConnectionPlaces of(
            String where, ConnectionLimits limits, OptionalLong openFiles, Consumer<String> warnings) {
        int possible = OpenFiles.connections(limits.max(), openFiles);
        if (possible < limits.max() / 2) {
            warnings.accept(OpenFiles.warning(where, limits.max(), possible, openFiles));
        }
        int perAddress = limits.perAddress().orElse(Math.max(FEW, possible / 2));
        return new ConnectionPlaces(possible, Math.min(possible, perAddress));
    }

    /** Counts an accepted connection. Returns false if there is no place for it; else it must leave. */
    synchronized boolean enter(Guest guest) {
        int ofAddress = byCaller.getOrDefault(guest.network(), 0);
        // One address may have all places, and so also those of others that give way.
        if (ofAddress >= maxPerAddress && !ConnectionShares.oneAddressMayHaveAll(max, maxPerAddress)) {
            return false;
        }
        boolean isFull = open - leaving.size() >= ConnectionShares.placesFor(max, maxPerAddress, ofAddress);
        if (isFull && !strangerGivesWay()) {
            return false;
        }
        strangers.add(guest);
        byCaller.put(guest.network(), ofAddress + 1);
        open++;
        return true;
    }

    private boolean strangerGivesWay() {
        Iterator<Guest> oldest = strangers.iterator();
        if (!oldest.hasNext()) {
            return false;
        }
        Guest stranger = oldest.next();
        leaving.add(stranger);
        oldest.remove();
        stranger.giveWay();
        return true;
    }

    /** A request was admitted over a connection, which keeps its place from now on unless it has given way. */
    synchronized void keep(Guest guest) {
        strangers.remove(guest);
    }

    /** A connection has closed, whether it was asked to or not. */
    synchronized void leave(Guest guest) {
        strangers.remove(guest);
        leaving.remove(guest);
        byCaller.computeIfPresent(guest.network(), (caller, count) -> count == 1 ? null : Integer.valueOf(count - 1));
        open--;
    }

    /** Returns whether the next connection should wait to be accepted: so many are about to close. */
    synchronized boolean isCrowded() {
        return leaving.size() >= maxLeaving;
    }

    /** Returns the number of open connections. */
    synchronized int open() {
        return open;
    }
}
