package io.dht4j.transport.grpc.internal.connections;

import io.dht4j.transport.common.FloodCount;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a listener, and the choice of the one that gives its place to a new connection when all are taken.
 * Only a connection without a call in flight gives way. Connections without any admitted call so far give way first.
 * Then, if that is allowed, the one with the oldest last call does. Health and reflection, which any client may call,
 * count neither as calls nor as use. So no client keeps a place by silence or by cheap calls, and users of the API lose
 * theirs last. Does not block; safe for use by any number of threads.
 */
public final class Connections {

    /** The number of connections chosen at a time: a scan of all for each new connection would cost too much. */
    private static final int CHOSEN = 64;

    /** The time that a client has to read that it has to go, unless more go than {@link #MAX_LEAVING}. */
    private static final long GOODBYE_MILLIS = 500;

    private static final int MAX_LEAVING = 16;

    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

    /** The key that finds the connection of a call in the attributes of its transport. */
    private static final Attributes.Key<Connection> KEY = Attributes.Key.create("io.dht4j.transport.grpc.connection");

    private final Map<SocketAddress, Connection> connections = new ConcurrentHashMap<>();

    // Guarded by this: those on which no call was admitted, the longest idle first. Later ones are idle for less.
    private final Queue<Candidate> strangers = new ArrayDeque<>();

    // Guarded by this: those that gave way last. The first has had the most time to go.
    private final Queue<Connection> leaving = new ArrayDeque<>();

    /** An open connection. For its event loop, except the choice of the connection that gives way. */
    public static final class Connection extends ChannelInboundHandlerAdapter {

        private final Channel channel;
        private final AtomicInteger calls = new AtomicInteger();
        private volatile long usedAt = System.nanoTime();
        private volatile boolean letIn;
        private volatile boolean leaving;

        /** Since the last admitted call. On the event loop only. */
        private final FloodCount refused = FloodCount.ofRefused();

        private Connection(Channel channel) {
            this.channel = channel;
        }

        /** Notes that a call of the API has begun. */
        public void begin() {
            calls.incrementAndGet();
        }

        /** Notes that a call of the API was admitted. */
        public void letIn() {
            if (!letIn) {
                letIn = true;
            }
            refused.reset();
        }

        /** Notes that a call of the API was refused. On the event loop. */
        public void refused() {
            if (refused.isOneTooMany() && !leaving) {
                LOG.info(
                        "closing the connection of {}: {} calls in a row were refused",
                        channel.remoteAddress(),
                        FloodCount.MAX_REFUSED);
                close();
            }
        }

        /** Notes that a call of the API has ended. */
        public void end() {
            usedAt = System.nanoTime();
            calls.decrementAndGet();
        }

        private boolean isIdle() {
            return calls.get() == 0 && !leaving && channel.isOpen();
        }

        /** Sends the client a goodbye, and closes the connection even if the client ignores it. */
        private void close() {
            // Before the read of the event loop: otherwise the connection is closed when it gets one.
            leaving = true;
            if (channel.isRegistered()) {
                channel.close();
                closeAfter(GOODBYE_MILLIS);
            }
        }

        private void closeNow() {
            if (channel.isRegistered()) {
                closeAfter(0);
            }
        }

        private void closeAfter(long millis) {
            try {
                channel.eventLoop().schedule(this::closeAnyway, millis, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                // The API closes, and its connections with it.
                return;
            }
        }

        @Override
        public void channelRegistered(ChannelHandlerContext context) {
            context.fireChannelRegistered();
            context.pipeline().remove(this);
            if (leaving) {
                closeAnyway();
            }
        }

        private void closeAnyway() {
            // At the first handler: later ones would wait until the client has read the written bytes.
            ChannelHandlerContext first = channel.pipeline().firstContext();
            if (first != null) {
                first.close();
            }
        }
    }

    private record Candidate(Connection connection, boolean letIn, long usedAt, long idleNanos) {

        static Candidate of(Connection connection, long now) {
            long usedAt = connection.usedAt;
            return new Candidate(connection, connection.letIn, usedAt, now - usedAt);
        }

        /** Closes the connection, unless it has been used since it was chosen. */
        boolean close() {
            boolean unused = connection.isIdle() && connection.letIn == letIn && connection.usedAt == usedAt;
            if (unused) {
                connection.close();
            }
            return unused;
        }
    }

    /** Lists a connection, which has no event loop yet, for as long as it is open. */
    public void accepted(Channel channel) {
        SocketAddress remote = channel.remoteAddress();
        if (remote != null) {
            Connection connection = new Connection(channel);
            channel.pipeline().addLast(connection);
            connections.put(remote, connection);
            channel.closeFuture().addListener(gone -> connections.remove(remote, connection));
        }
    }

    /** Sends every open connection a GOAWAY. Each closes when the calls on it have ended. */
    public void sayGoodbye() {
        connections.values().forEach(connection -> {
            if (connection.channel.isRegistered()) {
                connection.channel.close();
            }
        });
    }

    /** Returns the connection with a remote address; empty if it is closed. */
    public Optional<Connection> find(SocketAddress remote) {
        return Optional.ofNullable(connections.get(remote));
    }

    /** Returns a filter through which {@link #callBegins} finds the connection of a call. */
    public ServerTransportFilter filter() {
        return new ServerTransportFilter() {
            @Override
            public Attributes transportReady(Attributes transport) {
                return Optional.ofNullable(transport.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR))
                        .flatMap(Connections.this::find)
                        .map(connection ->
                                transport.toBuilder().set(KEY, connection).build())
                        .orElse(transport);
            }
        };
    }

    /** Notes that an admitted call of a peer has begun, so that its connection keeps its place. */
    public static void callBegins(Attributes transport) {
        Connection connection = transport.get(KEY);
        if (connection != null && !connection.letIn) {
            connection.letIn = true;
        }
    }

    /**
     * Closes a connection on which no call was ever admitted and none is in flight; false if there is none. The closed
     * connection is still open for a moment.
     */
    public synchronized boolean strangerGivesWay() {
        if (closeStranger()) {
            return true;
        }
        chooseStrangers();
        return closeStranger();
    }

    /**
     * Closes a connection that has no call in flight; false if there is none. The closed connection is still open for a
     * moment.
     */
    public synchronized boolean giveWay() {
        if (closeStranger()) {
            return true;
        }
        List<Candidate> others = chooseStrangers();
        return closeStranger() || others.stream().anyMatch(this::close);
    }

    /**
     * Queues the connections on which no call was admitted. Returns the others that have none in flight, the longest
     * idle first.
     */
    private List<Candidate> chooseStrangers() {
        long now = System.nanoTime();
        Map<Boolean, List<Candidate>> idle = connections.values().stream()
                .filter(Connection::isIdle)
                .map(connection -> Candidate.of(connection, now))
                .sorted(Comparator.comparingLong(Candidate::idleNanos).reversed())
                .collect(Collectors.partitioningBy(Candidate::letIn));
        idle.getOrDefault(false, List.of()).stream().limit(CHOSEN).forEach(strangers::add);
        return idle.getOrDefault(true, List.of());
    }

    private boolean closeStranger() {
        for (Candidate next = strangers.poll(); next != null; next = strangers.poll()) {
            if (close(next)) {
                return true;
            }
        }
        return false;
    }

    private boolean close(Candidate chosen) {
        boolean closed = chosen.close();
        if (closed) {
            leaving.add(chosen.connection());
            if (leaving.size() > MAX_LEAVING) {
                leaving.remove().closeNow();
            }
        }
        return closed;
    }
}
