package io.dht4j.core.internal.membership.agreed.formation;

import io.dht4j.NodeId;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tracks what the start of a node waits for, and ends it. Safe for use by any number of threads. */
public final class StartWait {

    private static final Logger LOG = LoggerFactory.getLogger(StartWait.class);

    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private final NodeId self;
    private volatile String text;

    public StartWait(NodeId self) {
        this.self = self;
        this.text = "node " + self + " has just been started";
    }

    /** Returns a future that ends when the node has a state, or cannot get one. */
    public CompletableFuture<Void> over() {
        return over;
    }

    boolean isOver() {
        return over.isDone();
    }

    public String text() {
        return text;
    }

    /** Ends the start if it takes too long, with what it has waited for. */
    public void limit(Duration timeout, Environment environment) {
        Environment.Timer late = environment.schedule(
                () -> fail("node " + self + " has waited for " + timeout.toSeconds() + " s: " + text),
                timeout.toNanos());
        over.whenComplete((done, error) -> late.cancel());
    }

    /** Reports what the node waits for, if that has changed. */
    void on(String what) {
        synchronized (this) {
            if (what.equals(text) || isOver()) {
                return;
            }
            text = what;
        }
        LOG.info("{}", what);
    }

    /** Ends the start, which can never succeed. */
    public void fail(String why) {
        over.completeExceptionally(new IllegalStateException(why));
    }

    public void done() {
        over.complete(null);
    }
}
