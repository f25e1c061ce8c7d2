package io.dht4j.transport.grpc.internal.client;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A call as a gRPC call of its own. It ends only when gRPC reports the end, because only then does gRPC stop sending.
 */
abstract class UnaryCall extends ClientCall.Listener<byte[]> {

    private final PeerCall call;
    private final CallContext context;
    private final MethodDescriptor<Frame, byte[]> method;
    private final long startedAt = System.nanoTime();
    private byte @Nullable [] reply;

    UnaryCall(PeerCall call, CallContext context, MethodDescriptor<Frame, byte[]> method) {
        this.call = call;
        this.context = context;
        this.method = method;
    }

    /**
     * Handles a channel that has no connection, or one on which the peer refuses this caller.
     *
     * @param again whether the call may be sent over another channel
     * @return true if it is
     */
    abstract boolean unusable(boolean again);

    /** Records that bytes of the peer have arrived. */
    abstract void heard();

    /**
     * Handles a deadline that has passed since {@code moment}, by {@link System#nanoTime()}, when the call was begun
     * over a connection.
     */
    abstract void silentSince(long moment);

    /** Begins outside the caller's own gRPC context, whose end must not cancel this call. */
    void start(ManagedChannel channel) {
        Context.ROOT.run(() -> begin(channel));
    }

    private void begin(ManagedChannel channel) {
        Frame frame = call.request();
        long remaining = Math.max(1, call.deadline() - System.nanoTime());
        ClientCall<Frame, byte[]> grpc = channel.newCall(
                method,
                CallOptions.DEFAULT
                        .withDeadlineAfter(remaining, TimeUnit.NANOSECONDS)
                        .withStreamTracerFactory(new Sending(call)));
        Metadata headers = new Metadata();
        headers.put(PeerMethods.LENGTH, Integer.toString(frame.length()));
        try {
            grpc.start(this, headers);
            grpc.request(2);
            grpc.sendMessage(frame);
            grpc.halfClose();
        } catch (RuntimeException e) {
            grpc.cancel("the request could not be sent", e);
            // A channel that goes idle between two looks of newCall at it returns a call that throws, and never reports
            // its end.
            call.abandon("the call could not begin: " + e.getMessage());
            return;
        }
        context.onCancel(() -> {
            if (!call.hasEnded()) {
                grpc.cancel("cancelled", null);
            }
        });
    }

    @Override
    public void onHeaders(Metadata headers) {
        heard();
    }

    @Override
    public void onMessage(byte[] message) {
        reply = message;
        heard();
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        if (status.isOk() && reply != null) {
            call.reply(reply);
            return;
        }
        boolean notSent = PeerMethods.isNotSent(trailers);
        if (notSent) {
            heard();
        } else if (status.getCode() == Status.Code.DEADLINE_EXCEEDED && call.isSent()) {
            silentSince(startedAt);
        }
        if (notSent && status.getCode() == Status.Code.PERMISSION_DENIED) {
            unusable(false);
        } else if (status.getCode() == Status.Code.UNAVAILABLE && !call.isSent() && unusable(true)) {
            return;
        }
        if (notSent && status.getCode() == PeerMethods.NO_ROOM) {
            call.noRoom("refused: " + PeerMethods.reason(status));
        } else if (notSent) {
            call.refused("refused: " + PeerMethods.reason(status));
        } else if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
            call.expire();
        } else {
            call.unconnected(
                    status.isOk() ? "answered without a reply" : PeerMethods.reason(status), status.getCause());
        }
    }

    /** Observes the assignment of the call to a connection: before that, no byte of it can be sent. */
    private static final class Sending extends ClientStreamTracer.Factory {

        private final PeerCall call;

        Sending(PeerCall call) {
            this.call = call;
        }

        @Override
        public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
            return new ClientStreamTracer() {
                @Override
                public void streamCreated(Attributes transport, Metadata sent) {
                    call.send();
                }
            };
        }
    }
}
