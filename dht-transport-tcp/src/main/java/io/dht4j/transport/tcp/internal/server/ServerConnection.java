package io.dht4j.transport.tcp.internal.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.dht4j.spi.CallContext;
import io.dht4j.transport.common.FloodCount;
import io.dht4j.transport.common.PeerAdmission;
import io.dht4j.transport.tcp.internal.loop.Connection;
import io.dht4j.transport.tcp.internal.loop.EventLoop;
import io.dht4j.transport.tcp.internal.loop.Inbox;
import io.dht4j.transport.tcp.internal.loop.LoopTask;
import io.dht4j.transport.tcp.internal.loop.Resident;
import io.dht4j.transport.tcp.internal.loop.Wire;
import io.dht4j.transport.tcp.internal.tls.TlsWire;
import io.dht4j.transport.tcp.internal.wire.FrameBody;
import io.dht4j.transport.tcp.internal.wire.Hello;
import io.dht4j.transport.tcp.internal.wire.LongMap;
import io.dht4j.transport.tcp.internal.wire.MalformedException;
import io.dht4j.transport.tcp.internal.wire.RecordHead;
import io.dht4j.transport.tcp.internal.wire.RecordReader;
import io.dht4j.transport.tcp.internal.wire.RecordType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a calling peer: reads requests, passes them to the handler, and writes replies in the order of their
 * completion. It reads only while the peer takes the replies, and holds no more of them than the bounds on requests in
 * flight allow. For the loop's thread, except {@link #answered}.
 */
final class ServerConnection extends Connection implements RecordReader.Receiver, Resident {

    private static final long MAX_MICROS = TimeUnit.HOURS.toMicros(1);

    /** The number of answers that the peer has not taken at which reading stops. */
    private static final int MAX_UNTAKEN = 1024;

    /** Far more pings than callers send in half a minute, far less than what keeps a processor busy. */
    private static final int MAX_PINGS = 1000;

    /** The time that a refused caller has to read the reason. */
    private static final long GOODBYE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final byte[] NO_BYTES = {};

    private final PeerRequests requests;
    private final PeerAdmission admission;
    private final Wire wire;
    private final Visitor visitor;

    // For any thread.
    private final Inbox<Exchange> answered = new Inbox<>();
    private final LoopTask flush = new LoopTask(this::flushAnswers);

    // For the event loop.
    private final Hello.Reader hello = new Hello.Reader();
    private final RecordReader records = new RecordReader(this);
    private final LongMap<Exchange> exchanges = new LongMap<>();
    private final Replies replies = new Replies(this);
    private final FloodCount pings = new FloodCount(MAX_PINGS);
    private final long acceptedAt = System.nanoTime();
    private Set<String> callerNames = Set.of();
    private String caller;
    private boolean greeted;
    private boolean kept;
    private boolean left;
    private boolean leaving;
    private long lastId;
    private long movedAt = System.nanoTime();
    /** Since when the head of a record has been incomplete; meaningful only while it is. */
    private long headSince;

    private boolean headBegun;
    private byte @Nullable [] greeting;
    /** The exchange of the record that is being read; null if its bytes are dropped. */
    private @Nullable Exchange current;

    /** Takes over the visitor's channel. */
    ServerConnection(Visitor visitor, PeerRequests requests, EventLoop loop, SelectionKey key, Wire wire) {
        super(loop, key, wire);
        this.visitor = visitor;
        this.requests = requests;
        this.admission = requests.admission();
        this.wire = wire;
        this.caller = visitor.host();
    }

    /** Begins to serve. */
    void serve() {
        loop().add(this);
        begin();
    }

    /** Closes the connection. */
    void leave() {
        close();
        end();
    }

    @Override
    protected void opened() throws IOException {
        if (wire instanceof TlsWire secure && requests.tls() != null) {
            try {
                callerNames = requests.tls().callerNames(secure.session(), requests.handler());
            } catch (CertificateException e) {
                String why = String.valueOf(e.getMessage());
                requests.tls().refuse(visitor.host(), why);
                refuse(why);
            }
        }
    }

    /** Says why the caller is refused, and closes the connection when the caller has read it. */
    private void refuse(String why) throws IOException {
        leaving = true;
        movedAt = System.nanoTime();
        greeting = Hello.refusal(why).encode();
        endOutput();
    }

    @Override
    protected void received(ByteBuffer in) throws IOException {
        if (leaving) {
            return;
        }
        movedAt = System.nanoTime();
        if (greeted || greet(in)) {
            records.read(in);
        }
    }

    private boolean greet(ByteBuffer in) throws IOException {
        Optional<Hello> read = hello.read(in);
        if (read.isEmpty()) {
            return false;
        }
        Hello theirs = read.get();
        if (theirs.kind() != Hello.Kind.CALLER) {
            throw new MalformedException("a hello of kind " + theirs.kind() + " from who calls");
        }
        if (!theirs.own().isEmpty()) {
            caller = visitor.host() + " (" + theirs.own() + ")";
        }
        // The handler checks the recipient of each frame; this tells the operator.
        requests.self()
                .filter(self -> !self.value().equals(theirs.text()))
                .ifPresent(self -> requests.logMistaken(caller, theirs.text()));
        greeted = true;
        greeting = Hello.ofCallee(requests.self(), theirs.version()).encode();
        return true;
    }

    @Override
    protected void receivedAll() {
        boolean within = records.isWithinHead();
        if (within && !headBegun) {
            headSince = movedAt;
        }
        headBegun = within;
        if (greeting != null || !replies.isEmpty()) {
            // Behind the answers that the handlers of what has come have given.
            loop().execute(flush);
        }
        pauseWhileFull();
    }

    @Override
    protected void written() {
        pauseWhileFull();
    }

    private void pauseWhileFull() {
        pause(!leaving && (isBlocked() || replies.size() >= MAX_UNTAKEN));
    }

    @Override
    public boolean isEnded() {
        return isClosed() || leaving;
    }

    @Override
    public void begin(RecordHead head) throws IOException {
        current = null;
        if (head.type() == RecordType.PING) {
            if (pings.isOneTooMany()) {
                throw new MalformedException(
                        "more than " + MAX_PINGS + " pings in " + FloodCount.WINDOW_SECONDS + " s");
            }
            replies.add(new Answer(head.id(), RecordType.PONG, NO_BYTES));
            return;
        }
        if (head.type() > RecordType.CANCEL) {
            throw new MalformedException("a record of type " + head.type() + " from who calls");
        }
        if (head.type() == RecordType.PART || head.type() == RecordType.CANCEL) {
            if (head.id() > lastId || head.id() <= 0) {
                throw new MalformedException("a part or end of request " + head.id() + ", which has not begun");
            }
            continueRequest(head);
        } else {
            beginRequest(head);
        }
    }

    private void continueRequest(RecordHead head) throws MalformedException {
        Exchange exchange = exchanges.get(head.id());
        if (exchange == null) {
            // It was refused, answered or forgotten before.
            return;
        }
        if (head.type() == RecordType.CANCEL) {
            forget(exchange);
        } else if (exchange.handled) {
            throw new MalformedException("a part of request " + head.id() + ", which is complete");
        } else {
            current = exchange;
        }
    }

    private void beginRequest(RecordHead head) throws MalformedException {
        long id = head.id();
        if (id <= lastId) {
            throw new MalformedException("request " + id + " after request " + lastId);
        }
        lastId = id;
        int total = head.total();
        String refusal = admission.enter(total);
        if (refusal != null) {
            boolean noRoom = !admission.isDraining() && total >= 0 && total <= admission.maxFrameBytes();
            refuse(id, noRoom ? RecordType.NO_ROOM : RecordType.REFUSED, refusal);
            return;
        }
        if (!kept) {
            kept = true;
            visitor.keepPlace();
        }
        try {
            long nanos = TimeUnit.MICROSECONDS.toNanos(Math.min(head.micros(), MAX_MICROS));
            CallContext context = new CallContext(System::nanoTime, nanos, callerNames, admission.replyRoom());
            Exchange exchange = new Exchange(this, id, context, total);
            exchanges.put(id, exchange);
            current = exchange;
        } catch (OutOfMemoryError e) {
            admission.leave(total);
            throw e;
        }
    }

    private void refuse(long id, int type, String why) {
        replies.add(new Answer(id, type, why.getBytes(UTF_8)));
    }

    @Override
    public void take(RecordHead head, ByteBuffer in, int count, boolean last) throws IOException {
        Exchange exchange = current;
        if (exchange == null || exchange.isReleased()) {
            in.position(in.position() + count);
            return;
        }
        byte[] whole = null;
        try {
            if (exchange.body == null && count == head.total()) {
                whole = new byte[count];
                in.get(whole);
            } else {
                whole = add(exchange, head, in, count);
            }
        } catch (OutOfMemoryError e) {
            // Nothing of these bytes has been read. The other requests of the connection go on.
            in.position(in.position() + count);
            forget(exchange);
            requests.logNoMemory(caller);
            refuse(exchange.id(), RecordType.NO_ROOM, "no memory for the frame");
        }
        if (whole != null) {
            handle(exchange, whole);
        }
    }

    /** Adds the next bytes of a request that comes in pieces. Returns the request if it is complete. */
    private static byte @Nullable [] add(Exchange exchange, RecordHead head, ByteBuffer in, int count)
            throws MalformedException {
        FrameBody body = exchange.body;
        if (body == null) {
            body = new FrameBody(head.total());
            exchange.body = body;
        }
        body.add(in, count);
        return body.isComplete() ? body.bytes() : null;
    }

    private void handle(Exchange exchange, byte[] request) {
        if (exchange.context().isExpired()) {
            remove(exchange);
            refuse(exchange.id(), RecordType.REFUSED, "the deadline passed before the request was complete");
        } else {
            exchange.handle(requests.handler(), request);
        }
    }

    /** Takes an exchange that has its result. On any thread. */
    void answered(Exchange exchange) {
        if (answered.put(exchange)) {
            // If the loop has ended, so has the connection.
            loop().execute(flush);
        }
    }

    private void flushAnswers() {
        for (Exchange exchange = answered.takeAll(); exchange != null; ) {
            Exchange next = exchange.linked();
            exchange.link(null);
            if (!exchange.isReleased()) {
                replies.addResult(exchange);
            }
            exchange = next;
        }
        if (!isClosed()) {
            flush();
        }
    }

    @Override
    protected void fill(ByteBuffer buffer) {
        byte[] hi = greeting;
        if (hi != null) {
            buffer.put(hi);
            greeting = null;
        }
        if (!leaving) {
            replies.fill(buffer);
        }
        if (buffer.position() > 0) {
            movedAt = System.nanoTime();
        }
    }

    @Override
    protected void held(int bytes) {
        admission.grow(bytes);
    }

    PeerRequests requests() {
        return requests;
    }

    /** Returns who calls, for the log. */
    String caller() {
        return caller;
    }

    /** Ends an exchange and releases what it holds. */
    void remove(Exchange exchange) {
        exchanges.remove(exchange.id());
        long bytes = exchange.release();
        if (bytes >= 0) {
            admission.leave(bytes);
        }
    }

    /** Ends an exchange whose caller does not want the reply any more. */
    private void forget(Exchange exchange) {
        remove(exchange);
        exchange.context().cancel();
    }

    @Override
    public void sweep(long now) {
        List<Exchange> late = new ArrayList<>(0);
        exchanges.forEach(exchange -> {
            if (exchange.context().isExpired()) {
                late.add(exchange);
            }
        });
        late.forEach(this::forget);
        boolean isSlow = (!greeted && now - acceptedAt > requests.helloNanos())
                || (headBegun && now - headSince > requests.helloNanos())
                || (leaving && now - movedAt > GOODBYE_NANOS);
        boolean isIdle = (exchanges.isEmpty() || isBlocked()) && now - movedAt > requests.idleNanos();
        if (isSlow || isIdle) {
            leave();
        }
    }

    @Override
    protected void lost(Throwable why) {
        if (why instanceof MalformedException) {
            requests.logMalformed(caller, String.valueOf(why.getMessage()));
        } else if (requests.tls() != null && !isEstablished()) {
            requests.tls().handshakeFailed(visitor.host(), why);
        }
        end();
    }

    private boolean isEstablished() {
        return wire.isEstablished();
    }

    @Override
    public void loopEnds() {
        leave();
    }

    /** Releases everything that belongs to the closed connection, once. */
    private void end() {
        if (left) {
            return;
        }
        left = true;
        loop().remove(this);
        List<Exchange> dropped = new ArrayList<>(exchanges.size());
        exchanges.drainTo(dropped);
        replies.clear();
        dropped.forEach(this::forget);
        visitor.hasLeft();
    }
}
