package io.dht4j.transport.tcp.internal.client;

import io.dht4j.Node;
import io.dht4j.transport.common.BoundedWait;
import io.dht4j.transport.tcp.internal.loop.EventLoop;
import io.dht4j.transport.tcp.internal.loop.LoopTask;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Looks up the hosts of nodes on threads of its own, which may block. A host is looked up for each connection, so a
 * node may move. Safe for use by any number of threads.
 */
public final class Resolver implements AutoCloseable {

    private static final int MOST_THREADS = 4;
    private static final String UP_TO_255 = "(25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})";

    /** Hosts for which the JDK asks no name server: it reads them as addresses, or refuses them. */
    private static final Pattern LITERAL =
            Pattern.compile("[0-9a-fA-F:]+:.*|" + UP_TO_255 + "(\\." + UP_TO_255 + "){3}");

    /** A lane looks up one host at a time, so the queue is bounded by their number. */
    private final ThreadPoolExecutor threads;

    /** Receives addresses on an event loop. */
    interface Result {

        /** The host has these addresses; none if it cannot be resolved. */
        void resolved(List<InetAddress> addresses);
    }

    public Resolver(String threadName) {
        threads = new ThreadPoolExecutor(
                MOST_THREADS, MOST_THREADS, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, threadName);
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /** Looks up the host of a node. The result comes on the loop, at once if the host is an IP address. */
    void resolve(Node node, EventLoop loop, Result result) {
        if (LITERAL.matcher(node.host()).matches()) {
            result.resolved(lookUp(node.host()));
            return;
        }
        try {
            threads.execute(new Lookup(node.host(), loop, result));
        } catch (RejectedExecutionException e) {
            // The transport is being closed, which ends the calls.
            result.resolved(List.of());
        }
    }

    /** A lookup, which always reports its end: its caller waits only for that. */
    private static final class Lookup implements Runnable {

        private final String host;
        private final EventLoop loop;
        private final LoopTask report;
        private volatile List<InetAddress> found = List.of();

        Lookup(String host, EventLoop loop, Result result) {
            this.host = host;
            this.loop = loop;
            this.report = new LoopTask(() -> result.resolved(found));
        }

        @Override
        public void run() {
            try {
                found = lookUp(host);
            } finally {
                loop.execute(report);
            }
        }
    }

    private static List<InetAddress> lookUp(String host) {
        try {
            return List.of(InetAddress.getAllByName(host));
        } catch (UnknownHostException e) {
            return List.of();
        }
    }

    /** Starts no further lookups. Blocks until the running ones have ended, or until {@code end}. */
    public boolean close(long end) {
        threads.shutdown();
        return BoundedWait.until(end, threads::awaitTermination);
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
