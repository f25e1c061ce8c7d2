package io.dht4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class ScanTest {

    @Test
    void forEachHandsOverEveryEntryOfEveryPageInOrder() {
        Pages scan = new Pages();
        scan.complete(page("a", "b"));
        scan.complete(page("c"));
        scan.complete(page());
        List<String> seen = new ArrayList<>();

        CompletableFuture<Void> done =
                scan.forEach(e -> seen.add(e.key().toString())).toCompletableFuture();

        assertThat(done).isCompleted();
        assertThat(seen).containsExactly("a", "b", "c");
    }

    @Test
    void forEachNeedsAConsumer() {
        Pages scan = new Pages();
        assertThatNullPointerException().isThrownBy(() -> scan.forEach(null)).withMessage("consumer");
    }

    @Test
    void forEachGoesOnWhenAPageComesLater() {
        Pages scan = new Pages();
        CompletableFuture<List<KeyValue>> first = scan.promise();
        CompletableFuture<List<KeyValue>> last = scan.promise();
        List<String> seen = new ArrayList<>();

        CompletableFuture<Void> done =
                scan.forEach(e -> seen.add(e.key().toString())).toCompletableFuture();
        assertThat(scan.asked).isEqualTo(1);
        first.complete(page("a"));
        assertThat(scan.asked).isEqualTo(2);
        assertThat(done).isNotDone();
        last.complete(page());

        assertThat(done).isCompleted();
        assertThat(seen).containsExactly("a");
    }

    @Test
    void aMillionPagesThatAreThereAtOnceDoNotOverflowTheStack() {
        int[] left = {1_000_000};
        long[] seen = {0};
        List<KeyValue> page = page("x");
        Scan scan = new Scan() {
            @Override
            public CompletionStage<List<KeyValue>> next() {
                return CompletableFuture.completedFuture(left[0]-- > 0 ? page : List.of());
            }

            @Override
            public void close() {}
        };

        assertThat(scan.forEach(e -> seen[0]++).toCompletableFuture()).isCompleted();
        assertThat(seen[0]).isEqualTo(1_000_000);
    }

    @Test
    void aFailedPageFailsTheWalkWithItsCause() {
        Pages scan = new Pages();
        scan.complete(page("a"));
        UnavailableException failure = new UnavailableException(ErrorCode.NOT_ENOUGH_REPLICAS, "1 of 2");
        scan.pages.add(CompletableFuture.failedFuture(failure));

        assertThat(scan.forEach(e -> {}).toCompletableFuture())
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCause(failure);
        // A closed one would tell whoever asks again that it has ended.
        assertThat(scan.closed).isFalse();
    }

    @Test
    void aConsumerThatThrowsClosesTheScanAndFailsTheWalk() {
        Pages scan = new Pages();
        scan.complete(page("a", "b"));
        IllegalStateException fault = new IllegalStateException("full");
        List<String> seen = new ArrayList<>();

        CompletableFuture<Void> done = scan.forEach(e -> {
                    seen.add(e.key().toString());
                    throw fault;
                })
                .toCompletableFuture();

        assertThat(done).failsWithin(Duration.ZERO).withThrowableThat().withCause(fault);
        assertThat(seen).containsExactly("a");
        assertThat(scan.closed).isTrue();
        assertThat(scan.asked).isEqualTo(1);
    }

    @Test
    void aScanThatThrowsInsteadOfFailingFailsTheWalk() {
        IllegalStateException fault = new IllegalStateException("overlapping calls");
        Scan scan = new Scan() {
            @Override
            public CompletionStage<List<KeyValue>> next() {
                throw fault;
            }

            @Override
            public void close() {}
        };
        assertThat(scan.forEach(e -> {}).toCompletableFuture())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCause(fault);
    }

    private static List<KeyValue> page(String... keys) {
        List<KeyValue> page = new ArrayList<>();
        for (String key : keys) {
            page.add(new KeyValue(Key.of(key), new Value(new byte[0], new Version(1), Optional.empty())));
        }
        return page;
    }

    private static final class Pages implements Scan {
        final Queue<CompletableFuture<List<KeyValue>>> pages = new ArrayDeque<>();
        int asked;
        boolean closed;

        void complete(List<KeyValue> page) {
            pages.add(CompletableFuture.completedFuture(page));
        }

        CompletableFuture<List<KeyValue>> promise() {
            CompletableFuture<List<KeyValue>> page = new CompletableFuture<>();
            pages.add(page);
            return page;
        }

        @Override
        public CompletionStage<List<KeyValue>> next() {
            asked++;
            return pages.remove();
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
