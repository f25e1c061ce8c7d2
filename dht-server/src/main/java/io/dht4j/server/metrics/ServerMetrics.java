package io.dht4j.server.metrics;

import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.UnavailableException;
import io.dht4j.micrometer.ClusterMetrics;
import io.dht4j.micrometer.MicrometerObserver;
import io.dht4j.spi.Observer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a node and of its JVM, as a text for Prometheus. One thread gathers one text at a time, which all
 * requests during that time share. Safe for use by any number of threads.
 */
public final class ServerMetrics implements AutoCloseable {

    private static final long IDLE_SECONDS = 30;
    /** A text in progress, and the registration of the meters. */
    private static final int MOST_TASKS = 4;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MicrometerObserver observer = new MicrometerObserver(registry);
    private final JvmGcMetrics pauses = new JvmGcMetrics();
    private final ThreadPoolExecutor thread;
    // Guarded by this.
    private @Nullable CompletableFuture<String> running;
    private @Nullable ClusterMetrics cluster;
    private boolean closed;

    /**
     * Creates metrics that have no cluster yet.
     *
     * @param name the name of the node, for the name of the thread
     */
    public ServerMetrics(String name) {
        this.thread = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MOST_TASKS), task -> {
                    Thread made = new Thread(task, "dht4j-metrics-" + name);
                    made.setDaemon(true);
                    return made;
                });
        thread.allowCoreThreadTimeOut(true);
    }

    /**
     * Returns the observer that times the calls of the node.
     *
     * @return the observer, for the builder of the node
     */
    public Observer observer() {
        return observer;
    }

    /**
     * Begins to show a cluster and the JVM, on the thread of the metrics. Called once.
     *
     * @param shown the cluster, which may still be starting
     */
    public void show(Cluster shown) {
        ClusterMetrics metrics = new ClusterMetrics(shown);
        synchronized (this) {
            cluster = metrics;
        }
        thread.execute(() -> register(metrics));
    }

    private synchronized void register(ClusterMetrics metrics) {
        if (closed) {
            return;
        }
        metrics.bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        pauses.bindTo(registry);
    }

    /**
     * Returns the metrics as a text. Does not block.
     *
     * @return a stage that completes with the text, in some milliseconds if the node answers, and in a quarter of a
     *     second if not; fails with {@link ErrorCode#NOT_SERVING} after the close
     */
    public CompletionStage<String> text() {
        CompletableFuture<String> own;
        synchronized (this) {
            if (running != null) {
                return running.minimalCompletionStage();
            }
            own = new CompletableFuture<>();
            running = own;
        }
        try {
            thread.execute(() -> gather(own));
        } catch (RejectedExecutionException e) {
            gathered();
            own.completeExceptionally(new UnavailableException(ErrorCode.NOT_SERVING, "this node is closed"));
        } catch (RuntimeException | Error e) {
            // No thread can be made, for example.
            gathered();
            own.completeExceptionally(e);
        }
        return own.minimalCompletionStage();
    }

    private void gather(CompletableFuture<String> text) {
        try {
            String scraped = registry.scrape();
            gathered();
            text.complete(scraped);
        } catch (RuntimeException | Error e) {
            gathered();
            text.completeExceptionally(e);
        }
    }

    private synchronized void gathered() {
        running = null;
    }

    /** Ends the thread and forgets all meters. A text in progress may still complete. May be called repeatedly. */
    @Override
    public void close() {
        thread.shutdown();
        ClusterMetrics shown;
        synchronized (this) {
            closed = true;
            shown = cluster;
        }
        if (shown != null) {
            shown.close();
        }
        observer.close();
        pauses.close();
        registry.close();
    }
}
