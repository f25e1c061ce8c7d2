package io.dht4j.transport.grpc.api.internal.server;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.transport.grpc.api.internal.common.ApiErrors;
import io.grpc.Context;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.net.SocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Observes a stream of gRPC's own services on its connection. It ends the stream when a message grows too large, while
 * it still arrives, and records when the last bytes arrived. Called on the connection's event loop, and by
 * {@link AuxiliaryServices}, which guards the stream's place.
 */
final class AuxiliaryStream extends ServerStreamTracer {

    /** The key that finds the stream of a call. */
    static final Context.Key<AuxiliaryStream> KEY = Context.key("dht4j-api-auxiliary-stream");

    private final AuxiliaryServices services;
    private volatile @Nullable Cuttable<?, ?> call;
    private volatile boolean cut;
    private volatile long movedAt = System.nanoTime();
    /** Whether the stream may be silent: a watch whose request has come. */
    private volatile boolean mayRest;

    // For the event loop.
    private long messageBytes;
    private boolean tooLarge;

    // Guarded by the services.
    private @Nullable SocketAddress connection;
    private boolean watch;
    private boolean ended;

    AuxiliaryStream(AuxiliaryServices services) {
        this.services = services;
    }

    /**
     * A call that can be ended from outside its service, which may then still use it.
     *
     * @param <Q> the requests
     * @param <A> the answers
     */
    private static final class Cuttable<Q, A> extends SimpleForwardingServerCall<Q, A> {

        // Guarded by this.
        private boolean over;

        Cuttable(ServerCall<Q, A> call) {
            super(call);
        }

        @Override
        public synchronized void sendHeaders(Metadata headers) {
            if (!over) {
                super.sendHeaders(headers);
            }
        }

        @Override
        public synchronized void sendMessage(A message) {
            if (!over) {
                super.sendMessage(message);
            }
        }

        @Override
        public synchronized void close(Status status, Metadata trailers) {
            if (!over) {
                over = true;
                super.close(status, trailers);
            }
        }
    }

    @Override
    public Context filterContext(Context parent) {
        return parent.withValue(KEY, this);
    }

    /** Returns the call for its service to work with. */
    <Q, A> ServerCall<Q, A> begin(ServerCall<Q, A> begun) {
        Cuttable<Q, A> cuttable = new Cuttable<>(begun);
        call = cuttable;
        return cuttable;
    }

    /**
     * Reports a call that was ended here to its service as cancelled: only then does the service forget the watcher.
     */
    <Q> ServerCall.Listener<Q> listening(ServerCall.Listener<Q> service) {
        return new SimpleForwardingServerCallListener<>(service) {
            @Override
            public void onComplete() {
                if (cut) {
                    super.onCancel();
                } else {
                    super.onComplete();
                }
            }
        };
    }

    @Override
    public void inboundMessage(int number) {
        messageBytes = 0;
        movedAt = System.nanoTime();
    }

    @Override
    public void inboundWireSize(long bytes) {
        messageBytes += bytes;
        if (messageBytes > AuxiliaryServices.MAX_MESSAGE_BYTES && !tooLarge) {
            tooLarge = true;
            cut(
                    ErrorCode.FRAME_TOO_LARGE,
                    "a message of health or reflection has at most " + AuxiliaryServices.MAX_MESSAGE_BYTES + " bytes");
        }
    }

    @Override
    public void inboundMessageRead(int number, long wireBytes, long bytes) {
        mayRest = true;
    }

    @Override
    public void streamClosed(Status status) {
        services.left(this);
    }

    /** Takes a place. Returns false if the stream has ended before. */
    boolean enter(SocketAddress of, boolean watches) {
        if (ended) {
            return false;
        }
        connection = of;
        watch = watches;
        return true;
    }

    /** Gives the place back. Returns the connection that it was counted for, if the stream had a place. */
    Optional<SocketAddress> leave() {
        Optional<SocketAddress> of = Optional.ofNullable(connection);
        connection = null;
        ended = true;
        return of;
    }

    boolean isIdle(long now, long nanos) {
        return now - movedAt > nanos && !(watch && mayRest);
    }

    /** Ends the call in any state. */
    void cut(ErrorCode code, String reason) {
        Cuttable<?, ?> running = call;
        if (running != null) {
            StatusRuntimeException encoded = ApiErrors.encode(DhtException.of(code, reason));
            cut = true;
            running.close(encoded.getStatus(), AuxiliaryServices.trailers(encoded));
        }
    }
}
