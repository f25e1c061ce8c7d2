package io.dht4j.transport.grpc.internal.client;

import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Checks over a channel whether the peer is alive. gRPC does not expose its pings and sends at most one in ten seconds.
 * The probe therefore calls a method that no peer implements: the error that it is unimplemented is an answer.
 */
final class LivenessProbe extends ClientCall.Listener<InputStream> {

    /**
     * The least time for an answer, also after a short deadline: twice the time that the failure detector gives its own
     * ping. With less, one caller with a short deadline would end the connection of all callers to a peer in a garbage
     * collection.
     */
    private static final long LEAST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Consumer<Boolean> whenEnded;

    private LivenessProbe(Consumer<Boolean> whenEnded) {
        this.whenEnded = whenEnded;
    }

    /**
     * Begins a probe that takes this time or a little more.
     *
     * @param whenEnded called by the channel's event loop with whether the peer may be alive: false only if the time
     *     has passed
     */
    static void begin(ManagedChannel channel, long nanos, Consumer<Boolean> whenEnded) {
        Context.ROOT.run(() -> {
            ClientCall<InputStream, InputStream> call = channel.newCall(
                    PeerMethods.probe(),
                    CallOptions.DEFAULT.withDeadlineAfter(Math.max(nanos, LEAST_PATIENCE_NANOS), TimeUnit.NANOSECONDS));
            try {
                call.start(new LivenessProbe(whenEnded), new Metadata());
                call.request(1);
                call.halfClose();
            } catch (RuntimeException e) {
                // A channel that becomes idle in between returns a call that throws, and never reports its end.
                call.cancel("the question could not be asked", e);
                whenEnded.accept(true);
            }
        });
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        whenEnded.accept(status.getCode() != Status.Code.DEADLINE_EXCEEDED);
    }
}
