package io.dht4j.transport.http.internal.api;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.spi.TextFiles;
import io.dht4j.transport.common.options.PublicApiOptions.Limits;
import io.dht4j.transport.http.internal.common.Ndjson;
import io.dht4j.transport.http.internal.common.NdjsonSplitter;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The body of a batch: lines of JSON, each parsed as soon as it is complete, so that only one line is held in addition
 * to the keys and values. Belongs to the request's event loop.
 */
abstract class BatchBody implements RequestBody.Receiver {

    private final InFlightLease share;
    private final int maxBytes;
    private final int maxKeys;
    private final int maxLineBytes;
    private final Set<String> fields;
    private final NdjsonSplitter splitter;
    private int count;
    private int blank;

    private BatchBody(ApiExchange exchange, int maxLineBytes, Set<String> fields) {
        Limits limits = exchange.limits();
        this.share = exchange.share();
        this.maxBytes = limits.maxBatchBytes();
        this.maxKeys = limits.maxBatchKeys();
        this.maxLineBytes = maxLineBytes;
        this.fields = fields;
        this.splitter = new NdjsonSplitter(maxLineBytes, new Lines());
    }

    /** Returns a batch of keys to read; a repeated key counts once. */
    static BatchBody keys(ApiExchange exchange, Consumer<List<Key>> whenWhole) {
        return new Keys(exchange, whenWhole);
    }

    /** Returns a batch of keys and values to write, each key once. */
    static BatchBody values(ApiExchange exchange, Consumer<Map<Key, byte[]>> whenWhole) {
        return new Values(exchange, whenWhole);
    }

    abstract void add(Ndjson.Line line);

    abstract void whole();

    abstract InvalidRequestException tooLong(String what);

    @Override
    public final int maxBytes() {
        return maxBytes;
    }

    @Override
    public final InvalidRequestException tooLarge() {
        return new InvalidRequestException(
                ErrorCode.BATCH_TOO_LARGE, "the body of a batch has at most " + maxBytes + " bytes on this node");
    }

    @Override
    public final void received(Buffer chunk) {
        share.reserve(chunk.length());
        splitter.add(chunk);
    }

    @Override
    public final void ended() {
        splitter.end();
        whole();
    }

    @Override
    public void dropped() {
        splitter.clear();
    }

    private static int beginOfText(byte[] bytes, int from, int to) {
        try {
            return TextFiles.beginOfText(bytes, from, to);
        } catch (IOException e) {
            throw new InvalidRequestException(ErrorCode.BAD_REQUEST, "line 1: " + e.getMessage());
        }
    }

    private static boolean isBlank(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] != ' ' && bytes[i] != '\t' && bytes[i] != '\r') {
                return false;
            }
        }
        return true;
    }

    private final class Lines implements NdjsonSplitter.Lines {

        @Override
        public void line(byte[] bytes, int begin, int to) {
            count++;
            int from = count == 1 ? beginOfText(bytes, begin, to) : begin;
            if (isBlank(bytes, from, to)) {
                blank++;
                return;
            }
            if (count - blank > maxKeys) {
                throw new InvalidRequestException(
                        ErrorCode.BATCH_TOO_LARGE, "a batch has at most " + maxKeys + " lines on this node");
            }
            try {
                add(Ndjson.parse(bytes, from, to, fields));
            } catch (DhtException e) {
                throw DhtException.of(e.code(), "line " + count + ": " + e.getMessage());
            } catch (IllegalArgumentException e) {
                throw new InvalidRequestException(ErrorCode.BAD_REQUEST, "line " + count + ": " + e.getMessage());
            }
        }

        @Override
        public RuntimeException tooLong() {
            return BatchBody.this.tooLong("line " + (count + 1) + " is over " + maxLineBytes + " bytes");
        }
    }

    private static final class Keys extends BatchBody {

        private final Set<Key> keys = new LinkedHashSet<>();
        private final Consumer<List<Key>> whenWhole;

        Keys(ApiExchange exchange, Consumer<List<Key>> whenWhole) {
            super(exchange, Ndjson.maxLineBytes(0), Ndjson.KEYS);
            this.whenWhole = whenWhole;
        }

        @Override
        void add(Ndjson.Line line) {
            keys.add(line.requireKey());
        }

        @Override
        void whole() {
            whenWhole.accept(new ArrayList<>(keys));
        }

        @Override
        InvalidRequestException tooLong(String what) {
            return new InvalidRequestException(ErrorCode.KEY_INVALID, what);
        }
    }

    private static final class Values extends BatchBody {

        private final int maxValueBytes;
        private final Map<Key, byte[]> values = new LinkedHashMap<>();
        private final Consumer<Map<Key, byte[]>> whenWhole;

        Values(ApiExchange exchange, Consumer<Map<Key, byte[]>> whenWhole) {
            super(exchange, Ndjson.maxLineBytes(exchange.limits().maxValueBytes()), Ndjson.PUTS);
            this.maxValueBytes = exchange.limits().maxValueBytes();
            this.whenWhole = whenWhole;
        }

        @Override
        void add(Ndjson.Line line) {
            byte[] value = line.requireValue();
            if (value.length > maxValueBytes) {
                throw ValueBody.tooLarge(maxValueBytes, value.length);
            }
            if (values.put(line.requireKey(), value) != null) {
                throw new IllegalArgumentException("the key stands in an earlier line already");
            }
        }

        @Override
        void whole() {
            whenWhole.accept(values);
        }

        @Override
        InvalidRequestException tooLong(String what) {
            return new InvalidRequestException(ErrorCode.VALUE_TOO_LARGE, what);
        }

        @Override
        public void dropped() {
            super.dropped();
            values.clear();
        }
    }
}
