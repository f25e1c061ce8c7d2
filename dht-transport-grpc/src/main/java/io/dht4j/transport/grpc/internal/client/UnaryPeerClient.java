package io.dht4j.transport.grpc.internal.client;

import io.dht4j.spi.Frame;
import io.dht4j.transport.grpc.internal.client.PeerChannels.Target;
import io.dht4j.transport.grpc.internal.loops.EventLoops;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A peer that is called with one gRPC call for each frame. */
final class UnaryPeerClient implements PeerClient {

    private final Target target;
    private final EventLoops loops;
    private final PeerChannels channels;
    private final PeerOptions options;
    private final CallBudget budget;
    private final MethodDescriptor<Frame, byte[]> method;
    private final List<Line> lines = new ArrayList<>();
    private volatile boolean closed;

    UnaryPeerClient(Target target, EventLoops loops, PeerChannels channels, PeerOptions options) {
        this.target = target;
        this.loops = loops;
        this.channels = channels;
        this.options = options;
        this.method = PeerMethods.unaryToPeer(options.common().limits().maxFrameBytes());
        this.budget = new CallBudget(options.common().limits());
        for (int i = 0; i < options.connectionsPerPeer(); i++) {
            lines.add(new Line(loops.next()));
        }
    }

    @Override
    public CallBudget budget() {
        return budget;
    }

    @Override
    public void offer(PeerCall call) {
        if (closed) {
            call.abandon("the transport is closed");
            return;
        }
        Line line =
                lines.get(lines.size() == 1 ? 0 : ThreadLocalRandom.current().nextInt(lines.size()));
        line.send(call, true);
    }

    @Override
    public void close() {
        closed = true;
        lines.forEach(Line::close);
    }

    /** A connection, replaced when it fails to connect. */
    private final class Line {

        private final EventLoops.Loop loop;
        private final AtomicReference<@Nullable ManagedChannel> channel = new AtomicReference<>();
        private final AtomicBoolean asking = new AtomicBoolean();
        /** When the last bytes came from the peer. */
        private volatile long heardAt = System.nanoTime();

        Line(EventLoops.Loop loop) {
            this.loop = loop;
        }

        /**
         * Sends a call. If there is no connection, and the attempt to make one may have begun before the call came, one
         * further attempt is made: the peer may have begun to listen in the meantime.
         */
        void send(PeerCall call, boolean first) {
            ManagedChannel current = channel.get();
            boolean shared = current != null;
            ManagedChannel chosen;
            try {
                chosen = current == null ? open() : current;
            } catch (RuntimeException e) {
                call.abandon("cannot connect: " + e.getMessage());
                return;
            }
            new UnaryCall(call, method) {
                @Override
                boolean unusable(boolean again) {
                    giveUp(chosen);
                    boolean sendAgain = again && first && shared && !closed && !call.hasEnded();
                    if (sendAgain) {
                        send(call, false);
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
                ManagedChannel opened = channels.open(
                        target, loops, loop, options.common().limits().maxFrameBytes());
                channel.set(opened);
                current = opened;
                watch(opened);
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
         * Probes a connection on which a deadline has passed in silence: the network may be cut, and TCP reports that
         * only after minutes.
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
        void giveUp(ManagedChannel failed) {
            if (channel.compareAndSet(failed, null)) {
                channels.close(failed);
            }
        }

        void close() {
            ManagedChannel current = channel.get();
            if (current != null) {
                channels.close(current);
            }
        }
    }
}
