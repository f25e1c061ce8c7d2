package io.dht4j.transport.grpc;

import io.dht4j.transport.grpc.internal.GrpcConnections;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import java.util.function.IntConsumer;

/**
 * Counts the bytes of a call as they arrive. gRPC collects a message before it hands it on, so what a caller sends past
 * what it has declared is known here first. Belongs to the connection's event loop.
 */
final class InboundByteMeter extends ServerStreamTracer {

    private static final Context.Key<InboundByteMeter> KEY = Context.key("io.dht4j.transport.grpc.arrivals");
    private static final ServerStreamTracer UNCOUNTED = new ServerStreamTracer() {
        @Override
        public void serverCallStarted(ServerCallInfo<?, ?> info) {
            callBegins(info);
        }
    };

    private long allowed;
    private IntConsumer excess = bytes -> {};

    private InboundByteMeter() {}

    /** Counts for unary calls; streams count what they read. */
    static ServerStreamTracer.Factory factory() {
        return new ServerStreamTracer.Factory() {
            @Override
            public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
                return method.equals(GrpcTransportMethods.UNARY_NAME) ? new InboundByteMeter() : UNCOUNTED;
            }
        };
    }

    /** Those of the call that begins. */
    static InboundByteMeter current() {
        InboundByteMeter arrivals = KEY.get();
        if (arrivals == null) {
            throw new IllegalStateException("nobody counts what arrives: the server lacks the factory");
        }
        return arrivals;
    }

    /**
     * Sets how long the only message may be. To be called before any message is requested: nothing is collected until
     * then.
     *
     * @param consumer takes the bytes over that, whenever there are more of them
     */
    void expect(int length, IntConsumer consumer) {
        allowed = length;
        excess = consumer;
    }

    @Override
    public void serverCallStarted(ServerCallInfo<?, ?> info) {
        callBegins(info);
    }

    /** Whoever may call keeps the connection's place by it. */
    private static void callBegins(ServerCallInfo<?, ?> info) {
        if (!GrpcTransportTls.isRefused(info.getAttributes())) {
            GrpcConnections.callBegins(info.getAttributes());
        }
    }

    @Override
    public Context filterContext(Context context) {
        return context.withValue(KEY, this);
    }

    /** Of what messages hold: gRPC does not count their heads. */
    @Override
    public void inboundWireSize(long bytes) {
        long over = bytes - Math.max(0, allowed);
        allowed -= bytes;
        if (over > 0) {
            excess.accept((int) over);
        }
    }
}
