package io.dht4j.transport.http.internal.netty;

import io.dht4j.transport.common.CallerNetwork;
import io.dht4j.transport.common.HandshakeQueue;
import io.dht4j.transport.http.internal.netty.AcceptedConnection.Standing;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.transport.Transport;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts the connections of a listener when they are accepted.
 *
 * <p>A connection without requests has no place of its own: at the limit, the one that has been silent longest gives
 * way to the next. So any number of silent connections, from any address, excludes no client. The first public request
 * gives its connection a place if the limits allow it, or if a connection with a place is idle. The remaining places
 * are for peers, which prove themselves by whole frames. IPv6 addresses count as one if they share their first 64 bits.
 *
 * <p>Safe for use by any number of threads. The lock is held for a few steps, when a connection opens, closes, or makes
 * its first request; for longer only as described in {@link IdleConnections}.
 */
public final class AcceptedConnections {

    /** The divisor of all connections that gives the most that were asked to leave and have not left. */
    private static final int PART_LEAVING = 8;

    private final AcceptLimits limits;
    private final Refusals refusals;
    private final Map<Key, AcceptedConnection> byEnds = new ConcurrentHashMap<>();
    private final Map<EventExecutor, HandshakeQueue> handshakes = new ConcurrentHashMap<>();
    private final Object lock = new Object();

    /** Guarded by the lock. */
    private final Set<AcceptedConnection> unproved = new LinkedHashSet<>();

    private final Map<CallerNetwork, ConnectionSource> sources = new HashMap<>();
    private final IdleConnections idle = new IdleConnections(sources);
    private int open;
    private int publicOnes;
    private int leaving;
    private boolean paused;
    /** The channel that accepts connections, once that has begun. */
    private volatile @Nullable Channel door;

    private volatile @Nullable Thread acceptor;
    private volatile boolean isClosing;

    /**
     * Creates an empty set of connections.
     *
     * @param limits the maximum numbers
     * @param refusals creates the answers to requests that are refused before the server
     */
    public AcceptedConnections(AcceptLimits limits, Refusals refusals) {
        this.limits = limits;
        this.refusals = refusals;
    }

    /** Both addresses of a connection, which identify it among the open ones. */
    private record Key(String remoteHost, int remotePort, String localHost) {

        static @Nullable Key of(@Nullable InetSocketAddress remote, @Nullable InetSocketAddress local) {
            return remote == null || local == null || remote.isUnresolved() || local.isUnresolved()
                    ? null
                    : new Key(
                            remote.getAddress().getHostAddress(),
                            remote.getPort(),
                            local.getAddress().getHostAddress());
        }
    }

    AcceptLimits limits() {
        return limits;
    }

    Refusals refusals() {
        return refusals;
    }

    /**
     * Returns how many connections are open.
     *
     * @return 0 or more
     */
    public int open() {
        synchronized (lock) {
            return open;
        }
    }

    /**
     * Returns network access that counts accepted connections here.
     *
     * @param base the access for all other operations
     * @return for the server's builder
     */
    public Transport over(Transport base) {
        return new CountingTransport(base, this);
    }

    /**
     * Finds the accepted connection of a connection of the server.
     *
     * @param connection as the server reports it
     * @return empty if it is closed already
     */
    public Optional<AcceptedConnection> of(HttpConnection connection) {
        SocketAddress remote = connection.remoteAddress();
        SocketAddress local = connection.localAddress();
        return remote == null || local == null || remote.hostAddress() == null || local.hostAddress() == null
                ? Optional.empty()
                : Optional.ofNullable(byEnds.get(new Key(remote.hostAddress(), remote.port(), local.hostAddress())));
    }

    /** Refuses further connections, before the event loops that would serve them are closed. */
    public void close() {
        isClosing = true;
    }

    /** Admits an accepted connection that has no handler yet, or refuses it. */
    boolean admit(Channel channel) {
        InetSocketAddress remote = channel.remoteAddress() instanceof InetSocketAddress inet ? inet : null;
        InetSocketAddress local = channel.localAddress() instanceof InetSocketAddress inet ? inet : null;
        Key key = Key.of(remote, local);
        if (key == null || remote == null || isClosing) {
            // It is closed already, or the event loops are about to be.
            return false;
        }
        AcceptedConnection connection =
                new AcceptedConnection(this, channel, remote, CallerNetwork.of(remote.getAddress()));
        AcceptedConnection evicted;
        synchronized (lock) {
            ConnectionSource source = sources.computeIfAbsent(connection.address(), address -> new ConnectionSource());
            // Those that leave no longer count: while they do, no silent one may be left to give way to the next.
            boolean isFull = open - leaving >= limits.connections();
            boolean isSourceFull = source.unproved().size() >= limits.connectionsPerAddress();
            evicted = isSourceFull ? first(source.unproved()) : isFull ? first(unproved) : null;
            if (isFull && evicted == null) {
                if (source.isEmpty()) {
                    sources.remove(connection.address());
                }
                return false;
            }
            if (evicted != null) {
                leaving++;
                remove(evicted, Standing.UNPROVED);
                pauseIfManyLeave();
            }
            // The source may have been dropped with the last one that gave way.
            sources.computeIfAbsent(connection.address(), address -> source)
                    .unproved()
                    .add(connection);
            unproved.add(connection);
            open++;
        }
        try {
            if (evicted != null) {
                evicted.closeNow();
            }
            byEnds.put(key, connection);
            channel.pipeline().addFirst("accepted", connection);
            channel.pipeline().addFirst("handshake", new HandshakeGate(handshakes, connection.address()));
            channel.closeFuture().addListener((ChannelFutureListener) closed -> {
                byEnds.remove(key, connection);
                left(connection);
            });
        } catch (RuntimeException | Error e) {
            // Its end will not be reported.
            byEnds.remove(key, connection);
            left(connection);
            throw e;
        }
        return true;
    }

    /** Sets the channel that accepts connections. */
    void acceptedBy(Thread thread) {
        acceptor = thread;
    }

    /**
     * Returns the thread that accepts connections.
     *
     * @return empty before the port is bound
     */
    public Optional<Thread> acceptor() {
        return Optional.ofNullable(acceptor);
    }

    void door(Channel accepting) {
        door = accepting;
    }

    /**
     * Pauses accepting while many connections are leaving. Those are closed by their own threads; if the threads fall
     * behind, the next connections wait.
     */
    private void pauseIfManyLeave() {
        Channel accepting = door;
        if (!paused && accepting != null && leaving > limits.connections() / PART_LEAVING) {
            paused = true;
            accepting.config().setAutoRead(false);
        }
    }

    private void resumeIfFewLeave() {
        Channel accepting = door;
        if (paused && accepting != null && leaving <= limits.connections() / PART_LEAVING) {
            paused = false;
            accepting.config().setAutoRead(true);
        }
    }

    private static @Nullable AcceptedConnection first(Set<AcceptedConnection> connections) {
        Iterator<AcceptedConnection> all = connections.iterator();
        return all.hasNext() ? all.next() : null;
    }

    /**
     * Gives a connection a place for public requests, if there is one. Where all are taken, an idle connection gives
     * way: of the source that has most of them, the one that has been idle longest.
     */
    boolean admitPublic(AcceptedConnection connection) {
        AcceptedConnection evicted;
        synchronized (lock) {
            ConnectionSource source = sources.get(connection.address());
            if (connection.standing() != Standing.UNPROVED
                    || source == null
                    || (source.publicOnes().size() >= limits.connectionsPerAddress()
                            && !limits.oneAddressMayHaveAll())) {
                return connection.hasPlace();
            }
            boolean isFull = publicOnes
                    >= limits.publicConnectionsBefore(source.publicOnes().size());
            evicted = isFull ? idle.takeFor(source, System.nanoTime()) : null;
            if (isFull && evicted == null) {
                return false;
            }
            if (evicted != null) {
                leaving++;
                remove(evicted, Standing.PUBLIC);
                pauseIfManyLeave();
            }
            unproved.remove(connection);
            source.unproved().remove(connection);
            source.publicOnes().add(connection);
            publicOnes++;
            connection.standing(Standing.PUBLIC);
        }
        if (evicted != null) {
            evicted.closeNow();
        }
        return true;
    }

    /** Gives a connection the place of a peer. */
    void provePeer(AcceptedConnection connection) {
        synchronized (lock) {
            if (connection.standing() != Standing.GONE) {
                remove(connection, connection.standing());
                connection.standing(Standing.PEER);
            }
        }
    }

    private void left(AcceptedConnection connection) {
        synchronized (lock) {
            open--;
            if (connection.standing() == Standing.GONE) {
                leaving--;
                resumeIfFewLeave();
            } else {
                remove(connection, connection.standing());
            }
        }
    }

    /** Removes a connection from every count except that of all, where it had this standing. Only with the lock. */
    private void remove(AcceptedConnection connection, Standing stood) {
        ConnectionSource source = sources.get(connection.address());
        if (source != null) {
            source.unproved().remove(connection);
            source.publicOnes().remove(connection);
            if (source.isEmpty()) {
                sources.remove(connection.address());
            }
        }
        unproved.remove(connection);
        if (stood == Standing.PUBLIC) {
            publicOnes--;
        }
        connection.standing(Standing.GONE);
    }
}
