package io.dht4j.transport.grpc.internal.server;

import io.dht4j.transport.grpc.internal.connections.Connections;
import io.dht4j.transport.grpc.internal.tls.PeerTls;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import org.jspecify.annotations.Nullable;

/**
 * Counts the bytes of a call as they arrive. gRPC collects a message before it passes it on, so this meter is the first
 * to see bytes beyond the declared length. Belongs to the connection's event loop.
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
    private @Nullable Receiver receiver;

    /** The call whose bytes are counted. */
    interface Receiver {

        /** Some bytes of the message have come. */
        void arrived();

        /** Reports the number of received bytes beyond the declared length. */
        void exceeded(int bytes);
    }

    private InboundByteMeter() {}

    /** Returns a factory of meters for unary calls; streams count the bytes that they read. */
    static ServerStreamTracer.Factory factory() {
        return new ServerStreamTracer.Factory() {
            @Override
            public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
                return method.equals(PeerMethods.UNARY_NAME) ? new InboundByteMeter() : UNCOUNTED;
            }
        };
    }

    /** Returns the meter of the call that begins. */
    static InboundByteMeter current() {
        InboundByteMeter arrivals = KEY.get();
        if (arrivals == null) {
            throw new IllegalStateException("the server lacks the factory that counts arriving bytes");
        }
        return arrivals;
    }

    /**
     * Sets the length of the only message. Must be called before any message is requested: no bytes are collected until
     * then.
     */
    void expect(int length, Receiver call) {
        allowed = length;
        receiver = call;
    }

    @Override
    public void serverCallStarted(ServerCallInfo<?, ?> info) {
        callBegins(info);
    }

    /** Marks the connection of an authorised caller as used, so that it keeps its place. */
    private static void callBegins(ServerCallInfo<?, ?> info) {
        if (PeerTls.refusal(info.getAttributes()) == null) {
            Connections.callBegins(info.getAttributes());
        }
    }

    @Override
    public Context filterContext(Context context) {
        return context.withValue(KEY, this);
    }

    /** Counts the contents of messages: gRPC does not count their heads here. */
    @Override
    public void inboundWireSize(long bytes) {
        long over = bytes - Math.max(0, allowed);
        allowed -= bytes;
        Receiver call = receiver;
        if (call == null) {
            return;
        }
        call.arrived();
        if (over > 0) {
            call.exceeded((int) over);
        }
    }
}
