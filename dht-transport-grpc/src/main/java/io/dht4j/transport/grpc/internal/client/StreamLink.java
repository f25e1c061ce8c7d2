package io.dht4j.transport.grpc.internal.client;

import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.common.calls.WaitingCalls;
import io.dht4j.transport.grpc.internal.loops.EventLoops.Loop;
import io.dht4j.transport.grpc.internal.wire.FlowControl;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.dht4j.transport.grpc.internal.wire.RecordBatch;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a peer and its stream, which carries calls and replies. For its lane's event loop; gRPC may call back
 * on another thread only before there is a connection.
 *
 * <p>A deadline that passes without received bytes makes the connection suspect: TCP reports a cut network only after
 * minutes. Then the link {@linkplain LivenessProbe probes} the peer, and writes no call until the peer has answered.
 */
final class StreamLink extends ClientCall.Listener<InputStream> {

    private static final MethodDescriptor<InputStream, InputStream> METHOD = PeerMethods.stream();

    private final StreamLane lane;
    private final Loop loop;
    private final long greetingNanos;
    private final SentCalls calls = new SentCalls();
    private final RequestWriter requests = new RequestWriter(calls);
    private final ReplyReader replies;
    private @Nullable PeerChannels channels;
    private @Nullable ManagedChannel channel;
    private @Nullable ClientCall<InputStream, InputStream> stream;
    private @Nullable Future<?> connectTimer;
    private boolean ready;
    private boolean closed;
    private long usedAt = System.nanoTime();
    /** When the last bytes arrived. */
    private long heardAt = System.nanoTime();

    private boolean doubted;

    StreamLink(StreamLane lane, Loop loop, PeerOptions options) {
        this.lane = lane;
        this.loop = loop;
        this.replies = new ReplyReader(calls, options.common().limits().maxFrameBytes());
        this.greetingNanos = options.greetingTimeout().toNanos();
    }

    /** Begins to connect. The lane is notified when the link can write, or that it cannot connect. */
    void connect(PeerChannels owner, ManagedChannel newChannel) {
        channels = owner;
        channel = newChannel;
        connectTimer = loop.executor()
                .schedule(
                        () -> fail(Status.UNAVAILABLE.withDescription(
                                "no connection in time, or no server there that speaks HTTP/2")),
                        greetingNanos,
                        TimeUnit.NANOSECONDS);
        ClientCall<InputStream, InputStream> call =
                newChannel.newCall(METHOD, CallOptions.DEFAULT.withOnReadyThreshold(FlowControl.READY_THRESHOLD));
        stream = call;
        Metadata headers = new Metadata();
        headers.put(PeerMethods.KNOWS_NO_ROOM, "1");
        call.start(this, headers);
        // The requests bound the number of replies.
        call.request(Integer.MAX_VALUE);
    }

    /** Returns whether there was a connection, so that calls may have been sent. */
    boolean wasReady() {
        return ready;
    }

    boolean isUnused() {
        return calls.isEmpty();
    }

    /** Returns when the link last wrote or read, by {@link System#nanoTime()}. */
    long usedAt() {
        return usedAt;
    }

    @Override
    public void onReady() {
        if (closed) {
            return;
        }
        if (!ready) {
            ready = true;
            stopConnectTimer();
        }
        lane.ready();
    }

    /**
     * Writes calls for as long as the peer takes them: all waiting calls, and one at a time of those that travel in
     * parts.
     */
    void write(WaitingCalls waiting) {
        ClientCall<InputStream, InputStream> call = stream;
        if (call == null || !ready || closed || doubted) {
            return;
        }
        RecordBatch batch = loop.batch();
        while ((!waiting.isEmpty() || requests.hasWithdrawn()) && call.isReady()) {
            long now = System.nanoTime();
            requests.assemble(batch, waiting, now);
            if (!batch.isEmpty()) {
                usedAt = now;
                call.sendMessage(batch);
            }
        }
    }

    /**
     * Reports to the peer, with the next message, that a call has ended. Returns false if the peer does not know the
     * call.
     */
    boolean withdraw(PeerCall call) {
        if (!calls.contains(call)) {
            return false;
        }
        requests.withdraw(call);
        return true;
    }

    /**
     * Ends the due calls. Returns the earliest deadline of the others by {@link System#nanoTime()}, and {@code latest}.
     */
    long expire(long now, long latest) {
        List<PeerCall> due = new ArrayList<>();
        long earliest = calls.collectDue(now, latest, due);
        long silent = 0;
        for (PeerCall call : due) {
            if (call.writtenAt() - heardAt > 0) {
                silent = Math.max(silent, now - call.writtenAt());
            }
            // The peer ends it too, on its own.
            if (call.written() == 0 || call.written() == call.size()) {
                calls.remove(call.id());
            }
            call.expire();
        }
        if (silent > 0) {
            doubt(silent);
        }
        return earliest;
    }

    private void doubt(long nanos) {
        ManagedChannel asked = channel;
        if (doubted || closed || asked == null) {
            return;
        }
        doubted = true;
        LivenessProbe.begin(
                asked,
                nanos,
                isThere -> onLoop(() -> {
                    if (isThere) {
                        heard();
                    } else if (doubted) {
                        fail(Status.UNAVAILABLE.withDescription("the peer was silent"));
                    }
                }));
    }

    private void heard() {
        heardAt = System.nanoTime();
        if (doubted) {
            doubted = false;
            lane.ready();
        }
    }

    @Override
    public void onMessage(InputStream message) {
        if (closed) {
            return;
        }
        usedAt = System.nanoTime();
        heard();
        try {
            replies.read(message);
        } catch (IOException | UncheckedIOException e) {
            fail(Status.INTERNAL.withDescription("the peer sent what is no reply: " + e.getMessage()));
        }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        onLoop(() -> ended(status, trailers));
    }

    private void onLoop(Runnable task) {
        if (loop.isCurrent()) {
            task.run();
            return;
        }
        try {
            loop.executor().execute(task);
        } catch (RejectedExecutionException e) {
            // Closing the lane has ended the calls before the loop ended.
            return;
        }
    }

    private void fail(Status status) {
        ended(status, new Metadata());
    }

    private void ended(Status status, Metadata trailers) {
        if (closed) {
            return;
        }
        close();
        lane.lost(this, status, trailers);
    }

    /** Ends the calls that were sent completely or in part. On the next connection they might end that one too. */
    void end(Status status, Metadata trailers) {
        boolean notSent = PeerMethods.isNotSent(trailers);
        String why = PeerMethods.reason(status);
        for (PeerCall call : calls.removeAll()) {
            if (notSent) {
                call.refused("refused: " + why);
            } else {
                call.abandon("connection lost before the reply: " + why);
            }
        }
    }

    void abandonAll(String why) {
        calls.removeAll().forEach(call -> call.abandon(why));
    }

    /** Ends the connection and leaves the calls alone. May be called repeatedly. */
    void close() {
        closed = true;
        stopConnectTimer();
        if (channels != null && channel != null) {
            channels.close(channel);
        }
    }

    private void stopConnectTimer() {
        if (connectTimer != null) {
            connectTimer.cancel(false);
            connectTimer = null;
        }
    }
}
