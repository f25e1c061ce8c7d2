package io.dht4j.transport.tcp.internal.server;

import io.dht4j.transport.common.CallerNetwork;
import io.dht4j.transport.tcp.internal.loop.EventLoop;
import io.dht4j.transport.tcp.internal.loop.LoopTask;
import io.dht4j.transport.tcp.internal.loop.PlainWire;
import io.dht4j.transport.tcp.internal.loop.Wire;
import io.dht4j.transport.tcp.internal.tls.TlsWire;
import io.dht4j.transport.tcp.internal.tls.TransportTls;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An accepted connection, its place and its event loop. For this loop only, except {@link #giveWay}. */
final class Visitor implements ConnectionPlaces.Guest {

    private static final Logger LOG = LoggerFactory.getLogger(Visitor.class);

    private final SocketChannel channel;
    private final InetAddress remote;
    private final EventLoop loop;
    private final PeerRequests requests;
    private final Runnable whenLeft;
    private final LoopTask begin = new LoopTask(this::begin);
    private final LoopTask leave = new LoopTask(this::leave);
    private @Nullable ServerConnection connection;
    /** Set once, also by the accepting thread, if the loop has ended. */
    private final AtomicBoolean hasLeft = new AtomicBoolean();

    /** Takes an accepted channel, for which there is a place; {@code whenLeft} runs once it is closed. */
    Visitor(SocketChannel channel, InetAddress remote, EventLoop loop, PeerRequests requests, Runnable whenLeft) {
        this.channel = channel;
        this.remote = remote;
        this.loop = loop;
        this.requests = requests;
        this.whenLeft = whenLeft;
    }

    /** Begins to serve soon. On any thread. */
    void serve() {
        if (!loop.execute(begin)) {
            leave();
        }
    }

    private void begin() {
        try {
            SelectionKey key = loop.register(channel);
            TransportTls tls = requests.tls();
            Wire wire = tls == null ? new PlainWire(channel) : new TlsWire(channel, tls.accepting(), loop);
            ServerConnection serving = new ServerConnection(this, requests, loop, key, wire);
            connection = serving;
            serving.serve();
        } catch (IOException e) {
            // It has been closed since.
            leave();
        } catch (RuntimeException | Error e) {
            leave();
            throw e;
        }
    }

    /** Returns the caller's address, without its port and without a name lookup. */
    String host() {
        return remote.getHostAddress();
    }

    @Override
    public CallerNetwork network() {
        return CallerNetwork.of(remote);
    }

    @Override
    public void giveWay() {
        loop.execute(leave);
    }

    /** A request was admitted: the connection keeps its place. */
    void keepPlace() {
        requests.places().keep(this);
    }

    private void leave() {
        ServerConnection serving = connection;
        if (serving != null) {
            serving.leave();
        } else {
            hasLeft();
        }
    }

    /** The connection has ended; gives the place back, once. */
    void hasLeft() {
        if (!hasLeft.compareAndSet(false, true)) {
            return;
        }
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing an accepted connection failed", e);
        }
        requests.places().leave(this);
        whenLeft.run();
    }
}
