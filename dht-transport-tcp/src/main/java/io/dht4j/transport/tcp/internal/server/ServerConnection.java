package io.dht4j.transport.tcp.internal.server;

import io.dht4j.transport.common.PeerAdmission;
import io.dht4j.transport.common.calls.Inbox;
import io.dht4j.transport.tcp.internal.loop.Connection;
import io.dht4j.transport.tcp.internal.loop.EventLoop;
import io.dht4j.transport.tcp.internal.loop.LoopTask;
import io.dht4j.transport.tcp.internal.loop.Resident;
import io.dht4j.transport.tcp.internal.loop.Wire;
import io.dht4j.transport.tcp.internal.tls.TlsWire;
import io.dht4j.transport.tcp.internal.wire.Hello;
import io.dht4j.transport.tcp.internal.wire.MalformedException;
import io.dht4j.transport.tcp.internal.wire.RecordReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.security.cert.CertificateException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a calling peer: reads requests, passes them to the handler, and writes replies in the order of their
 * completion. It reads only while the peer reads the replies, and holds no more of them than the bounds on requests in
 * flight allow. For the loop's thread, except {@link #answered}.
 */
final class ServerConnection extends Connection implements Resident {

    /** The number of unread answers at which reading stops. */
    private static final int MAX_UNTAKEN = 1024;

    /** The time that a refused caller has to read the reason. */
    private static final long GOODBYE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PeerRequests requests;
    private final PeerAdmission admission;
    private final Wire wire;
    private final Visitor visitor;

    // For any thread.
    private final Inbox<Exchange> answered = new Inbox<>();
    private final LoopTask flush = new LoopTask(this::flushAnswers);

    // For the event loop.
    private final Hello.Reader hello = new Hello.Reader();
    private final Replies replies = new Replies(this);
    private final Requests incoming;
    private final RecordReader records;
    private final HeadWatch heads;
    private final long acceptedAt = System.nanoTime();
    private Set<String> callerNames = Set.of();
    private String caller;
    private boolean greeted;
    private boolean left;
    private boolean leaving;
    private long movedAt = System.nanoTime();
    private byte @Nullable [] greeting;

    /** Takes over the visitor's channel. */
    ServerConnection(Visitor visitor, PeerRequests requests, EventLoop loop, SelectionKey key, Wire wire) {
        super(loop, key, wire);
        this.visitor = visitor;
        this.requests = requests;
        this.admission = requests.admission();
        this.wire = wire;
        this.caller = visitor.host();
        this.incoming = new Requests(this, replies);
        this.records = new RecordReader(incoming);
        this.heads = new HeadWatch(requests.helloNanos());
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
    protected void handshake(Runnable step) {
        loop().handshakes().run(visitor.network(), step);
    }

    @Override
    protected void handshakeEnded(Runnable step) {
        loop().handshakes().remove(visitor.network(), step);
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
            throw new MalformedException("a hello of kind " + theirs.kind() + " from the caller");
        }
        if (!theirs.own().isEmpty()) {
            caller = visitor.host() + " (" + theirs.own() + ")";
        }
        // The handler checks the recipient of each frame; this is for the operator.
        requests.self()
                .filter(self -> !self.value().equals(theirs.text()))
                .ifPresent(self -> requests.logMistaken(caller, theirs.text()));
        greeted = true;
        greeting = Hello.ofCallee(requests.self(), theirs.version()).encode();
        return true;
    }

    @Override
    protected void receivedAll() {
        heads.received(records.isWithinHead(), records.begun(), movedAt);
        if (greeting != null || !replies.isEmpty()) {
            // Behind the answers of the handlers to the received requests.
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

    /** Returns whether reading from the caller has ended. */
    boolean isDeaf() {
        return isClosed() || leaving;
    }

    /** Takes an exchange that has its result. On any thread. */
    void answered(Exchange exchange) {
        if (answered.put(exchange)) {
            // If the loop has ended, so has the connection.
            loop().execute(flush);
        }
    }

    private void flushAnswers() {
        try {
            addResults();
        } catch (RuntimeException | Error e) {
            // Some results are lost. The callers learn that at once instead of at their deadlines.
            fail(e);
            throw e;
        }
        if (!isClosed()) {
            flush();
        }
    }

    private void addResults() {
        for (Exchange exchange = answered.takeAll(); exchange != null; ) {
            Exchange next = Inbox.unlinked(exchange);
            if (!exchange.isReleased()) {
                replies.addResult(exchange);
            }
            exchange = next;
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

    /** Returns the caller's address and name, for the log. */
    String caller() {
        return caller;
    }

    /** Returns the names that the caller has proved; none without TLS. */
    Set<String> callerNames() {
        return callerNames;
    }

    /** A request was admitted, so the connection keeps its place. */
    void keepPlace() {
        visitor.keepPlace();
    }

    /** An answer to a request has been written, or is no longer wanted. */
    void remove(Exchange exchange) {
        incoming.remove(exchange);
    }

    @Override
    public void sweep(long now) {
        incoming.forgetExpired();
        boolean isSlow = (!greeted && now - acceptedAt > requests.helloNanos())
                || heads.isSlow(now)
                || (leaving && now - movedAt > GOODBYE_NANOS);
        if (isSlow || (now - movedAt > requests.idleNanos() && isIdle())) {
            leave();
        }
    }

    /** Returns whether the lack of traffic is due to the peer, and not to a handler. */
    private boolean isIdle() {
        return incoming.isEmpty() || isBlocked() || incoming.isAwaitingMore();
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

    /** Releases all resources of the closed connection, once. */
    private void end() {
        if (left) {
            return;
        }
        left = true;
        loop().remove(this);
        replies.clear();
        try {
            incoming.forgetAll();
        } finally {
            visitor.hasLeft();
        }
    }
}
