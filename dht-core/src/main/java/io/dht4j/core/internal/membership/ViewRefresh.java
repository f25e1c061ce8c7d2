package io.dht4j.core.internal.membership;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.Views;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Installs newer views when a request shows that there are some: a replica has refused a request of this node, or has
 * sent a request with a newer epoch. Requests that need a view of the same member at the same time share one. Does not
 * block; safe for use by any number of threads.
 */
public final class ViewRefresh {

    private static final Logger LOG = LoggerFactory.getLogger(ViewRefresh.class);

    /** The pause between two requests for the same view. */
    private static final long RETRY_PAUSE_NANOS = Duration.ofMillis(200).toNanos();

    private static final long NOTICE_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    /**
     * The longest time for a view to arrive and to be installed. Then the next request tries again. A member answers
     * faster or not at all; the rest is for the store of this node, which may be busy. Waiting requests have deadlines
     * of their own.
     */
    private static final long TIMEOUT_NANOS = Duration.ofSeconds(30).toNanos();

    private final Views views;
    private final Environment environment;
    private final Map<NodeId, CompletableFuture<ClusterView>> running = new ConcurrentHashMap<>();
    private volatile ViewSource source = ViewSource.NONE;
    private volatile boolean follows;
    /** The time of the last fetch because of the epoch in a header. */
    private final AtomicLong noticedNanos;

    /**
     * Creates a refresh that fails until it has a source.
     *
     * @param views the views of this node
     * @param environment timers, and the threads on which views are installed
     */
    public ViewRefresh(Views views, Environment environment) {
        this.views = views;
        this.environment = environment;
        this.noticedNanos = new AtomicLong(environment.nanoTime() - NOTICE_PAUSE_NANOS);
    }

    /**
     * Sets the source of views.
     *
     * @param fetches fetches newer views
     */
    public void from(ViewSource fetches) {
        source = fetches;
    }

    /**
     * Sets the source of views, and fetches a view whenever the header of a frame shows a newer epoch.
     *
     * @param fetches fetches newer views
     */
    public void follow(ViewSource fetches) {
        source = fetches;
        follows = true;
    }

    /**
     * Fetches a view if the epoch in a header is newer than the current one, at most once a second. Quick otherwise.
     *
     * @param epoch the epoch in the header
     * @param member the sender
     */
    public void noticed(long epoch, NodeId member) {
        if (!follows || epoch <= views.current().epoch()) {
            return;
        }
        long now = environment.nanoTime();
        long last = noticedNanos.get();
        if (now - last >= NOTICE_PAUSE_NANOS && noticedNanos.compareAndSet(last, now)) {
            newerThan(views.current().epoch(), member).exceptionally(error -> {
                LOG.debug("no view of epoch {} comes of {}", epoch, member, error);
                return views.current();
            });
        }
    }

    /**
     * Returns a view that is newer than an epoch, and installed.
     *
     * @param epoch an epoch, not newer than the member's
     * @param member a member that has a newer view
     * @return completes at once if the current view is newer; fails if no newer one arrives soon
     */
    public CompletableFuture<ClusterView> newerThan(long epoch, NodeId member) {
        ClusterView now = views.current();
        if (now.epoch() > epoch) {
            return CompletableFuture.completedFuture(now);
        }
        return of(member)
                // A view in flight may be older than the epoch that the member has shown since.
                .thenCompose(view -> view.epoch() > epoch ? CompletableFuture.completedFuture(view) : of(member))
                .thenApply(view -> {
                    if (view.epoch() <= epoch) {
                        throw notNewer(member, view.epoch());
                    }
                    return view;
                });
    }

    /**
     * Returns a view that is newer than an epoch, and installed. Asks for it again while there is time: a member that
     * has just started, or is busy, may not answer at once.
     *
     * @param epoch an epoch, not newer than the member's
     * @param member a member that has a newer view
     * @param patienceNanos how long the member is asked again
     * @return completes at once if the current view is newer; fails if no newer one arrives
     */
    public CompletableFuture<ClusterView> newerThan(long epoch, NodeId member, long patienceNanos) {
        CompletableFuture<ClusterView> result = new CompletableFuture<>();
        ask(epoch, member, environment.nanoTime() + patienceNanos, result);
        return result;
    }

    private void ask(long epoch, NodeId member, long untilNanos, CompletableFuture<ClusterView> result) {
        newerThan(epoch, member).whenComplete((view, error) -> {
            try {
                if (error == null) {
                    result.complete(view);
                } else if (untilNanos - environment.nanoTime() > RETRY_PAUSE_NANOS) {
                    environment.schedule(() -> ask(epoch, member, untilNanos, result), RETRY_PAUSE_NANOS);
                } else {
                    result.completeExceptionally(DhtException.unwrap(error));
                }
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
    }

    /** Returns the view that a member has, or had when the request in flight was sent. */
    private CompletableFuture<ClusterView> of(NodeId member) {
        CompletableFuture<ClusterView> own = new CompletableFuture<>();
        CompletableFuture<ClusterView> shared = running.putIfAbsent(member, own);
        if (shared != null) {
            return shared;
        }
        CompletableFuture<ClusterView> fetched = new CompletableFuture<>();
        fetched.whenComplete((view, error) -> {
            // First, so that a caller that needs a newer view starts a new request.
            running.remove(member, own);
            if (error == null) {
                own.complete(view);
            } else {
                own.completeExceptionally(error);
            }
        });
        fetch(views.current().epoch(), member, fetched);
        return own;
    }

    private static DhtException notNewer(NodeId member, long epoch) {
        return DhtException.of(
                ErrorCode.STALE_TOPOLOGY,
                "the view that came of " + member + " is not newer than epoch " + Epoch.text(epoch));
    }

    private void fetch(long epoch, NodeId member, CompletableFuture<ClusterView> result) {
        try {
            Environment.Timer late = environment.schedule(
                    () -> result.completeExceptionally(DhtException.of(
                            ErrorCode.STALE_TOPOLOGY, "no newer view has come of " + member + " in time")),
                    TIMEOUT_NANOS);
            result.whenComplete((view, error) -> late.cancel());
            CompletionStage<ClusterView> fetched = source.refresh(member, epoch);
            fetched.whenComplete((view, error) -> {
                if (error == null) {
                    install(view, result);
                } else {
                    result.completeExceptionally(error);
                }
            });
        } catch (RuntimeException | Error e) {
            // Also of a source that throws against its contract: the waiting caller needs an answer.
            result.completeExceptionally(e);
        }
    }

    private void install(ClusterView view, CompletableFuture<ClusterView> result) {
        try {
            environment.storeExecutor().execute(() -> {
                try {
                    views.install(view);
                    result.complete(views.current());
                } catch (RuntimeException | Error e) {
                    result.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(DhtException.of(ErrorCode.NOT_SERVING, "this node is closed"));
        }
    }
}
