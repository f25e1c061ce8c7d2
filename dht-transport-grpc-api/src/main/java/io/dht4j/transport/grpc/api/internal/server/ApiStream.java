package io.dht4j.transport.grpc.api.internal.server;

import io.dht4j.transport.common.RateLimitedLog;
import io.dht4j.transport.grpc.api.internal.common.ApiProtocol;
import io.dht4j.transport.grpc.internal.connections.Connections;
import io.dht4j.transport.grpc.internal.connections.Connections.Connection;
import io.dht4j.v1.KeyValueGrpc;
import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Observes a call on its connection: counts its bytes as they arrive, records which side has to act, and when the last
 * byte has been sent. Called on the connection's event loop and by the answering threads.
 */
final class ApiStream extends ServerStreamTracer {

    /** The key that finds the stream of a call. */
    static final Context.Key<ApiStream> KEY = Context.key("dht4j-api-stream");

    private static final long NOT_WAITING = Long.MIN_VALUE;

    private enum Place {
        NONE,
        UNCOUNTED,
        COUNTED
    }

    private final CallAdmission admission;
    private final Connections connections;
    private final AtomicBoolean tooMuch = new AtomicBoolean();
    private volatile @Nullable ApiCall<?> call;
    private volatile Context.@Nullable CancellableContext context;
    private volatile long receivingSince = NOT_WAITING;
    private volatile long takingSince = NOT_WAITING;

    // Guarded by this.
    private Place place = Place.NONE;
    private long reserved;
    private boolean ended;
    private Optional<Connection> connection = Optional.empty();

    private ApiStream(CallAdmission admission, Connections connections) {
        this.admission = admission;
        this.connections = connections;
    }

    /** Returns a factory of tracers for each call: of this service, or of those that have a budget of their own. */
    static ServerStreamTracer.Factory factory(
            CallAdmission admission, AuxiliaryServices auxiliary, Connections connections) {
        return new ServerStreamTracer.Factory() {
            @Override
            public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
                return KeyValueGrpc.SERVICE_NAME.equals(MethodDescriptor.extractFullServiceName(method))
                        ? new ApiStream(admission, connections)
                        : auxiliary.newTracer();
            }
        };
    }

    /**
     * Puts a context of this stream's own between the call and the root: its cancellation is the only way to reset the
     * stream.
     */
    @Override
    public Context filterContext(Context parent) {
        Context.CancellableContext own = parent.withCancellation();
        context = own;
        return own.withValue(KEY, this);
    }

    @Override
    public void serverCallStarted(ServerCallInfo<?, ?> info) {
        SocketAddress remote = info.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        synchronized (this) {
            if (!ended && remote != null) {
                connection = connections.find(remote);
                connection.ifPresent(Connection::begin);
            }
        }
    }

    /** Notes that the call is allowed. */
    synchronized void letIn() {
        connection.ifPresent(Connection::letIn);
    }

    /** Notes that the call is refused. On the connection's event loop. */
    synchronized void refused() {
        connection.ifPresent(Connection::refused);
    }

    @Override
    public void inboundWireSize(long bytes) {
        if (!reserve(bytes) && tooMuch.compareAndSet(false, true)) {
            ApiCall<?> refused = call;
            if (refused != null) {
                refused.fail(admission.outOfBytes());
            }
        }
    }

    @Override
    public void streamClosed(Status status) {
        Place left;
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            left = place;
            admission.release(reserved);
            reserved = 0;
            connection.ifPresent(Connection::end);
        }
        switch (left) {
            case NONE -> {}
            case UNCOUNTED -> admission.leaveUncounted(this);
            case COUNTED -> admission.leave(this);
        }
    }

    /**
     * Begins a call on this stream.
     *
     * @throws io.dht4j.DhtException if there is no room for it
     */
    synchronized void enter(ApiCall<?> begun, boolean counted) {
        if (ended) {
            return;
        }
        if (counted) {
            admission.enter(this);
        } else {
            admission.enterUncounted(this);
        }
        place = counted ? Place.COUNTED : Place.UNCOUNTED;
        call = begun;
        receivingSince = System.nanoTime();
    }

    /** Returns the log for failures that any number of calls may meet. */
    RateLimitedLog failures() {
        return admission.failures();
    }

    /** Returns the metadata of an answer, which say whether this node is about to stop. */
    Metadata metadata() {
        Metadata metadata = new Metadata();
        if (admission.isStopping()) {
            metadata.put(ApiProtocol.STOPPING, "true");
        }
        return metadata;
    }

    /** Takes bytes from the budget until {@link #release} or the stream's end. */
    synchronized boolean reserve(long bytes) {
        if (ended) {
            return true;
        }
        boolean room = admission.reserve(bytes);
        reserved += room ? bytes : 0;
        return room;
    }

    synchronized void release(long bytes) {
        if (!ended) {
            reserved -= bytes;
            admission.release(bytes);
        }
    }

    /** Notes that the request has come. */
    void received() {
        receivingSince = NOT_WAITING;
    }

    /** Notes that data waits for the client to take it. */
    void waitsForClient() {
        receivingSince = NOT_WAITING;
        if (takingSince == NOT_WAITING) {
            takingSince = System.nanoTime();
        }
    }

    /** Notes that the client has taken the data that waited for it. */
    void clientTook() {
        takingSince = NOT_WAITING;
    }

    /** Ends a call whose client is too slow. */
    void checkTimeouts(Duration bodyTimeout, Duration writeTimeout) {
        long now = System.nanoTime();
        long receiving = receivingSince;
        long taking = takingSince;
        ApiCall<?> checked = call;
        if (checked == null) {
            return;
        }
        if (taking != NOT_WAITING && now - taking > writeTimeout.toNanos()) {
            cut("the client did not take the answer within " + writeTimeout);
        } else if (receiving != NOT_WAITING && now - receiving > bodyTimeout.toNanos()) {
            checked.failSlowRequest(bodyTimeout);
        }
    }

    /** Ends a call whose token no longer allows it, if it can be ended. */
    void checkToken() {
        ApiCall<?> checked = call;
        if (checked != null) {
            checked.checkToken();
        }
    }

    /** Ends a call with an unknown outcome, because the API closes. */
    void interrupt() {
        ApiCall<?> interrupted = call;
        if (interrupted != null) {
            interrupted.failInterrupted();
        }
    }

    /** Resets the stream, including the data that is still to be sent. */
    void cut(String reason) {
        Context.CancellableContext own = context;
        if (own != null) {
            own.cancel(Status.DEADLINE_EXCEEDED.withDescription(reason).asException());
        }
    }
}
