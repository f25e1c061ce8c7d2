package io.dht4j.transport.http;

import io.dht4j.DhtException;
import io.dht4j.KeyValue;
import io.dht4j.Scan;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.util.Base64;
import java.util.List;

/**
 * Streams a scan to a client. It holds one page: the next one is asked for when the socket has taken the last, so a slow
 * client slows the scan down, and one that takes nothing for the write timeout is cut. The status goes out with the first
 * page; an error that comes later closes the connection before the end of the chunked body, so that the client sees the
 * truncation. Belongs to the request's event loop.
 */
final class HttpApiScan {

    static final String NDJSON = "application/x-ndjson";

    /** Lines of JSON are put together into chunks of about this many bytes. */
    private static final int CHUNK_BYTES = 16 * 1024;

    /** Larger chunks count as bytes in flight until the socket has taken them. */
    private static final int SMALL_CHUNK = 64 * 1024;

    private final HttpApiExchange exchange;
    private final HttpServerResponse response;
    private final Scan scan;
    private final boolean ndjson;
    private long remaining;
    private boolean begun;
    private boolean pulling;
    private List<KeyValue> page = List.of();
    private int next;

    private HttpApiScan(HttpApiExchange exchange, Scan scan, boolean ndjson, long limit) {
        this.exchange = exchange;
        this.response = exchange.response();
        this.scan = scan;
        this.ndjson = ndjson;
        this.remaining = limit;
    }

    /**
     * Starts to stream.
     *
     * @param ndjson whether entries are lines of JSON rather than key, newline and value
     * @param limit how many entries to send at most
     */
    static void start(HttpApiExchange exchange, Scan scan, boolean ndjson, long limit) {
        HttpApiScan running = new HttpApiScan(exchange, scan, ndjson, limit);
        exchange.whenGone(running::abandon);
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
        if (exchange.isCutOrGone()) {
            scan.close();
            exchange.release();
            return;
        }
        if (!begun) {
            begun = true;
            exchange.answerBegins();
            response.setStatusCode(200)
                    .setChunked(true)
                    .putHeader(HttpHeaders.CONTENT_TYPE, ndjson ? NDJSON : "application/octet-stream");
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
        while (next < page.size() && remaining > 0) {
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
        if (remaining == 0) {
            end();
        } else if (response.writeQueueFull()) {
            awaitDrain();
        } else {
            pull();
        }
    }

    /** Sends one entry, or as many lines as fill a chunk; tells whether there was room. */
    private boolean sendChunk() {
        Buffer chunk = ndjson ? lines() : entry(page.get(next++));
        remaining = ndjson ? remaining : remaining - 1;
        int length = chunk.length();
        if (length <= SMALL_CHUNK) {
            response.write(chunk);
            return true;
        }
        try {
            exchange.reserve(length);
        } catch (DhtException e) {
            failed(e);
            return false;
        }
        response.write(chunk).onComplete(written -> exchange.unreserve(length));
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
        exchange.leave();
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
        while (next < page.size() && remaining > 0 && chunk.length() < CHUNK_BYTES) {
            chunk.appendBuffer(line(page.get(next++))).appendByte((byte) '\n');
            remaining--;
        }
        return chunk;
    }

    private static Buffer line(KeyValue entry) {
        Base64.Encoder base64 = Base64.getEncoder();
        JsonObject json = new JsonObject();
        if (entry.key().isText()) {
            json.put("key", entry.key().toString());
        }
        json.put("key_base64", base64.encodeToString(entry.key().unsafeBytes()))
                .put("value_base64", base64.encodeToString(entry.value().bytes()))
                .put("version", entry.value().version().toString());
        entry.value().expiresAtMillis().ifPresent(millis -> json.put("expires_at", millis));
        return json.toBuffer();
    }
}
