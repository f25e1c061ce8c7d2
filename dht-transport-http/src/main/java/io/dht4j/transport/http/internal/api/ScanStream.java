package io.dht4j.transport.http.internal.api;

import io.dht4j.KeyValue;
import io.dht4j.Scan;
import io.dht4j.transport.http.internal.common.Ndjson;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Streams a scan to a client. It holds one page, whose bytes count as in flight, and requests the next one when the
 * socket has accepted the last. A slow client therefore slows the scan down, and one that reads no bytes for the write
 * timeout is disconnected. The status is sent with the first page. A later error closes the connection before the end
 * of the chunked body, so that the client sees the truncation. Belongs to the request's event loop.
 */
final class ScanStream {

    /** The approximate size of the chunks in which lines of JSON are combined. */
    private static final int CHUNK_BYTES = 16 * 1024;

    /** The size of the slices of larger values, so that such a line is in memory only once. */
    private static final int SLICE = 48 * 1024;

    private final ApiExchange exchange;
    private final HttpServerResponse response;
    private final Scan scan;
    private final boolean ndjson;
    private long remaining;
    private long remainingBytes;
    private boolean begun;
    private boolean pulling;
    private boolean stopped;
    /** The rest of the page. An entry that is being sent is held by the socket only. */
    private final Deque<KeyValue> page = new ArrayDeque<>();
    /** The bytes reserved for the page and the scan's other memory. */
    private long pageBytes;
    /** The rest of an entry that is sent in slices. */
    private Iterator<Buffer> slices = Collections.emptyIterator();

    private ScanStream(ApiExchange exchange, Scan scan, boolean ndjson, long limit, long bytes) {
        this.exchange = exchange;
        this.response = exchange.response();
        this.scan = scan;
        this.ndjson = ndjson;
        this.remaining = limit;
        this.remainingBytes = bytes;
    }

    /**
     * Starts to stream.
     *
     * @param ndjson whether entries are lines of JSON rather than key, newline and value
     * @param limit how many entries to send at most
     * @param bytes the bytes of keys and values after which the scan ends, with the entry that reaches them
     */
    static void start(ApiExchange exchange, Scan scan, boolean ndjson, long limit, long bytes) {
        ScanStream running = new ScanStream(exchange, scan, ndjson, limit, bytes);
        exchange.whenGone(running::abandon);
        exchange.whenRevoked(running::failed);
        running.pull();
    }

    private void abandon() {
        scan.close();
        drop();
        if (!pulling) {
            exchange.release();
        }
    }

    private void drop() {
        page.clear();
        slices = Collections.emptyIterator();
        exchange.share().unreserve(pageBytes);
        pageBytes = 0;
    }

    private void pull() {
        drop();
        pulling = true;
        try {
            scan.next().whenComplete(this::arrived);
        } catch (RuntimeException | Error e) {
            pulling = false;
            failed(e);
        }
    }

    /** Takes a page, or its failure, on any thread: its bytes count from here on. */
    private void arrived(List<KeyValue> entries, @Nullable Throwable error) {
        @Nullable Throwable failure = error;
        long bytes = 0;
        if (failure == null) {
            try {
                bytes = scan.heldBytes();
                for (KeyValue entry : entries) {
                    bytes += entry.value().bytes().length;
                }
                exchange.share().reserveAhead(bytes);
            } catch (RuntimeException | Error e) {
                failure = e;
            }
        }
        go(entries, bytes, failure);
    }

    /** Continues later, never now: pages that are available at once would otherwise cause recursion. */
    private void go(List<KeyValue> entries, long bytes, @Nullable Throwable failure) {
        exchange.later(() -> {
            pulling = false;
            if (failure == null) {
                exchange.share().adopt(bytes);
                pageBytes = bytes;
                guarded(() -> received(entries));
            } else {
                failed(failure);
            }
        });
    }

    /** Guards a step, so that an error releases the request's place. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    private void failed(Throwable error) {
        boolean isAnswered = stopped;
        stopped = true;
        scan.close();
        drop();
        if (isAnswered || exchange.isCutOrGone()) {
            exchange.release();
        } else if (begun) {
            exchange.logAndCut(error);
        } else {
            exchange.fail(error);
        }
    }

    private void received(List<KeyValue> entries) {
        if (stopped || exchange.isCutOrGone()) {
            scan.close();
            exchange.release();
            return;
        }
        if (!begun) {
            begun = true;
            exchange.answerBegins();
            response.setStatusCode(200)
                    .setChunked(true)
                    .putHeader(HttpHeaders.CONTENT_TYPE, ndjson ? Ndjson.CONTENT_TYPE : "application/octet-stream");
        }
        if (exchange.isHead()) {
            end();
            return;
        }
        page.addAll(entries);
        if (page.isEmpty()) {
            end();
        } else {
            send();
        }
    }

    private void send() {
        while (slices.hasNext() || (!page.isEmpty() && hasMore())) {
            if (response.writeQueueFull()) {
                awaitDrain();
                return;
            }
            response.write(chunk());
        }
        if (!hasMore()) {
            end();
        } else if (response.writeQueueFull()) {
            awaitDrain();
        } else {
            pull();
        }
    }

    /**
     * Returns one entry, whose chunk marks its boundary; or as many lines as fill a chunk, or a slice of a long one.
     */
    private Buffer chunk() {
        if (!ndjson) {
            return entry(take());
        }
        if (!slices.hasNext() && isLarge(page.getFirst())) {
            slices = Ndjson.slices(take(), SLICE);
        }
        return slices.hasNext() ? slices.next() : lines();
    }

    private static boolean isLarge(KeyValue entry) {
        return entry.value().bytes().length > SLICE;
    }

    private void awaitDrain() {
        exchange.startTimer(exchange.patience().writeTimeout(), this::stalled);
        response.drainHandler(drained -> {
            response.drainHandler(null);
            exchange.stopTimer();
            if (!exchange.isCutOrGone()) {
                guarded(this::send);
            }
        });
    }

    private void stalled() {
        drop();
        scan.close();
        exchange.cut();
    }

    private void end() {
        scan.close();
        exchange.whenRevoked(revoked -> {});
        drop();
        exchange.share().leave();
        exchange.watch(response.end());
    }

    private static Buffer entry(KeyValue entry) {
        byte[] key = entry.key().unsafeBytes();
        byte[] value = entry.value().bytes();
        return Buffer.buffer(key.length + 1 + value.length)
                .appendBytes(key)
                .appendByte((byte) '\n')
                .appendBytes(value);
    }

    /** Returns as many of the page's entries as fill a chunk. */
    private Buffer lines() {
        Buffer chunk = Buffer.buffer();
        while (!page.isEmpty() && hasMore() && !isLarge(page.getFirst()) && chunk.length() < CHUNK_BYTES) {
            chunk.appendBuffer(Ndjson.entry(take()));
        }
        return chunk;
    }

    private KeyValue take() {
        KeyValue entry = page.removeFirst();
        remaining--;
        remainingBytes -= entry.key().length() + entry.value().bytes().length;
        return entry;
    }

    private boolean hasMore() {
        return remaining > 0 && remainingBytes > 0;
    }
}
