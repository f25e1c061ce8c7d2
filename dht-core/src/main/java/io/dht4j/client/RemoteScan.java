package io.dht4j.client;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Scan;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A scan whose pages each begin after the last key shown, so that any node can serve the next page. One page at a time;
 * pages complete on any thread and are safely published.
 */
final class RemoteScan implements Scan {

    private final Function<KeyRange, CompletionStage<List<KeyValue>>> pages;
    private final Optional<Key> end;
    private volatile Optional<Key> position;
    private volatile Optional<DhtException> failure = Optional.empty();
    private volatile boolean closed;

    RemoteScan(KeyRange range, Function<KeyRange, CompletionStage<List<KeyValue>>> pages) {
        this.pages = pages;
        this.end = range.end();
        this.position = Optional.of(range.start());
    }

    @Override
    public CompletionStage<List<KeyValue>> next() {
        Optional<Key> start = position;
        if (closed) {
            return CompletableFuture.completedFuture(List.of());
        }
        if (failure.isPresent()) {
            return CompletableFuture.failedFuture(failure.get());
        }
        if (start.isEmpty()
                || end.filter(last -> start.get().compareTo(last) >= 0).isPresent()) {
            return CompletableFuture.completedFuture(List.of());
        }
        return DhtException.unwrap(pages.apply(new KeyRange(start.get(), end)).handle((page, error) -> {
            if (error != null) {
                DhtException why = (DhtException) DhtException.unwrap(error);
                failure = Optional.of(why);
                throw why;
            }
            position = page.isEmpty()
                    ? Optional.empty()
                    : page.get(page.size() - 1).key().successor();
            return page;
        }));
    }

    /**
     * Checks a page as received from a server. A page that is out of order, out of its range or too large would make
     * the scan repeat or skip keys.
     *
     * @throws DhtException if the page is invalid; another node may return a valid one
     */
    static List<KeyValue> checked(String address, List<KeyValue> page, KeyRange range, int limit) {
        Optional<Key> last = Optional.empty();
        for (KeyValue entry : page) {
            boolean behind = last.isEmpty() || entry.key().compareTo(last.get()) > 0;
            if (!behind || !range.contains(entry.key())) {
                throw DhtException.of(
                        ErrorCode.INTERNAL,
                        "node at " + address
                                + ": its answer is not what it should be: a page out of order or out of its range");
            }
            last = Optional.of(entry.key());
        }
        if (page.size() > limit) {
            throw DhtException.of(
                    ErrorCode.INTERNAL,
                    "node at " + address + ": its answer is not what it should be: " + page.size()
                            + " entries, not at most " + limit);
        }
        return page;
    }

    @Override
    public void close() {
        closed = true;
    }
}
