package io.dht4j.core.internal.observation;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.SlowCall;
import io.dht4j.core.internal.recording.FlightRecording;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Views;
import io.dht4j.spi.Environment;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.Observer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the last slow calls, and logs a limited number of them each second. Blocks only for some steps of bookkeeping;
 * safe for use by any number of threads.
 */
public final class SlowCallLog {

    private static final Logger LOG = LoggerFactory.getLogger(SlowCallLog.class);

    private static final int MOST_CALLS = 128;
    private static final int LINES = 5;
    private static final long NOT_LOGGED = -1;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The first calls of a node load classes and connect to others: they need no action. */
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final NodeId self;
    private final long leastNanos;
    private final HashFunction hash;
    private final Views views;
    private final Environment environment;
    private final long createdNanos;

    // Guarded by this.
    private final Deque<SlowCall> last = new ArrayDeque<>();
    private long windowNanos;
    private int linesInWindow;
    private long unlogged;

    /**
     * Creates a log without calls.
     *
     * @param self the node that is called
     * @param least the minimum duration of a slow call
     * @param hash the hash function of keys
     * @param views the replicas of keys
     * @param environment clocks
     */
    public SlowCallLog(NodeId self, Duration least, HashFunction hash, Views views, Environment environment) {
        this.self = self;
        this.leastNanos = least.toNanos();
        this.hash = hash;
        this.views = views;
        this.environment = environment;
        this.createdNanos = environment.nanoTime();
        this.windowNanos = createdNanos - WINDOW_NANOS;
    }

    /** Keeps and logs a call if it took long. An error in this ends here. */
    void ended(ObservedCall call, Observer.Outcome outcome, long now, long nanos) {
        if (nanos < leastNanos) {
            return;
        }
        try {
            SlowCall slow = slowCall(call, outcome, now, nanos);
            FlightRecording.slowCall(self, slow, requests(slow));
            long others = add(slow, now);
            if (others != NOT_LOGGED) {
                LOG.warn(
                        "slow call at {}: {}{}",
                        self,
                        text(slow),
                        others == 0 ? "" : "; " + others + " more were not logged");
            }
        } catch (RuntimeException | Error e) {
            LOG.warn("a slow call cannot be logged", e);
        }
    }

    /** Keeps a call; returns how many were not logged since the last line, or {@link #NOT_LOGGED} for this one. */
    private synchronized long add(SlowCall slow, long now) {
        if (last.size() == MOST_CALLS) {
            last.removeFirst();
        }
        last.addLast(slow);
        if (now - createdNanos < START_NANOS) {
            return NOT_LOGGED;
        }
        if (now - windowNanos >= WINDOW_NANOS) {
            windowNanos = now;
            linesInWindow = 0;
        }
        if (linesInWindow == LINES) {
            unlogged++;
            return NOT_LOGGED;
        }
        linesInWindow++;
        long others = unlogged;
        unlogged = 0;
        return others;
    }

    /** Returns the calls that are kept, the last one first. */
    synchronized List<SlowCall> last() {
        List<SlowCall> all = new ArrayList<>(last.size());
        last.descendingIterator().forEachRemaining(all::add);
        return all;
    }

    private SlowCall slowCall(ObservedCall call, Observer.Outcome outcome, long now, long nanos) {
        Key key = call.key;
        return new SlowCall(
                Instant.ofEpochMilli(environment.currentTimeMillis()),
                call.call.name(),
                outcome.name(),
                Duration.ofNanos(nanos),
                key == null ? OptionalLong.empty() : OptionalLong.of(hash.hash(key.unsafeBytes())),
                call.keys,
                key == null ? List.of() : replicas(key),
                call.requests().stream()
                        .map(request -> request(request, call.begunNanos, now))
                        .toList());
    }

    private List<NodeId> replicas(Key key) {
        ClusterView view = views.current();
        int partition = view.partitionOf(key);
        return view.slots(partition, view.width(partition)).stream()
                .flatMap(slot -> slot.readerFirst().stream())
                .map(Node::id)
                .toList();
    }

    private static SlowCall.Request request(ObservedRequest request, long begun, long now) {
        Observer.Outcome outcome = request.outcome();
        long end = outcome == null ? now : request.endedNanos();
        return new SlowCall.Request(
                request.node,
                request.request.name(),
                outcome == null ? "PENDING" : outcome.name(),
                Duration.ofNanos(Math.max(0, request.begunNanos - begun)),
                Duration.ofNanos(Math.max(0, end - request.begunNanos)));
    }

    private static String requests(SlowCall slow) {
        return slow.requests().stream()
                .map(request -> request.node() + " " + request.kind() + " " + request.outcome() + " after "
                        + request.after().toMillis() + " ms for "
                        + request.took().toMillis() + " ms")
                .collect(Collectors.joining("; "));
    }

    /** Returns a line for people. */
    static String text(SlowCall slow) {
        String key = slow.keyHash().isPresent()
                ? " of key " + String.format("%016x", slow.keyHash().getAsLong()) + " on "
                        + slow.replicas().stream().map(NodeId::value).collect(Collectors.joining(", "))
                : slow.keys() > 0 ? " of " + slow.keys() + " keys" : "";
        String requests = requests(slow);
        return slow.kind() + key + " took " + slow.took().toMillis() + " ms, " + slow.outcome()
                + (requests.isEmpty() ? "" : ": " + requests);
    }
}
