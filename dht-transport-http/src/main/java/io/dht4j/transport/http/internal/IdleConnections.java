package io.dht4j.transport.http.internal;

import io.dht4j.transport.http.internal.AcceptedConnection.Standing;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which public connection gives way to a new one when all places are taken: of the source that has most of them and has
 * an idle one, the one that has been idle longest. It is of a source that has more of them than the new one's, or of
 * the same: so sources come to have equally many, and do not take places from one another in turn.
 *
 * <p>To look through all connections for each new one would be too dear, so a number is chosen at a time, and after a
 * look that found none the next one waits for {@value #PAUSE_MILLIS} ms. Guarded by the lock of
 * {@link AcceptedConnections}.
 */
final class IdleConnections {

    /** How many are chosen at a time. */
    private static final int CHOSEN = 64;

    private static final int PAUSE_MILLIS = 10;

    private final Map<Object, ConnectionSource> sources;
    private final Queue<Candidate> chosen = new ArrayDeque<>();
    private long notBefore = System.nanoTime();

    /**
     * Chooses among connections.
     *
     * @param sources where they come from
     */
    IdleConnections(Map<Object, ConnectionSource> sources) {
        this.sources = sources;
    }

    private record Candidate(AcceptedConnection connection, ConnectionSource source, long idleSince) {

        /** Whether it gives way, being as idle as when it was chosen. It has no place any more then. */
        boolean givesWayTo(ConnectionSource other, long now) {
            if (!isAllowed(source, other) || connection.standing() != Standing.PUBLIC) {
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
     * @param source where the new connection comes from
     * @param now by {@link System#nanoTime()}
     * @return what is to be closed, and has not been taken out of the counts; null if none is idle
     */
    @Nullable
    AcceptedConnection takeFor(ConnectionSource source, long now) {
        AcceptedConnection known = takeChosen(source, now);
        if (known != null || now - notBefore < 0) {
            return known;
        }
        choose(source, now);
        AcceptedConnection found = takeChosen(source, now);
        if (found == null) {
            notBefore = now + TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);
        }
        return found;
    }

    private @Nullable AcceptedConnection takeChosen(ConnectionSource source, long now) {
        for (Candidate next = chosen.poll(); next != null; next = chosen.poll()) {
            if (next.givesWayTo(source, now)) {
                return next.connection();
            }
        }
        return null;
    }

    private void choose(ConnectionSource newcomers, long now) {
        sources.values().stream()
                .filter(source -> isAllowed(source, newcomers))
                .sorted(Comparator.comparingInt(
                                (ConnectionSource source) -> source.publicOnes().size())
                        .reversed())
                .map(source -> idleOf(source, now))
                .filter(idle -> !idle.isEmpty())
                .findFirst()
                .ifPresent(chosen::addAll);
    }

    private static List<Candidate> idleOf(ConnectionSource source, long now) {
        return source.publicOnes().stream()
                .flatMap(connection -> {
                    OptionalLong since = connection.idleSince(now);
                    return since.isPresent()
                            ? Stream.of(new Candidate(connection, source, since.getAsLong()))
                            : Stream.empty();
                })
                .sorted(Comparator.comparingLong((Candidate candidate) -> now - candidate.idleSince())
                        .reversed())
                .limit(CHOSEN)
                .toList();
    }
}
