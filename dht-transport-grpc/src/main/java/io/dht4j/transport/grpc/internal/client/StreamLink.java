package io.dht4j.transport.grpc.internal.client;

import io.dht4j.spi.Frame;
import io.dht4j.transport.grpc.internal.loops.EventLoops.Loop;
import io.dht4j.transport.grpc.internal.wire.FlowControl;
import io.dht4j.transport.grpc.internal.wire.FrameAssembler;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.dht4j.transport.grpc.internal.wire.RecordBatch;
import io.dht4j.transport.grpc.internal.wire.RecordHead;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.util.collection.LongObjectHashMap;
import io.grpc.netty.shaded.io.netty.util.collection.LongObjectMap;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a peer and the stream on it: writes calls and reads replies. It lives on its lane's event loop; gRPC
 * may call back on another thread only before there is a connection.
 *
 * <p>A deadline that passes while nothing comes from the peer makes the connection suspect: the network may be cut, and
 * TCP reports that only after minutes. Then the link {@linkplain LivenessProbe probes} the peer, and writes nothing
 * until the peer has answered.
 */
final class StreamLink extends ClientCall.Listener<InputStream> {

    private static final MethodDescriptor<InputStream, InputStream> METHOD = PeerMethods.stream();

    /** The length at which the text of an error is truncated. */
    private static final int MAX_ERROR_TEXT = 512;

    private final StreamLane lane;
    private final Loop loop;
    private final int maxFrameBytes;
    private final long greetingNanos;
    private final LongObjectMap<PeerCall> calls = new LongObjectHashMap<>();
    /** The calls that the peer may forget, reported to it with the next message. */
    private final List<Long> withdrawn = new ArrayList<>();

    private final RecordHead head = new RecordHead();
    private @Nullable PeerChannels channels;
    private @Nullable ManagedChannel channel;
    private @Nullable ClientCall<InputStream, InputStream> stream;
    private @Nullable Future<?> connectTimer;
    private boolean ready;
    private boolean closed;
    private long lastId;
    private long usedAt = System.nanoTime();
    /** When the last bytes arrived. */
    private long heardAt = System.nanoTime();

    private boolean doubted;

    StreamLink(StreamLane lane, Loop loop, PeerOptions options) {
        this.lane = lane;
        this.loop = loop;
        this.maxFrameBytes = options.limits().maxFrameBytes();
        this.greetingNanos = options.greetingTimeout().toNanos();
    }

    /** Begins to connect. The lane is notified when the link can write, or that it cannot connect. */
    void connect(PeerChannels owner, ManagedChannel newChannel) {
        channels = owner;
        channel = newChannel;
        connectTimer = loop.executor()
                .schedule(
                        () -> fail(Status.UNAVAILABLE.withDescription(
                                "no connection in time, or nobody there who speaks HTTP/2")),
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
    void write(Deque<PeerCall> waiting, Deque<PeerCall> parted) {
        ClientCall<InputStream, InputStream> call = stream;
        if (call == null || !ready || closed || doubted) {
            return;
        }
        RecordBatch batch = loop.batch();
        while ((!waiting.isEmpty() || !parted.isEmpty() || !withdrawn.isEmpty()) && call.isReady()) {
            batch.clear();
            long now = System.nanoTime();
            while (!waiting.isEmpty() && !batch.isFull()) {
                add(batch, waiting.remove(), now);
            }
            addPart(batch, parted, now);
            for (long id : withdrawn) {
                batch.addCancel(id);
            }
            withdrawn.clear();
            if (!batch.isEmpty()) {
                usedAt = now;
                call.sendMessage(batch);
            }
        }
    }

    private void add(RecordBatch batch, PeerCall call, long now) {
        Frame frame = call.request();
        long remaining = call.deadline() - now;
        if (remaining <= 0) {
            call.expire();
        } else if (call.send()) {
            call.id = ++lastId;
            call.writtenAt = now;
            calls.put(call.id, call);
            batch.addRequest(call.id, TimeUnit.NANOSECONDS.toMicros(remaining), frame);
        }
    }

    private void addPart(RecordBatch batch, Deque<PeerCall> parted, long now) {
        PeerCall call = parted.poll();
        if (call == null) {
            return;
        }
        Frame frame = call.request();
        long remaining = call.deadline() - now;
        if (remaining <= 0) {
            call.expire();
        }
        int from = call.written;
        int length = Math.min(RecordHead.MAX_PART, frame.length() - from);
        boolean last = from + length == frame.length();
        // A request can reach a handler only with its last part.
        if (call.hasEnded() || (last && !call.send())) {
            if (from > 0) {
                takeBack(call);
            }
            return;
        }
        if (from == 0) {
            call.id = ++lastId;
            call.writtenAt = now;
            calls.put(call.id, call);
            batch.endWithRequest(call.id, TimeUnit.NANOSECONDS.toMicros(remaining), frame, length);
        } else {
            batch.endWithPart(call.id, frame, from, length);
        }
        call.written = from + length;
        if (!last) {
            parted.add(call);
        }
    }

    private void takeBack(PeerCall call) {
        if (calls.remove(call.id) != null) {
            withdrawn.add(call.id);
        }
    }

    /**
     * Reports to the peer, with the next message, that a call has ended. Returns false if the peer does not know the
     * call.
     */
    boolean withdraw(PeerCall call) {
        if (call.id == 0 || calls.get(call.id) != call) {
            return false;
        }
        takeBack(call);
        return true;
    }

    /**
     * Ends the due calls. Returns the earliest deadline of the others by {@link System#nanoTime()}, or the largest
     * number.
     */
    long expire(long now) {
        long earliest = Long.MAX_VALUE;
        List<PeerCall> due = new ArrayList<>();
        for (PeerCall call : calls.values()) {
            if (call.deadline() - now <= 0) {
                due.add(call);
            } else if (earliest == Long.MAX_VALUE || call.deadline() - earliest < 0) {
                earliest = call.deadline();
            }
        }
        long silent = 0;
        for (PeerCall call : due) {
            if (call.writtenAt - heardAt > 0) {
                silent = Math.max(silent, now - call.writtenAt);
            }
            // The peer ends it too, on its own.
            if (call.written == 0 || call.written == call.request().length()) {
                calls.remove(call.id);
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
            while (message.available() > 0) {
                head.read(message);
                read(message);
            }
        } catch (IOException | UncheckedIOException e) {
            fail(Status.INTERNAL.withDescription("the peer sent what is no reply: " + e.getMessage()));
        }
    }

    private void read(InputStream message) throws IOException {
        int length = head.length();
        switch (head.type()) {
            case RecordHead.REPLY -> {
                PeerCall call = answered();
                if (call == null) {
                    message.skipNBytes(length);
                } else {
                    calls.remove(call.id);
                    call.reply(message.readNBytes(length));
                }
            }
            case RecordHead.REPLY_BEGINS -> begin(message, answered(), length, head.total());
            case RecordHead.PART -> part(message, calls.get(head.id()), length);
            case RecordHead.FAILED -> {
                String why = text(message, length);
                PeerCall call = calls.remove(head.id());
                if (call != null) {
                    call.abandon("failed there: " + why);
                }
            }
            case RecordHead.REFUSED -> {
                String why = text(message, length);
                PeerCall call = calls.remove(head.id());
                if (call != null) {
                    call.refused("refused: " + why);
                }
            }
            case RecordHead.NO_ROOM -> {
                String why = text(message, length);
                PeerCall call = calls.remove(head.id());
                if (call != null) {
                    call.noRoom("refused: " + why);
                }
            }
            default -> throw new IOException("a record of type " + head.type() + " from who is called");
        }
    }

    /** Returns the call that a reply belongs to; null if it has ended. */
    private @Nullable PeerCall answered() throws IOException {
        PeerCall call = calls.get(head.id());
        if (call != null && !call.isSent() && !call.hasEnded()) {
            throw new IOException("a reply to a request that has not been sent to its end");
        }
        return call;
    }

    private void begin(InputStream message, @Nullable PeerCall call, int length, int total) throws IOException {
        if (call == null) {
            message.skipNBytes(length);
            return;
        }
        if (total > maxFrameBytes || call.reply != null) {
            throw new IOException("a reply of " + total + " bytes, over the limit of " + maxFrameBytes
                    + ", or one that had begun before");
        }
        call.reply = new FrameAssembler(total);
        part(message, call, length);
    }

    private void part(InputStream message, @Nullable PeerCall call, int length) throws IOException {
        if (call == null) {
            message.skipNBytes(length);
            return;
        }
        FrameAssembler body = call.reply;
        if (body == null || !body.add(message, length)) {
            throw new IOException("a part of " + length + " bytes that was not announced");
        }
        if (body.isComplete()) {
            calls.remove(call.id);
            call.reply = null;
            call.reply(body.bytes());
        }
    }

    private static String text(InputStream message, int length) throws IOException {
        byte[] bytes = message.readNBytes(Math.min(length, MAX_ERROR_TEXT));
        message.skipNBytes(length - (long) bytes.length);
        if (bytes.length < Math.min(length, MAX_ERROR_TEXT)) {
            throw new EOFException("a text that ends early");
        }
        return PeerMethods.oneLine(new String(bytes, StandardCharsets.UTF_8));
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
        List<PeerCall> sent = new ArrayList<>(calls.values());
        calls.clear();
        for (PeerCall call : sent) {
            if (notSent) {
                call.refused("refused: " + why);
            } else {
                call.abandon("connection lost before the reply: " + why);
            }
        }
    }

    void abandonAll(String why) {
        List<PeerCall> sent = new ArrayList<>(calls.values());
        calls.clear();
        sent.forEach(call -> call.abandon(why));
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
