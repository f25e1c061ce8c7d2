package io.dht4j.transport.http.clients;

import io.dht4j.Node;
import io.dht4j.transport.common.calls.CallBudget;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.http.internal.peer.PeerClients;
import io.dht4j.transport.http.internal.peer.PeerLoop;
import io.dht4j.transport.http.internal.peer.PeerOptions;
import io.dht4j.transport.http.internal.peer.PeerQueue;
import io.dht4j.transport.http.internal.peer.PeerReply;
import io.dht4j.transport.http.internal.peer.PeerTls;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls over one-nio, which blocks: each call in flight has a thread that waits for its reply. A {@link PeerQueue}
 * bounds the calls, and with them the threads, which need no queue of their own.
 */
class OneNioPeerClients implements PeerClients {

    private static final Logger LOG = LoggerFactory.getLogger(OneNioPeerClients.class);

    private final List<PeerLoop> loops;
    private final PeerOptions options;
    private final ExecutorService threads;
    private final boolean virtual;

    OneNioPeerClients(List<PeerLoop> loops, PeerOptions options) {
        this.loops = loops;
        this.options = options;
        ExecutorService light = OneNioSockets.fitVirtualThreads() ? virtualThreads() : null;
        this.virtual = light != null;
        this.threads = light != null ? light : platformThreads();
    }

    /** Returns a virtual thread for each task, where the JDK has them. */
    private static @Nullable ExecutorService virtualThreads() {
        try {
            return (ExecutorService) MethodHandles.publicLookup()
                    .findStatic(
                            Executors.class,
                            "newVirtualThreadPerTaskExecutor",
                            MethodType.methodType(ExecutorService.class))
                    .invoke();
        } catch (Throwable e) {
            return null;
        }
    }

    private static ExecutorService platformThreads() {
        AtomicInteger count = new AtomicInteger();
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(task, "dht4j-http-one-nio-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public List<PeerQueue> lanes(Node peer, CallBudget budget, Optional<PeerTls> tls) {
        PeerLoop timers = loops.get(ThreadLocalRandom.current().nextInt(loops.size()));
        return List.of(new Peer(peer, budget, tls, timers).queue);
    }

    /** Returns a client of one peer. */
    OneNioClient newClient(Node peer, Optional<OneNioTls> tls) {
        return new OneNioClient(peer, tls, options, virtual);
    }

    @Override
    public void close() {
        threads.shutdown();
    }

    /** One peer. */
    private final class Peer implements PeerQueue.Client {

        private final PeerQueue queue;
        private final OneNioClient client;
        private final PeerLoop timers;
        private final long timer;

        Peer(Node peer, CallBudget budget, Optional<PeerTls> tls, PeerLoop timers) {
            this.queue = new PeerQueue(timers, options.connectionsPerPeer(), peer.address(), budget, this);
            this.client = newClient(
                    peer,
                    tls.map(own -> new OneNioTls(own.context(), timers.context().owner(), threads)));
            this.timers = timers;
            long millis = Math.max(1, options.keepAlive().toMillis() / 2);
            this.timer = timers.context().owner().setPeriodic(millis, id -> run(client::closeUnused));
        }

        @Override
        public void begin(PeerCall call) {
            if (!run(() -> exchange(call))) {
                call.refused("the transport is closed");
                queue.done(call);
            }
        }

        /**
         * Runs one call after the other for as long as there are more, so that not each of them has to wake a thread.
         */
        private void exchange(PeerCall first) {
            PeerCall call = first;
            while (call != null) {
                boolean hasEnded = false;
                try {
                    exchangeOne(call);
                    hasEnded = true;
                } finally {
                    if (!hasEnded) {
                        queue.done(call);
                    }
                }
                call = queue.doneForAnother(call);
            }
        }

        private void exchangeOne(PeerCall call) {
            try {
                client.exchange(call);
            } catch (OutOfMemoryError e) {
                call.abandon(PeerReply.NO_MEMORY);
            } catch (RuntimeException | Error e) {
                LOG.error("the HTTP client threw an unexpected exception", e);
                call.abandon("the HTTP client threw " + e);
            }
        }

        private boolean run(Runnable task) {
            try {
                threads.execute(task);
                return true;
            } catch (RejectedExecutionException e) {
                return false;
            }
        }

        @Override
        public void close() {
            timers.context().owner().cancelTimer(timer);
            client.close();
        }
    }
}
