package io.dht4j.spring.boot;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Lets the start of the application wait until the cluster can be read, before a web server accepts requests. The wait
 * is bounded: the application may be of use without the other nodes.
 */
final class ReadyCluster implements SmartLifecycle {

    /** Before the web server starts, which is 2048 before the last phase. */
    static final int PHASE = DEFAULT_PHASE - 4096;

    private static final Logger LOG = LoggerFactory.getLogger(ReadyCluster.class);

    private final List<Cluster> clusters;
    private final Duration timeout;
    private volatile boolean running;

    /**
     * Creates an object that does not wait yet.
     *
     * @param clusters one or more
     * @param timeout the longest wait, zero for none
     */
    ReadyCluster(List<Cluster> clusters, Duration timeout) {
        this.clusters = List.copyOf(clusters);
        this.timeout = timeout;
    }

    @Override
    public void start() {
        running = true;
        if (timeout.isZero()) {
            return;
        }
        try {
            CompletableFuture.allOf(clusters.stream()
                            .map(cluster -> cluster.ready().toCompletableFuture())
                            .toArray(CompletableFuture[]::new))
                    .get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            LOG.warn(
                    "too few nodes could be read within {} ms: the application starts, and calls may fail",
                    timeout.toMillis());
        } catch (ExecutionException e) {
            LOG.warn(
                    "the cluster does not become ready: {}",
                    DhtException.unwrap(e).getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
