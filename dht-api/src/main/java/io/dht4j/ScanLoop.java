package io.dht4j;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Runs {@link Scan#forEach} as a loop, so that pages that complete immediately cause no recursion. */
final class ScanLoop {

    private ScanLoop() {}

    static void run(Scan scan, Consumer<? super KeyValue> consumer, CompletableFuture<Void> done) {
        while (true) {
            CompletableFuture<List<KeyValue>> page;
            try {
                page = scan.next().toCompletableFuture();
            } catch (RuntimeException e) {
                done.completeExceptionally(e);
                return;
            }
            if (!page.isDone()) {
                page.whenComplete((entries, error) -> {
                    if (deliver(scan, consumer, done, page)) {
                        run(scan, consumer, done);
                    }
                });
                return;
            }
            if (!deliver(scan, consumer, done, page)) {
                return;
            }
        }
    }

    /** Delivers a completed page and returns whether another may follow. */
    private static boolean deliver(
            Scan scan,
            Consumer<? super KeyValue> consumer,
            CompletableFuture<Void> done,
            CompletableFuture<List<KeyValue>> page) {
        List<KeyValue> entries;
        try {
            entries = page.join();
        } catch (RuntimeException e) {
            // The scan stays open: a failed scan must not report its end.
            done.completeExceptionally(DhtException.unwrap(e));
            return false;
        }
        if (entries.isEmpty()) {
            done.complete(null);
            return false;
        }
        try {
            entries.forEach(consumer);
            return true;
        } catch (Throwable e) {
            scan.close();
            done.completeExceptionally(DhtException.unwrap(e));
            return false;
        }
    }
}
