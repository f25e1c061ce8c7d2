package io.dht4j;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Drives {@link Scan#forEach}: a loop, not a recursion, for pages that are there at once. */
final class ScanPump {

    private ScanPump() {}

    static void pump(Scan scan, Consumer<? super KeyValue> consumer, CompletableFuture<Void> done) {
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
                        pump(scan, consumer, done);
                    }
                });
                return;
            }
            if (!deliver(scan, consumer, done, page)) {
                return;
            }
        }
    }

    /** Hands a finished page over and tells whether there may be another. */
    private static boolean deliver(
            Scan scan,
            Consumer<? super KeyValue> consumer,
            CompletableFuture<Void> done,
            CompletableFuture<List<KeyValue>> page) {
        List<KeyValue> entries;
        try {
            entries = page.join();
        } catch (RuntimeException e) {
            // Not closed: a scan that has failed does not tell that it has ended.
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
