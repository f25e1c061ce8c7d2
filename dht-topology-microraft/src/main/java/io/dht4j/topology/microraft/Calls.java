package io.dht4j.topology.microraft;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLogException;
import io.dht4j.spi.TopologyLogException.Outcome;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Holds the calls in flight: each completes by its deadline, and at the latest when the log ends. Thread-safe. */
final class Calls {

    private static final int MOST = 64;

    private final Environment environment;

    // Guarded by this.
    private final Set<Call<?>> underWay = new HashSet<>();
    private @Nullable String ended;

    Calls(Environment environment) {
        this.environment = environment;
    }

    /** A call whose future completes once, on another thread than the lane's. */
    final class Call<T> {

        private final CompletableFuture<T> future = new CompletableFuture<>();
        private final String name;
        // Guarded by the calls.
        private boolean begun;
        private boolean done;
        private Environment.@Nullable Timer timer;

        private Call(String name) {
            this.name = name;
        }

        CompletableFuture<T> future() {
            return future;
        }

        /** Returns whether the call is still wanted; from then on its outcome is unknown until it completes. */
        boolean begin() {
            synchronized (Calls.this) {
                begun = true;
                return !done;
            }
        }

        boolean isDone() {
            synchronized (Calls.this) {
                return done;
            }
        }

        void complete(@Nullable T result) {
            if (finish()) {
                run(() -> future.complete(result));
            }
        }

        void fail(Outcome outcome, String why, @Nullable NodeRef leader) {
            if (finish()) {
                TopologyLogException failure = new TopologyLogException(outcome, name + " failed: " + why, leader);
                run(() -> future.completeExceptionally(failure));
            }
        }

        /** Fails with the known outcome: without effect, unless the call has begun. */
        void end(String why) {
            boolean unknown;
            synchronized (Calls.this) {
                unknown = begun;
            }
            fail(unknown ? Outcome.UNKNOWN : Outcome.NOT_SENT, why, null);
        }

        private boolean finish() {
            synchronized (Calls.this) {
                if (done) {
                    return false;
                }
                done = true;
                underWay.remove(this);
                if (timer != null) {
                    timer.cancel();
                }
                return true;
            }
        }
    }

    /** Begins a call, which may be complete at once. */
    <T> Call<T> begin(String name, CallContext context) {
        Call<T> call = new Call<>(name);
        @Nullable String refused = null;
        synchronized (this) {
            if (ended != null) {
                refused = ended;
            } else if (underWay.size() >= MOST) {
                refused = MOST + " calls are under way already";
            } else if (context.isExpired() || context.isCancelled()) {
                refused = "the deadline has passed";
            } else {
                underWay.add(call);
                call.timer = environment.schedule(
                        () -> call.end("the deadline has passed"), Math.max(1, context.remainingNanos()));
            }
        }
        if (refused != null) {
            call.end(refused);
        } else {
            context.onCancel(() -> call.end("it was cancelled"));
        }
        return call;
    }

    /** Fails all calls, and those to come. Only the first reason counts. */
    void end(String why) {
        List<Call<?>> left;
        synchronized (this) {
            if (ended == null) {
                ended = why;
            }
            left = List.copyOf(underWay);
        }
        left.forEach(call -> call.end(why));
    }

    /** Runs a completion on a thread of short tasks, or here if these threads have ended. */
    void run(Runnable completion) {
        try {
            environment.executor().execute(completion);
        } catch (RejectedExecutionException e) {
            completion.run();
        }
    }
}
