package io.dht4j.transport.grpc;

import io.dht4j.spi.Frame;
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

/** A call as a gRPC call of its own. The end that gRPC tells of is the only one, for only then it sends no more. */
abstract class GrpcTransportUnaryCall extends ClientCall.Listener<byte[]> {

    private final GrpcTransportCall call;
    private final MethodDescriptor<Frame, byte[]> method;
    private final long startedAt = System.nanoTime();
    private byte @Nullable [] reply;

    GrpcTransportUnaryCall(GrpcTransportCall call, MethodDescriptor<Frame, byte[]> method) {
        this.call = call;
        this.method = method;
    }

    /**
     * The channel has no connection, or one over which the peer lets nobody call.
     *
     * @param again whether the call may be sent over another
     * @return true if it is
     */
    abstract boolean unusable(boolean again);

    /** Something has come from the peer. */
    abstract void heard();

    /**
     * The deadline has passed since a moment, by {@link System#nanoTime()}, when the call was begun over a connection.
     */
    abstract void silentSince(long moment);

    /** Begins apart from whatever call of gRPC the caller is in, whose end must not cancel this one. */
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
        headers.put(GrpcTransportMethods.LENGTH, Integer.toString(frame.length()));
        try {
            grpc.start(this, headers);
            grpc.request(2);
            grpc.sendMessage(frame);
            grpc.halfClose();
        } catch (RuntimeException e) {
            grpc.cancel("the request could not be sent", e);
            // A channel that goes idle between two looks of newCall at it gives a call that throws, and never tells of
            // its end.
            call.abandon("the call could not begin: " + e.getMessage());
            return;
        }
        call.context().onCancel(() -> {
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
        boolean notSent = GrpcTransportMethods.isNotSent(trailers);
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
        if (notSent) {
            call.refused("refused: " + GrpcTransportMethods.reason(status));
        } else if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
            call.expire();
        } else {
            call.unconnected(status.isOk() ? "answered without a reply" : GrpcTransportMethods.reason(status), status);
        }
    }

    /** Learns that the call has been given to a connection: before that, no byte of it can leave. */
    private static final class Sending extends ClientStreamTracer.Factory {

        private final GrpcTransportCall call;

        Sending(GrpcTransportCall call) {
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
