package io.dht4j.transport.grpc.api.internal.server;

import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The streams of {@code Watch}, by connection. A client watches once on each of its connections, for as long as it
 * lives, so there are as many places as connections. When all are taken, the connection with the most watches gives a
 * place to a connection with fewer: the only watch of a connection never ends in this way. For use by one thread at a
 * time.
 */
final class WatchStreams {

    static final int MAX_PER_CONNECTION = 4;

    private final int max;
    /** The streams of each connection, the oldest first. */
    private final Map<SocketAddress, Deque<AuxiliaryStream>> byConnection = new HashMap<>();
    /** The connections by their number of streams, those that have had it for longest first. */
    private final List<Set<SocketAddress>> byCount = new ArrayList<>();

    private int count;

    /** Creates a number of places, at least the maximum number of connections. */
    WatchStreams(int max) {
        this.max = max;
        for (int i = 0; i <= MAX_PER_CONNECTION; i++) {
            byCount.add(new LinkedHashSet<>());
        }
    }

    int max() {
        return max;
    }

    int count() {
        return count;
    }

    int countOf(SocketAddress connection) {
        Deque<AuxiliaryStream> streams = byConnection.get(connection);
        return streams == null ? 0 : streams.size();
    }

    /**
     * Returns the stream that makes room for one more of a connection; empty if there is room, or no connection has
     * more.
     */
    Optional<AuxiliaryStream> leavingFor(SocketAddress connection) {
        for (int most = MAX_PER_CONNECTION; isFull() && most > countOf(connection); most--) {
            Optional<SocketAddress> busiest = byCount.get(most).stream().findFirst();
            if (busiest.isPresent()) {
                return byConnection.getOrDefault(busiest.get(), new ArrayDeque<>()).stream()
                        .findFirst();
            }
        }
        return Optional.empty();
    }

    boolean isFull() {
        return count >= max;
    }

    void add(SocketAddress connection, AuxiliaryStream stream) {
        Deque<AuxiliaryStream> streams = byConnection.computeIfAbsent(connection, none -> new ArrayDeque<>());
        byCount.get(streams.size()).remove(connection);
        streams.add(stream);
        byCount.get(streams.size()).add(connection);
        count++;
    }

    /** Removes a stream. Returns whether it was there. */
    boolean remove(SocketAddress connection, AuxiliaryStream stream) {
        @Nullable Deque<AuxiliaryStream> streams = byConnection.get(connection);
        int before = streams == null ? 0 : streams.size();
        if (streams == null || !streams.remove(stream)) {
            return false;
        }
        byCount.get(before).remove(connection);
        if (streams.isEmpty()) {
            byConnection.remove(connection);
        } else {
            byCount.get(streams.size()).add(connection);
        }
        count--;
        return true;
    }

    /** Returns all streams. */
    Collection<AuxiliaryStream> streams() {
        List<AuxiliaryStream> all = new ArrayList<>(count);
        byConnection.values().forEach(all::addAll);
        return all;
    }
}
