package io.dht4j.transport.http.internal.netty;

import io.dht4j.transport.common.CallerNetwork;
import io.dht4j.transport.http.internal.netty.AcceptedConnection.Standing;
import java.util.Comparator;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the public connection that gives way to a new one when all places are taken: the longest idle one of the
 * source with the most connections among those with an idle one. That source has more connections than the new one's
 * source, or is the same: so the numbers of sources converge, and sources do not take places from one another
 * repeatedly.
 *
 * <p>A search through all connections for each new one would be too expensive, so each search chooses several. They
 * stay chosen for the sources that may take them; a source that may take none does not affect others. Unless one was
 * taken since the last search, the next search waits for {@value #PAUSE_MILLIS} ms; each source searches its own
 * connections as rarely. Guarded by the lock of {@link AcceptedConnections}.
 */
final class IdleConnections {

    /** How many are chosen of a source at a time. */
    private static final int CHOSEN = 64;

    private static final int PAUSE_MILLIS = 10;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);

    private final Map<CallerNetwork, ConnectionSource> sources;

    /** The one that had most places, with an idle one among them, when that was last looked at. */
    private ConnectionSource largest = new ConnectionSource();

    private long notBefore = System.nanoTime();

    /**
     * Chooses among connections.
     *
     * @param sources where they come from
     */
    IdleConnections(Map<CallerNetwork, ConnectionSource> sources) {
        this.sources = sources;
    }

    /**
     * A connection that was idle when it was chosen.
     *
     * @param idleSince the begin of the idle time, by {@link System#nanoTime()}
     */
    record Candidate(AcceptedConnection connection, long idleSince) {

        /** Returns whether it gives way, since it is still idle. Then it no longer has a place. */
        boolean givesWay(long now) {
            if (connection.standing() != Standing.PUBLIC) {
                return false;
            }
            // Before the look: a request that begins after it finds that its connection has no place.
            connection.standing(Standing.GONE);
            OptionalLong since = connection.idleSince(now);
            if (since.isPresent() && since.getAsLong() == idleSince) {
                return true;
            }
            connection.standing(Standing.PUBLIC);
            return false;
        }
    }

    private static boolean isAllowed(ConnectionSource from, ConnectionSource to) {
        return from == to || from.publicOnes().size() > to.publicOnes().size();
    }

    /**
     * Takes the place of a connection that is idle.
     *
     * @param source the source of the new connection
     * @param now by {@link System#nanoTime()}
     * @return the connection to close, which is still counted; null if none is idle
     */
    @Nullable
    AcceptedConnection takeFor(ConnectionSource source, long now) {
        AcceptedConnection taken = takeOfLargest(source, now);
        if (taken == null && now - notBefore >= 0) {
            findLargest(now);
            taken = takeOfLargest(source, now);
        }
        if (taken == null) {
            return takeOwn(source, now);
        }
        notBefore = now;
        return taken;
    }

    private @Nullable AcceptedConnection takeOfLargest(ConnectionSource source, long now) {
        return isAllowed(largest, source) ? takeChosen(largest, now) : null;
    }

    private void findLargest(long now) {
        notBefore = now + PAUSE_NANOS;
        sources.values().stream()
                .sorted(Comparator.comparingInt(
                                (ConnectionSource source) -> source.publicOnes().size())
                        .reversed())
                .filter(source -> choose(source, now))
                .findFirst()
                .ifPresent(found -> largest = found);
    }

    private @Nullable AcceptedConnection takeOwn(ConnectionSource source, long now) {
        AcceptedConnection taken = takeChosen(source, now);
        if (taken == null && now - source.notBefore() >= 0) {
            choose(source, now);
            taken = takeChosen(source, now);
            source.notBefore(taken == null ? now + PAUSE_NANOS : now);
        }
        return taken;
    }

    private static @Nullable AcceptedConnection takeChosen(ConnectionSource from, long now) {
        for (Candidate next = from.chosen().poll();
                next != null;
                next = from.chosen().poll()) {
            if (next.givesWay(now)) {
                return next.connection();
            }
        }
        return null;
    }

    /** Chooses again among the connections of a source. Returns whether one is idle. */
    private static boolean choose(ConnectionSource source, long now) {
        source.chosen().clear();
        source.publicOnes().stream()
                .flatMap(connection -> {
                    OptionalLong since = connection.idleSince(now);
                    return since.isPresent() ? Stream.of(new Candidate(connection, since.getAsLong())) : Stream.empty();
                })
                .sorted(Comparator.comparingLong((Candidate candidate) -> now - candidate.idleSince())
                        .reversed())
                .limit(CHOSEN)
                .forEach(source.chosen()::add);
        return !source.chosen().isEmpty();
    }
}
