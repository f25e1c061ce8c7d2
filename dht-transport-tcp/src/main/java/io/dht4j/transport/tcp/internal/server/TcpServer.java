package io.dht4j.transport.tcp.internal.server;

import io.dht4j.spi.FrameHandler;
import io.dht4j.transport.common.BoundedWait;
import io.dht4j.transport.common.OpenFiles;
import io.dht4j.transport.common.RateLimitedLog;
import io.dht4j.transport.common.options.PeerTransportOptions;
import io.dht4j.transport.tcp.internal.loop.EventLoop;
import io.dht4j.transport.tcp.internal.loop.EventLoops;
import io.dht4j.transport.tcp.internal.loop.LoopTask;
import io.dht4j.transport.tcp.internal.loop.LoopTimer;
import io.dht4j.transport.tcp.internal.loop.Resident;
import io.dht4j.transport.tcp.internal.loop.Selectable;
import io.dht4j.transport.tcp.internal.tls.TransportTls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listener: accepts connections on one event loop and distributes them to all loops round-robin. While many
 * connections are about to close, it accepts no further ones: these wait in the backlog of the system. Safe for use by
 * any number of threads.
 */
public final class TcpServer implements Selectable, Resident {

    private static final Logger LOG = LoggerFactory.getLogger(TcpServer.class);

    private static final int BACKLOG = 1024;

    /** How many connections are accepted before others get their turn. */
    private static final int MAX_ACCEPTS = 64;

    /** The pause after a failure to accept, as for lack of file handles. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final EventLoops loops;
    private final EventLoop loop;
    private final PeerTransportOptions<?> options;
    private final ConnectionPlaces places;
    private final PeerRequests requests;
    private final LoopTask resume = new LoopTask(this::resume);
    private final LoopTimer afterPause = new LoopTimer(this::resume);
    private final RateLimitedLog failures = new RateLimitedLog(LOG::warn);
    private volatile @Nullable ServerSocketChannel listening;
    private volatile int port;
    private volatile boolean closed;

    /** For the loop's thread. */
    private @Nullable SelectionKey key;

    private boolean paused;

    public TcpServer(
            FrameHandler handler,
            PeerTransportOptions<?> options,
            Duration helloTimeout,
            EventLoops loops,
            @Nullable TransportTls tls) {
        this.loops = loops;
        this.loop = loops.next();
        this.options = options;
        this.places = ConnectionPlaces.of(
                "the transport at " + options.address(),
                options.listener().connections(),
                OpenFiles.limit(),
                LOG::warn);
        this.requests = new PeerRequests(handler, options, helloTimeout, places, tls);
    }

    /** Binds the port and accepts connections from then on. Blocks while it looks up the host. */
    public void start() throws IOException {
        InetSocketAddress address = new InetSocketAddress(
                InetAddress.getByName(options.address().host()),
                options.address().port());
        ServerSocketChannel channel = ServerSocketChannel.open();
        listening = channel;
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.bind(address, BACKLOG);
            port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        CompletableFuture<Void> registered = new CompletableFuture<>();
        boolean runs = loop.execute(new LoopTask(() -> register(channel, registered)));
        if (!runs || !BoundedWait.upTo(Duration.ofSeconds(30), registered) || registered.isCompletedExceptionally()) {
            channel.close();
            throw new IOException("the event loop takes no port");
        }
    }

    private void register(ServerSocketChannel channel, CompletableFuture<Void> registered) {
        try {
            key = loop.register(channel, SelectionKey.OP_ACCEPT, this);
            loop.add(this);
            registered.complete(null);
        } catch (IOException | RuntimeException | Error e) {
            // A caller that waits for the port is to learn of it at once.
            registered.completeExceptionally(e);
        }
    }

    @Override
    public void ready(SelectionKey ready) {
        for (int i = 0; i < MAX_ACCEPTS && !closed && !paused; i++) {
            SocketChannel accepted = accept((ServerSocketChannel) ready.channel());
            if (accepted == null) {
                return;
            }
            try {
                admit(accepted);
            } catch (IOException | RuntimeException | Error e) {
                close(accepted);
                failures.log(() -> "an accepted connection failed: " + e);
            }
            if (places.isCrowded()) {
                pause();
                // One may have closed before the pause.
                loop.execute(resume);
            }
        }
    }

    private @Nullable SocketChannel accept(ServerSocketChannel channel) {
        try {
            return channel.accept();
        } catch (ClosedChannelException e) {
            return null;
        } catch (IOException e) {
            failures.log(() -> options.address() + " could not take a connection: " + e.getMessage());
            pause();
            loop.set(afterPause, System.nanoTime() + PAUSE_NANOS);
            return null;
        }
    }

    private void admit(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        InetAddress remote = ((InetSocketAddress) channel.getRemoteAddress()).getAddress();
        Visitor visitor = new Visitor(channel, remote, loops.next(), requests, () -> loop.execute(resume));
        if (places.enter(visitor)) {
            visitor.serve();
        } else {
            close(channel);
        }
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // There is no remedy for a failed close.
            return;
        }
    }

    private void pause() {
        SelectionKey present = key;
        if (!paused && present != null && present.isValid()) {
            paused = true;
            present.interestOps(0);
        }
    }

    private void resume() {
        SelectionKey present = key;
        if (paused && !closed && present != null && present.isValid() && !places.isCrowded()) {
            paused = false;
            present.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    @Override
    public void fail(Throwable error) {
        LOG.warn("accepting at {} failed and is tried again", options.address(), error);
    }

    @Override
    public void sweep(long now) {
        resume();
    }

    @Override
    public void loopEnds() {
        closeListening();
    }

    /** Returns the bound port; 0 before. */
    public int port() {
        return port;
    }

    /** Returns the number of requests in flight. */
    public int inFlight() {
        return requests.admission().inFlight();
    }

    /** Returns the bytes that are held for them. */
    public long inFlightBytes() {
        return requests.admission().inFlightBytes();
    }

    /** Returns the number of open connections. */
    public int connections() {
        return places.open();
    }

    /**
     * Refuses further requests, and blocks until those in flight have been answered. Returns false if they are not in
     * time.
     */
    public boolean drain(Duration timeout) {
        return BoundedWait.upTo(timeout, requests.admission().drain());
    }

    /** Stops listening. The connections end with the event loops. */
    public void close() {
        closed = true;
        closeListening();
    }

    private void closeListening() {
        ServerSocketChannel channel = listening;
        if (channel == null) {
            return;
        }
        try {
            channel.close();
        } catch (IOException e) {
            LOG.warn("closing {} failed", options.address(), e);
        }
    }
}
