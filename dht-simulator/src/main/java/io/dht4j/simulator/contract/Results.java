package io.dht4j.simulator.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.awaitility.core.ConditionFactory;

/** The results of calls in tests. All methods wait for at most {@link #PATIENCE}. */
final class Results {

    /** How long a test waits for an expected event. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private Results() {}

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    static byte[] number(int i) {
        return ByteBuffer.allocate(4).putInt(i).array();
    }

    static ConditionFactory eventually() {
        return await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .pollInSameThread()
                .atMost(PATIENCE);
    }

    static <T> T result(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("expected a result", DhtException.unwrap(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    static DhtException failure(CompletionStage<?> stage) {
        try {
            Object result = stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            throw new AssertionError("expected a failure, not " + result);
        } catch (ExecutionException e) {
            assertThat(DhtException.unwrap(e)).isInstanceOf(DhtException.class);
            return (DhtException) DhtException.unwrap(e);
        } catch (TimeoutException e) {
            throw new AssertionError("the call hangs", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /**
     * Closes a cluster in an action of a call that runs on a thread of the cluster, and returns how that fails. A call
     * whose action runs on this thread, since it has ended before, is repeated.
     */
    static Throwable failureOfClosing(Cluster cluster, Supplier<CompletionStage<?>> call) {
        Thread caller = Thread.currentThread();
        CompletableFuture<Throwable> failed = new CompletableFuture<>();
        eventually().until(() -> {
            result(call.get().thenAccept(ended -> {
                if (Thread.currentThread() != caller) {
                    try {
                        cluster.close();
                        failed.completeExceptionally(new AssertionError("the action has closed the cluster"));
                    } catch (RuntimeException e) {
                        failed.complete(e);
                    }
                }
            }));
            return failed.isDone();
        });
        return failed.join();
    }
}
