package io.dht4j.transport.grpc.internal.client;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.transport.common.calls.CallBudget;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.common.calls.PeerLane;
import io.dht4j.transport.grpc.internal.client.PeerChannels.Target;
import io.dht4j.transport.grpc.internal.loops.EventLoops;
import io.dht4j.transport.grpc.internal.loops.EventLoops.Loop;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a peer that is called with one gRPC call for each frame. The connection is replaced when it fails to
 * connect.
 */
final class UnaryLane implements PeerLane {

    private final Target target;
    private final Loop loop;
    private final EventLoops loops;
    private final PeerChannels channels;
    private final PeerOptions options;
    private final CallBudget budget;
    private final MethodDescriptor<Frame, byte[]> method;
    private final AtomicReference<@Nullable ManagedChannel> channel = new AtomicReference<>();
    private final AtomicBoolean asking = new AtomicBoolean();
    /** When the last bytes came from the peer. */
    private volatile long heardAt = System.nanoTime();

    /** Why the lane is closed; null while it is open. */
    private volatile @Nullable String closed;

    UnaryLane(
            Target target, Loop loop, EventLoops loops, PeerChannels channels, PeerOptions options, CallBudget budget) {
        this.target = target;
        this.loop = loop;
        this.loops = loops;
        this.channels = channels;
        this.options = options;
        this.budget = budget;
        this.method = PeerMethods.unaryToPeer(options.common().limits().maxFrameBytes());
    }

    @Override
    public String address() {
        return target.node().address();
    }

    @Override
    public CallBudget budget() {
        return budget;
    }

    @Override
    public boolean isCurrent() {
        return loop.isCurrent();
    }

    @Override
    public void offer(PeerCall call, CallContext context) {
        String why = closed;
        if (why != null) {
            call.abandon(why);
        } else {
            send(call, context, true);
        }
    }

    /** Does nothing: a call that is cancelled ends when gRPC reports its end. */
    @Override
    public void cancelled(PeerCall call) {}

    /**
     * Sends a call. If there is no connection, and the attempt to make one may have begun before the call came, one
     * further attempt is made: the peer may have begun to listen in the meantime.
     */
    private void send(PeerCall call, CallContext context, boolean first) {
        ManagedChannel current = channel.get();
        boolean shared = current != null;
        ManagedChannel chosen;
        try {
            chosen = current == null ? open() : current;
        } catch (RuntimeException e) {
            call.abandon("cannot connect: " + e.getMessage());
            return;
        }
        new UnaryCall(call, context, method) {
            @Override
            boolean unusable(boolean again) {
                giveUp(chosen);
                boolean sendAgain = again && first && shared && closed == null && !call.hasEnded();
                if (sendAgain) {
                    send(call, context, false);
                }
                return sendAgain;
            }

            @Override
            void heard() {
                heardAt = System.nanoTime();
            }

            @Override
            void silentSince(long moment) {
                if (moment - heardAt > 0) {
                    doubt(chosen, System.nanoTime() - moment);
                }
            }
        }.start(chosen);
    }

    /** Opens one channel at a time: all calls that come while there is none share the next. */
    private synchronized ManagedChannel open() {
        ManagedChannel current = channel.get();
        if (current == null) {
            ManagedChannel opened =
                    channels.open(target, loops, loop, options.common().limits().maxFrameBytes(), budget.connections());
            channel.set(opened);
            current = opened;
            watch(opened);
            // Closing sets its flag first and searches for the channel afterwards.
            if (closed != null) {
                channels.close(opened);
            }
        }
        return current;
    }

    /** Closes a channel that connects to a peer which then stays silent. */
    private void watch(ManagedChannel opened) {
        try {
            loop.executor()
                    .schedule(
                            () -> {
                                if (opened.getState(false) == ConnectivityState.CONNECTING) {
                                    giveUp(opened);
                                }
                            },
                            options.greetingTimeout().toNanos(),
                            TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // Closed: the channel goes with the others.
            return;
        }
    }

    /**
     * Probes a connection on which a deadline has passed in silence: the network may be cut, and TCP reports that only
     * after minutes.
     */
    private void doubt(ManagedChannel silent, long nanos) {
        if (channel.get() != silent || !asking.compareAndSet(false, true)) {
            return;
        }
        LivenessProbe.begin(silent, nanos, isThere -> {
            asking.set(false);
            if (isThere) {
                heardAt = System.nanoTime();
            } else {
                giveUp(silent);
            }
        });
    }

    /** Discards a channel: later calls get another one, and connect again. */
    private void giveUp(ManagedChannel failed) {
        if (channel.compareAndSet(failed, null)) {
            channels.close(failed);
        }
    }

    @Override
    public void close(String why) {
        closed = why;
        ManagedChannel current = channel.get();
        if (current != null) {
            channels.close(current);
        }
    }
}
