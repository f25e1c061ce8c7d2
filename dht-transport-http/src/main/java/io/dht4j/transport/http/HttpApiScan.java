package io.dht4j.transport.http;

import io.dht4j.DhtException;
import io.dht4j.KeyValue;
import io.dht4j.Scan;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;

/**
 * Streams a scan to a client. It holds one page: the next one is asked for when the socket has taken the last, so a slow
 * client slows the scan down, and one that takes nothing for the write timeout is cut. The status goes out with the first
 * page; an error that comes later closes the connection before the end of the chunked body, so that the client sees the
 * truncation. Belongs to the request's event loop.
 */
final class HttpApiScan {

    /** Lines of JSON are put together into chunks of about this many bytes. */
    private static final int CHUNK_BYTES = 16 * 1024;

    /** Larger chunks count as bytes in flight until the socket has taken them. */
    private static final int SMALL_CHUNK = 64 * 1024;

    private final HttpApiExchange exchange;
    private final HttpServerResponse response;
    private final Scan scan;
    private final boolean ndjson;
    private long remaining;
    private long remainingBytes;
    private boolean begun;
    private boolean pulling;
    private boolean stopped;
    private List<KeyValue> page = List.of();
    private int next;

    private HttpApiScan(HttpApiExchange exchange, Scan scan, boolean ndjson, long limit, long bytes) {
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
     * @param bytes how many bytes of keys and values make the entry with which they are reached the last
     */
    static void start(HttpApiExchange exchange, Scan scan, boolean ndjson, long limit, long bytes) {
        HttpApiScan running = new HttpApiScan(exchange, scan, ndjson, limit, bytes);
        exchange.whenGone(running::abandon);
        exchange.whenRevoked(running::failed);
        running.pull();
    }

    private void abandon() {
        scan.close();
        page = List.of();
        if (!pulling) {
            exchange.release();
        }
    }

    private void pull() {
        pulling = true;
        try {
            // Always later, not now: pages that are there at once must not make a recursion.
            scan.next()
                    .whenComplete((entries, error) -> exchange.later(() -> {
                        pulling = false;
                        if (error == null) {
                            received(entries);
                        } else {
                            failed(error);
                        }
                    }));
        } catch (RuntimeException e) {
            pulling = false;
            failed(e);
        }
    }

    /** A fault here must not keep the request's place for ever. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    private void failed(Throwable error) {
        stopped = true;
        scan.close();
        page = List.of();
        if (exchange.isCutOrGone()) {
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
        page = entries;
        next = 0;
        if (page.isEmpty()) {
            end();
        } else {
            send();
        }
    }

    private void send() {
        while (next < page.size() && hasMore()) {
            if (response.writeQueueFull()) {
                awaitDrain();
                return;
            }
            if (!sendChunk()) {
                return;
            }
        }
        page = List.of();
        next = 0;
        if (!hasMore()) {
            end();
        } else if (response.writeQueueFull()) {
            awaitDrain();
        } else {
            pull();
        }
    }

    /** Sends one entry, or as many lines as fill a chunk; tells whether there was room. */
    private boolean sendChunk() {
        Buffer chunk = ndjson ? lines() : entry(take());
        int length = chunk.length();
        if (length <= SMALL_CHUNK) {
            response.write(chunk);
            return true;
        }
        try {
            exchange.share().reserve(length);
        } catch (DhtException e) {
            failed(e);
            return false;
        }
        response.write(chunk).onComplete(written -> exchange.share().unreserve(length));
        return true;
    }

    private void awaitDrain() {
        exchange.startTimer(exchange.options().writeTimeout(), this::stalled);
        response.drainHandler(drained -> {
            response.drainHandler(null);
            exchange.stopTimer();
            if (!exchange.isCutOrGone()) {
                guarded(this::send);
            }
        });
    }

    private void stalled() {
        page = List.of();
        scan.close();
        exchange.cut();
    }

    private void end() {
        scan.close();
        exchange.whenRevoked(revoked -> {});
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

    /** As many of the page's entries as fill a chunk. */
    private Buffer lines() {
        Buffer chunk = Buffer.buffer();
        while (next < page.size() && hasMore() && chunk.length() < CHUNK_BYTES) {
            chunk.appendBuffer(Ndjson.entry(take()));
        }
        return chunk;
    }

    private KeyValue take() {
        KeyValue entry = page.get(next++);
        remaining--;
        remainingBytes -= entry.key().length() + entry.value().bytes().length;
        return entry;
    }

    private boolean hasMore() {
        return remaining > 0 && remainingBytes > 0;
    }
}
