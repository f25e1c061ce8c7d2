package io.dht4j.examples.transport;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Endpoints;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries frames over plain TCP: an example of a transport, complete but for encryption. Each peer has one connection,
 * on which numbers identify the calls. Addresses are {@code host:port}.
 *
 * <p>Safe for use by any number of threads. Only {@link #close} blocks, for up to 5 seconds.
 */
public final class TcpTransport implements Transport {

    /** The largest frame: a value of 16 MiB and its metadata. */
    public static final int MAX_FRAME_BYTES = 17 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(TcpTransport.class);
    private static final long MAX_BYTES = 256L << 20;
    private static final int MAX_GUESTS = 1_000;
    private static final int CLOSE_SECONDS = 5;
    private static final long PAUSE_NANOS = 100_000_000;
    private static final long LEAST_PATIENCE_NANOS = 1_000_000_000;

    private final String host;
    private final int port;
    private final long maxBytes;
    private final ExecutorService threads;
    private final ScheduledThreadPoolExecutor deadlines;
    private final Map<Node, TcpPeer> peers = new ConcurrentHashMap<>();
    private final Set<TcpGuest> guests = ConcurrentHashMap.newKeySet();
    private final AtomicLong guestBytes = new AtomicLong();
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile @Nullable ServerSocket server;
    private volatile boolean closed;

    /**
     * Creates a transport that does not listen yet.
     *
     * @param host the name or address to bind
     * @param port the port to bind, or 0 for any free one
     */
    public TcpTransport(String host, int port) {
        this(host, port, MAX_BYTES);
    }

    /** Creates a transport with another bound on the bytes that wait for a peer, and on those of requests in flight. */
    TcpTransport(String host, int port, long maxBytes) {
        this.host = host;
        this.port = port;
        this.maxBytes = maxBytes;
        ThreadFactory named = task -> {
            Thread thread = new Thread(task, "tcp-transport");
            thread.setDaemon(true);
            return thread;
        };
        threads = Executors.newCachedThreadPool(named);
        deadlines = new ScheduledThreadPoolExecutor(1, named);
        deadlines.setRemoveOnCancelPolicy(true);
        deadlines.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * Returns the bound port.
     *
     * @return 1 to 65535 once it is started, 0 or less before
     */
    public int port() {
        ServerSocket listening = server;
        return listening == null ? 0 : listening.getLocalPort();
    }

    // tag::start[]
    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        if (closed) {
            return CompletableFuture.failedFuture(notSent(host + ":" + port, "the transport is closed"));
        }
        if (!started.compareAndSet(false, true)) {
            return CompletableFuture.failedFuture(
                    new TransportException(Reason.STARTED, host + ":" + port + ": the transport is started already"));
        }
        try {
            return CompletableFuture.runAsync(() -> listen(handler), threads);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(notSent(host + ":" + port, "the transport is closed"));
        }
    }

    private void listen(FrameHandler handler) {
        try {
            ServerSocket listening = new ServerSocket();
            server = listening;
            listening.bind(new InetSocketAddress(host, port));
            if (closed) {
                listening.close();
            }
            threads.execute(() -> accept(listening, handler));
        } catch (IOException | RejectedExecutionException e) {
            throw notSent(host + ":" + port, "cannot listen: " + e.getMessage());
        }
    }
    // end::start[]

    private void accept(ServerSocket listening, FrameHandler handler) {
        try (listening) {
            while (!listening.isClosed()) {
                Socket socket = next(listening);
                if (socket == null) {
                    continue;
                }
                TcpGuest guest = new TcpGuest(handler, MAX_FRAME_BYTES, maxBytes, guestBytes, guests::remove);
                guests.add(guest);
                if (closed || guests.size() > MAX_GUESTS) {
                    guest.connection.close("no room for another caller");
                }
                try {
                    threads.execute(() -> guest.connection.run(socket, threads));
                } catch (RejectedExecutionException e) {
                    socket.close();
                    throw e;
                }
            }
        } catch (IOException | RejectedExecutionException e) {
            if (!closed) {
                LOG.error("{}:{} takes no more connections", host, port, e);
            }
        }
    }

    /** Returns the next caller, or null if accepting failed: a lack of file handles does not end the listening. */
    private @Nullable Socket next(ServerSocket listening) {
        try {
            return listening.accept();
        } catch (IOException e) {
            if (!closed) {
                LOG.warn("{}:{} could not take a connection", host, port, e);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            return null;
        }
    }

    // tag::call[]
    @Override
    public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
        String address = node.address();
        long nanosLeft = context.remainingNanos();
        if (closed || server == null) {
            return refused(address, "the transport is " + (closed ? "closed" : "not started"));
        } else if (request.length() > MAX_FRAME_BYTES) {
            return refused(address, request.length() + " bytes are over the limit of " + MAX_FRAME_BYTES);
        } else if (context.isCancelled() || nanosLeft <= 0) {
            return refused(address, context.isCancelled() ? "cancelled" : "the deadline has passed");
        }
        try {
            while (true) {
                TcpPeer peer = peers.computeIfAbsent(node, this::connect);
                Optional<TcpPeer.Call> call = peer.call(request, context);
                if (call.isPresent()) {
                    endInTime(peer, call.get(), nanosLeft);
                    context.onCancel(() -> peer.giveUp(call.get(), "cancelled"));
                    // close() sets the mark, then visits peers; this adds a peer, then reads the mark. One of them
                    // closes it.
                    if (closed) {
                        peer.connection.close("the transport is closed");
                    }
                    return call.get();
                }
                peers.remove(node, peer);
            }
        } catch (RejectedExecutionException e) {
            return refused(address, "the transport is closed");
        }
    }

    private void endInTime(TcpPeer peer, TcpPeer.Call call, long nanosLeft) {
        try {
            Runnable end = () -> {
                peer.giveUp(call, "no reply by the deadline");
                if (peer.doubts(call)) {
                    long patience = Math.max(nanosLeft, LEAST_PATIENCE_NANOS);
                    deadlines.schedule(() -> peer.endDoubt(call), patience, TimeUnit.NANOSECONDS);
                }
            };
            Future<?> deadline = deadlines.schedule(end, nanosLeft, TimeUnit.NANOSECONDS);
            call.whenComplete((reply, error) -> deadline.cancel(false));
        } catch (RejectedExecutionException e) {
            call.abandon("the transport is closed");
        }
    }

    private TcpPeer connect(Node node) {
        TcpPeer peer = new TcpPeer(node.address(), MAX_FRAME_BYTES, maxBytes, gone -> peers.remove(node, gone));
        threads.execute(() -> peer.run(threads));
        return peer;
    }
    // end::call[]

    @Override
    public void forget(Node node) {
        peers.forEach((known, peer) -> {
            // Its weight may have changed.
            if (known.id().equals(node.id()) && known.address().equals(node.address()) && peers.remove(known, peer)) {
                peer.connection.close("the node has left the cluster, or has another address");
            }
        });
    }

    @Override
    public CompletionStage<List<Set<String>>> endpoints(List<Node> nodes) {
        return Endpoints.lookUp(nodes);
    }

    private static CompletionStage<byte[]> refused(String address, String why) {
        return CompletableFuture.failedFuture(notSent(address, why));
    }

    private static TransportException notSent(String address, String why) {
        return new TransportException(Outcome.NOT_SENT, address + ": " + why);
    }

    @Override
    public String name() {
        return "tcp";
    }

    // tag::close[]
    @Override
    public void close() {
        closed = true;
        ServerSocket listening = server;
        if (listening != null) {
            try {
                listening.close();
            } catch (IOException e) {
                LOG.warn("closing {}:{} failed", host, port, e);
            }
        }
        peers.values().forEach(peer -> peer.connection.close("the transport is closed"));
        guests.forEach(guest -> guest.connection.close("the transport is closed"));
        deadlines.shutdown();
        threads.shutdown();
        try {
            threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
    // end::close[]
}
