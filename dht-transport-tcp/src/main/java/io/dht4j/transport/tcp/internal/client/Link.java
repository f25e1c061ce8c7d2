package io.dht4j.transport.tcp.internal.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.dht4j.PrintableText;
import io.dht4j.spi.Frame;
import io.dht4j.transport.common.calls.FrameAssembler;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.common.calls.WaitingCalls;
import io.dht4j.transport.tcp.internal.loop.Connection;
import io.dht4j.transport.tcp.internal.loop.EventLoop;
import io.dht4j.transport.tcp.internal.loop.Wire;
import io.dht4j.transport.tcp.internal.wire.Hello;
import io.dht4j.transport.tcp.internal.wire.LongMap;
import io.dht4j.transport.tcp.internal.wire.MalformedException;
import io.dht4j.transport.tcp.internal.wire.RecordHead;
import io.dht4j.transport.tcp.internal.wire.RecordReader;
import io.dht4j.transport.tcp.internal.wire.RecordType;
import io.dht4j.transport.tcp.internal.wire.RecordWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a peer: says hello, writes calls and reads replies. For the loop's thread.
 *
 * <p>A deadline that passes without received bytes makes the connection suspect: TCP reports a cut network only after
 * minutes. Then the link pings the peer, and writes no call until the peer has answered.
 */
final class Link extends Connection implements RecordReader.Receiver {

    /** The length at which the text of an error is cut. */
    private static final int MAX_ERROR_TEXT = 512;

    private static final byte[] NO_BYTES = {};

    private final Lane lane;
    private final int maxFrameBytes;
    private final PeerSilence silence;
    private final Hello.Reader hello = new Hello.Reader();
    private final RecordReader records = new RecordReader(this);
    private final LongMap<PeerCall> calls = new LongMap<>();
    /** The calls that the peer may forget, which are reported to it. */
    private final Deque<Long> withdrawn = new ArrayDeque<>();

    private byte @Nullable [] ownHello;
    private boolean ready;
    private long lastId;
    private long usedAt = System.nanoTime();

    // The record that is being read.
    private @Nullable PeerCall answered;
    private @Nullable FrameAssembler text;

    Link(Lane lane, EventLoop loop, SelectionKey key, Wire wire, byte[] ownHello, long greetBy) {
        super(loop, key, wire);
        this.lane = lane;
        this.maxFrameBytes = lane.limits().maxFrameBytes();
        this.ownHello = ownHello;
        this.silence = new PeerSilence(greetBy);
    }

    /** Begins with TLS, if there is any, and hello. */
    void greet() {
        begin();
    }

    /** Returns whether the peer has greeted, so that calls may have been sent. */
    boolean isReady() {
        return ready;
    }

    /** Returns whether any call was sent, completely or in part. */
    boolean hasCarried() {
        return lastId > 0;
    }

    boolean isUnused() {
        return calls.isEmpty();
    }

    /** Returns when the link last wrote a call or read, by {@link System#nanoTime()}. */
    long usedAt() {
        return usedAt;
    }

    @Override
    protected void opened() {
        flush();
    }

    @Override
    protected void fill(ByteBuffer buffer) {
        byte[] greeting = ownHello;
        if (greeting != null) {
            buffer.put(greeting);
            ownHello = null;
        }
        if (silence.mustPing() && RecordWriter.record(buffer, RecordType.PING, 0, NO_BYTES)) {
            silence.pinged();
        }
        if (!ready || silence.isDoubted()) {
            return;
        }
        while (!withdrawn.isEmpty() && RecordWriter.record(buffer, RecordType.CANCEL, withdrawn.peek(), NO_BYTES)) {
            withdrawn.remove();
        }
        long now = System.nanoTime();
        addWhole(buffer, now);
        addParts(buffer, now);
        if (buffer.position() > 0) {
            usedAt = now;
        }
    }

    /** Adds the waiting calls that fit. Large frames have half of the buffer for themselves. */
    private void addWhole(ByteBuffer buffer, long now) {
        Deque<PeerCall> waiting = lane.waiting().whole();
        int reserved = lane.waiting().parted().isEmpty() ? 0 : buffer.capacity() / 2;
        for (PeerCall call = waiting.peek(); call != null; call = waiting.peek()) {
            if (buffer.remaining() - reserved < RecordType.MAX_HEAD_BYTES + call.size()) {
                return;
            }
            Frame frame = call.request();
            long remaining = call.deadline() - now;
            if (remaining <= 0) {
                call.expire();
            } else {
                enter(call, now);
                if (call.send()) {
                    RecordWriter.request(buffer, call.id(), TimeUnit.NANOSECONDS.toMicros(remaining), frame);
                } else {
                    calls.remove(call.id());
                }
            }
            waiting.remove();
        }
    }

    /**
     * Assigns a number to a call. The call stays in its queue until this has succeeded, since it may fail for lack of
     * memory.
     */
    private void enter(PeerCall call, long now) {
        calls.put(lastId + 1, call);
        call.number(++lastId, now);
    }

    private void addParts(ByteBuffer buffer, long now) {
        Deque<PeerCall> parted = lane.waiting().parted();
        for (PeerCall call = parted.peek(); call != null; call = parted.peek()) {
            int from = call.written();
            int length = RecordWriter.part(buffer, call.size(), from);
            if (length == 0) {
                return;
            }
            Frame frame = call.request();
            long remaining = call.deadline() - now;
            if (remaining <= 0) {
                call.expire();
            } else if (from == 0) {
                enter(call, now);
            }
            parted.remove();
            boolean last = from + length == call.size();
            // A request can reach a handler only with its last part.
            if (call.hasEnded() || (last && !call.send())) {
                if (from > 0) {
                    takeBack(call);
                } else {
                    calls.remove(call.id());
                }
                continue;
            }
            if (from == 0) {
                RecordWriter.requestBegins(buffer, call.id(), TimeUnit.NANOSECONDS.toMicros(remaining), frame, length);
            } else {
                RecordWriter.requestPart(buffer, call.id(), frame, from, length);
            }
            call.written(from + length);
            if (!last) {
                parted.add(call);
            }
        }
    }

    private void takeBack(PeerCall call) {
        if (call.id() != 0 && calls.remove(call.id()) != null) {
            withdrawn.add(call.id());
        }
    }

    /** Reports to the peer that a call has ended. Returns false if the peer does not know the call. */
    boolean withdraw(PeerCall call) {
        if (call.id() == 0 || calls.get(call.id()) != call) {
            return false;
        }
        takeBack(call);
        return true;
    }

    /**
     * Ends the due calls, and the link itself if the peer has been silent for too long. Returns the time of the next
     * check, by {@link System#nanoTime()}, {@code latest} at the latest.
     */
    long expire(long now, long latest) {
        List<PeerCall> due = new ArrayList<>();
        long[] next = {latest};
        calls.forEach(call -> {
            if (call.deadline() - now <= 0) {
                due.add(call);
            } else {
                next[0] = WaitingCalls.earlier(next[0], call.deadline());
            }
        });
        long unanswered = 0;
        for (PeerCall call : due) {
            unanswered = Math.max(unanswered, silence.since(call.writtenAt(), now));
            call.expire();
            // The peer ends it too, on its own.
            if (call.written() == 0 || call.written() == call.size()) {
                calls.remove(call.id());
            }
        }
        if (silence.isDoubtful(now, unanswered, !calls.isEmpty(), usedAt)) {
            flush();
        }
        silence.verdict(now).ifPresent(why -> fail(new IOException(why)));
        return WaitingCalls.earlier(next[0], silence.nextLook(latest, !calls.isEmpty(), usedAt));
    }

    @Override
    protected void received(ByteBuffer in) throws IOException {
        usedAt = System.nanoTime();
        silence.broken(usedAt);
        if (!ready && !greeted(in)) {
            return;
        }
        records.read(in);
    }

    /** Reads the peer's hello. Returns false if it is not complete, or a refusal. */
    private boolean greeted(ByteBuffer in) throws MalformedException {
        Optional<Hello> read = hello.read(in);
        if (read.isEmpty()) {
            return false;
        }
        Hello answer = read.get();
        if (answer.kind() == Hello.Kind.REFUSAL) {
            close();
            lane.refused(this, answer.text());
            return false;
        }
        if (answer.kind() != Hello.Kind.CALLEE || answer.version() > Hello.VERSION) {
            throw new MalformedException("the peer answers with a hello of kind " + answer.kind() + " and version "
                    + answer.version() + ", where this node speaks 1 to " + Hello.VERSION);
        }
        ready = true;
        lane.greeted();
        silence.greeted();
        return true;
    }

    @Override
    protected void receivedAll() {
        if (ready) {
            lane.ready();
        }
    }

    @Override
    public boolean isEnded() {
        return isClosed();
    }

    @Override
    public void begin(RecordHead head) throws IOException {
        answered = null;
        text = null;
        if (head.type() == RecordType.PONG) {
            return;
        }
        if (head.type() < RecordType.PART || head.type() == RecordType.CANCEL || head.type() > RecordType.NO_ROOM) {
            throw new MalformedException("a record of type " + head.type() + " from the callee");
        }
        if (head.id() > lastId || head.id() <= 0) {
            throw new MalformedException("an answer to call " + head.id() + " of " + lastId);
        }
        answered = calls.get(head.id());
        if (answered != null) {
            check(head, answered);
        }
    }

    private void check(RecordHead head, PeerCall call) throws MalformedException {
        boolean isReply = head.type() == RecordType.REPLY || head.type() == RecordType.REPLY_BEGINS;
        if (isReply && !call.isSent() && !call.hasEnded()) {
            throw new MalformedException("a reply to a request that has not been sent to its end");
        }
        if (isReply && (head.total() > maxFrameBytes || call.assembling() != null)) {
            throw new MalformedException("a reply of " + head.total() + " bytes, over the limit of " + maxFrameBytes
                    + ", or one that had begun before");
        }
        if (head.type() == RecordType.PART && call.assembling() == null) {
            throw new MalformedException("a part of " + head.length() + " bytes that was not announced");
        }
        if (head.type() >= RecordType.FAILED) {
            text = new FrameAssembler(head.length());
        }
    }

    @Override
    public void take(RecordHead head, ByteBuffer in, int count, boolean last) throws IOException {
        PeerCall call = answered;
        if (call == null) {
            in.position(in.position() + count);
            return;
        }
        int end = in.position() + count;
        try {
            if (text != null) {
                RecordReader.collect(text, in, count);
                if (last) {
                    end(call, head.type(), text.bytes());
                    calls.remove(call.id());
                }
            } else {
                reply(call, head, in, count);
            }
        } catch (OutOfMemoryError e) {
            // The other calls of the connection continue.
            in.position(end);
            answered = null;
            call.abandon("no memory for the reply");
            calls.remove(call.id());
        }
    }

    private void reply(PeerCall call, RecordHead head, ByteBuffer in, int count) throws MalformedException {
        FrameAssembler body = call.assembling();
        if (body == null && count == head.total()) {
            byte[] frame = new byte[count];
            in.get(frame);
            calls.remove(call.id());
            call.reply(frame);
            return;
        }
        if (body == null) {
            body = new FrameAssembler(head.total());
            call.assembling(body);
        }
        RecordReader.collect(body, in, count);
        if (body.isComplete()) {
            call.assembling(null);
            calls.remove(call.id());
            call.reply(body.bytes());
        }
    }

    private static void end(PeerCall call, int type, byte[] bytes) {
        String why = PrintableText.of(new String(bytes, UTF_8), MAX_ERROR_TEXT);
        switch (type) {
            case RecordType.REFUSED -> call.refused("refused: " + why);
            case RecordType.NO_ROOM -> call.noRoom("refused: " + why);
            default -> call.abandon("failed there: " + why);
        }
    }

    @Override
    protected void lost(Throwable why) {
        lane.lost(this, why);
    }

    /** Ends the calls that were sent completely or in part. On the next connection they might end that one too. */
    void endAll(String why) {
        calls.forEach(call -> call.abandon(why));
        calls.clear();
    }
}
