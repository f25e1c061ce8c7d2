package io.dht4j.transport.grpc.api.internal.server;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.transport.grpc.api.internal.common.ApiErrors;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthGrpc;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Bounds gRPC's own services, health and reflection. Any client may call them without a token. They therefore have a
 * budget separate from that of the API's calls: few streams, small messages, and little time for those that do not
 * watch. Safe for use by any number of threads.
 */
final class AuxiliaryServices implements ServerInterceptor {

    /** The largest message: names of services and of symbols fit many times over. */
    static final int MAX_MESSAGE_BYTES = 4096;

    /** The bound on streams that do not watch. */
    static final int MAX_CALLS = 256;

    static final int MAX_CALLS_PER_CONNECTION = 32;

    private static final String WATCH = HealthGrpc.getWatchMethod().getFullMethodName();

    // Guarded by this. The oldest come first.
    private final Set<AuxiliaryStream> calls = new LinkedHashSet<>();
    private final Map<SocketAddress, Integer> callsOf = new HashMap<>();
    private final WatchStreams watches;

    /**
     * Creates the bounds for the calls of one API.
     *
     * @param maxConnections the number of its connections, each of which may watch
     */
    AuxiliaryServices(int maxConnections) {
        this.watches = new WatchStreams(maxConnections);
    }

    /** Creates a tracer for a stream of these services. */
    ServerStreamTracer newTracer() {
        return new AuxiliaryStream(this);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        AuxiliaryStream stream = AuxiliaryStream.KEY.get();
        SocketAddress connection = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        if (stream == null || connection == null) {
            throw new IllegalStateException("a call of health or reflection without a stream or a connection");
        }
        boolean watch = call.getMethodDescriptor().getFullMethodName().equals(WATCH);
        Optional<String> refusal = watch ? enterWatching(stream, connection) : enter(stream, connection);
        if (refusal.isPresent()) {
            StatusRuntimeException encoded = ApiErrors.encode(DhtException.of(ErrorCode.OVERLOADED, refusal.get()));
            call.close(encoded.getStatus(), trailers(encoded));
            return new ServerCall.Listener<>() {};
        }
        return stream.listening(next.startCall(stream.begin(call), headers));
    }

    /** Returns the trailers of an error, which name its code as those of the API's own calls do. */
    static Metadata trailers(StatusRuntimeException encoded) {
        Metadata trailers = encoded.getTrailers();
        return trailers == null ? new Metadata() : trailers;
    }

    /** Gives a stream a place, or returns why it gets none. */
    private Optional<String> enter(AuxiliaryStream stream, SocketAddress connection) {
        Optional<AuxiliaryStream> oldest = Optional.empty();
        synchronized (this) {
            if (callsOf.getOrDefault(connection, 0) >= MAX_CALLS_PER_CONNECTION) {
                return Optional.of("a connection may have " + MAX_CALLS_PER_CONNECTION
                        + " calls of health or reflection at a time");
            }
            if (calls.size() >= MAX_CALLS) {
                // A probe is answered at once: a call that is still there hangs, and must not keep others from probing.
                oldest = calls.stream().findFirst();
                oldest.ifPresent(leaving -> remove(leaving, leaving.leave()));
            }
            if (stream.enter(connection, false)) {
                calls.add(stream);
                callsOf.merge(connection, 1, Integer::sum);
            }
        }
        oldest.ifPresent(AuxiliaryServices::makeRoom);
        return Optional.empty();
    }

    private Optional<String> enterWatching(AuxiliaryStream stream, SocketAddress connection) {
        Optional<AuxiliaryStream> leaving;
        synchronized (this) {
            if (watches.countOf(connection) >= WatchStreams.MAX_PER_CONNECTION) {
                return Optional.of(
                        "a connection may have " + WatchStreams.MAX_PER_CONNECTION + " streams that watch at a time");
            }
            leaving = watches.leavingFor(connection);
            if (watches.isFull() && leaving.isEmpty()) {
                return Optional.of("as many streams watch as this node takes, " + watches.max());
            }
            leaving.ifPresent(busiest -> remove(busiest, busiest.leave()));
            if (stream.enter(connection, true)) {
                watches.add(connection, stream);
            }
        }
        leaving.ifPresent(AuxiliaryServices::makeRoom);
        return Optional.empty();
    }

    /** Ends a stream outside the lock, because its listeners are unknown here. */
    private static void makeRoom(AuxiliaryStream leaving) {
        leaving.cut(ErrorCode.OVERLOADED, "other calls needed the place of this one");
    }

    /** Handles the end of a stream. */
    synchronized void left(AuxiliaryStream stream) {
        remove(stream, stream.leave());
    }

    private void remove(AuxiliaryStream stream, Optional<SocketAddress> connection) {
        // Empty if it has no place.
        if (connection.isPresent() && !watches.remove(connection.get(), stream)) {
            calls.remove(stream);
            callsOf.computeIfPresent(connection.get(), (key, count) -> count == 1 ? null : Integer.valueOf(count - 1));
        }
    }

    /** Ends streams without received bytes for too long, except watches with a complete request. */
    void checkTimeouts(Duration timeout) {
        long now = System.nanoTime();
        List<AuxiliaryStream> idle = new ArrayList<>();
        synchronized (this) {
            Stream.concat(calls.stream(), watches.streams().stream())
                    .filter(stream -> stream.isIdle(now, timeout.toNanos()))
                    .forEach(idle::add);
        }
        // Outside the lock, because the listeners are unknown here.
        idle.forEach(stream -> stream.cut(ErrorCode.DEADLINE_PASSED, "nothing came within " + timeout));
    }

    /** Returns, for tests, the number of streams that have a place. */
    synchronized int streams() {
        return calls.size() + watches.count();
    }
}
