package io.dht4j.transport.http.internal.common;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.dht4j.Key;
import io.dht4j.KeyValue;
import io.dht4j.Value;
import io.dht4j.Version;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Base64;
import java.util.Iterator;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Entries as lines of JSON, as scans and batches have them. The reader of received lines bounds them. Here they are
 * parsed strictly: every field must be known and appear once.
 */
public final class Ndjson {

    public static final String CONTENT_TYPE = "application/x-ndjson";

    static final String KEY = "key_base64";
    static final String VALUE = "value_base64";
    private static final String TEXT = "key";
    private static final String VERSION = "version";
    private static final String EXPIRY = "expires_at";

    /** The fields of a line that shows an entry. */
    public static final Set<String> ENTRY = Set.of(TEXT, KEY, VALUE, VERSION, EXPIRY);

    /** The fields of a line that names a key. */
    public static final Set<String> KEYS = Set.of(KEY);

    /** The fields of a line that gives a value to a key. */
    public static final Set<String> PUTS = Set.of(KEY, VALUE);

    /**
     * The bytes of a line without its value: the key, twice, its text as escapes of six characters a byte, and the
     * rest.
     */
    static final int MAX_BESIDES_VALUE = 8 * Key.MAX_LENGTH + 1024;

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNestingDepth(2)
                    .maxNameLength(100)
                    .maxNumberLength(20)
                    .build())
            .build();

    private Ndjson() {}

    /** Returns the length of the longest line that has a value of this size. */
    public static int maxLineBytes(int maxValueBytes) {
        return (int) Math.min(Integer.MAX_VALUE - 64, 4L * (maxValueBytes / 3 + 1) + MAX_BESIDES_VALUE);
    }

    /** The content of a line; fields that it does not have are missing. */
    public static final class Line {

        private @Nullable Key key;
        private byte @Nullable [] value;
        private @Nullable Version version;
        private OptionalLong expiresAtMillis = OptionalLong.empty();

        private Line() {}

        /**
         * Returns the key.
         *
         * @throws IllegalArgumentException if the line has none
         */
        public Key requireKey() {
            return require(key, KEY);
        }

        /**
         * Returns the value.
         *
         * @throws IllegalArgumentException if the line has none
         */
        public byte[] requireValue() {
            return require(value, VALUE);
        }

        /**
         * Returns the complete entry.
         *
         * @throws IllegalArgumentException if the line lacks a part of it
         */
        public KeyValue entry() {
            return new KeyValue(
                    requireKey(),
                    new Value(
                            requireValue(),
                            require(version, VERSION),
                            expiresAtMillis.isPresent()
                                    ? Optional.of(Instant.ofEpochMilli(expiresAtMillis.getAsLong()))
                                    : Optional.empty()));
        }

        private static <T> T require(@Nullable T field, String name) {
            return Optional.ofNullable(field).orElseThrow(() -> new IllegalArgumentException(name + " is missing"));
        }
    }

    /**
     * Parses a line.
     *
     * @param allowed the fields that it may have
     * @throws IllegalArgumentException if it is malformed; the message describes the error without the value
     * @throws io.dht4j.InvalidRequestException if the key is not 1 to 4096 bytes long
     */
    public static Line parse(byte[] bytes, int from, int to, Set<String> allowed) {
        Line line = new Line();
        try (JsonParser parser = JSON.createParser(bytes, from, to - from)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("not a JSON object");
            }
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                if (!allowed.contains(name)) {
                    throw new IllegalArgumentException("unknown field \"" + HttpText.shown(name)
                            + "\"; a line here has only " + String.join(", ", new TreeSet<>(allowed)));
                }
                JsonToken token = parser.nextToken();
                if (token != (name.equals(EXPIRY) ? JsonToken.VALUE_NUMBER_INT : JsonToken.VALUE_STRING)) {
                    throw new IllegalArgumentException(name + " has the wrong type");
                }
                switch (name) {
                    case KEY -> line.key = Key.of(base64(parser, name));
                    case VALUE -> line.value = base64(parser, name);
                    case VERSION -> line.version = new Version(Long.parseUnsignedLong(parser.getText()));
                    case EXPIRY -> line.expiresAtMillis = OptionalLong.of(parser.getLongValue());
                    default -> parser.skipChildren();
                }
            }
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("more than one JSON object");
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("version is not an unsigned 64-bit decimal number", e);
        } catch (IOException e) {
            // The parser's own message may show the client's bytes.
            throw new IllegalArgumentException("not a well-formed JSON object on one line, each field once", e);
        }
        return line;
    }

    private static byte[] base64(JsonParser parser, String name) {
        try {
            return parser.getBinaryValue();
        } catch (IOException e) {
            throw new IllegalArgumentException(name + " is not Base64", e);
        }
    }

    /** Returns a line that shows an entry, with its end. */
    public static Buffer entry(KeyValue entry) {
        Value value = entry.value();
        return line(value.bytes().length, json -> {
            if (entry.key().isText()) {
                json.writeStringField(TEXT, entry.key().toString());
            }
            json.writeBinaryField(KEY, entry.key().unsafeBytes());
            json.writeBinaryField(VALUE, value.bytes());
            json.writeStringField(VERSION, value.version().toString());
            if (value.expiresAt().isPresent()) {
                json.writeNumberField(EXPIRY, value.expiresAt().get().toEpochMilli());
            }
        });
    }

    /**
     * Returns the line of {@link #entry} in pieces that are made one after the other.
     *
     * @param bytes how much of the value is in a piece, a multiple of 3
     */
    public static Iterator<Buffer> slices(KeyValue entry, int bytes) {
        Value value = entry.value();
        // Quotes within a field are escaped, so only the field itself matches.
        String around = entry(new KeyValue(entry.key(), new Value(new byte[0], value.version(), value.expiresAt())))
                .toString();
        String begin = "\"" + VALUE + "\":\"";
        int at = around.indexOf(begin) + begin.length();
        return new Slices(around.substring(0, at), value.bytes(), around.substring(at), bytes);
    }

    /** A value in Base64, with the text before and after it. */
    private static final class Slices implements Iterator<Buffer> {

        private final byte[] value;
        private final int size;
        private String before;
        private String behind;
        private int from;

        Slices(String before, byte[] value, String behind, int size) {
            this.before = before;
            this.value = value;
            this.behind = behind;
            this.size = size;
        }

        @Override
        public boolean hasNext() {
            return !behind.isEmpty();
        }

        @Override
        public Buffer next() {
            if (!before.isEmpty()) {
                Buffer head = Buffer.buffer(before);
                before = "";
                return head;
            }
            if (from < value.length) {
                int length = Math.min(size, value.length - from);
                ByteBuffer encoded = Base64.getEncoder().encode(ByteBuffer.wrap(value, from, length));
                from += length;
                return Buffer.buffer(encoded.remaining()).appendBytes(encoded.array(), 0, encoded.remaining());
            }
            Buffer tail = Buffer.buffer(behind);
            behind = "";
            return tail;
        }
    }

    /** Returns a line that names a key, with its end. */
    public static Buffer key(Key key) {
        return line(0, json -> json.writeBinaryField(KEY, key.unsafeBytes()));
    }

    /** Returns a line that gives a value to a key, with its end. */
    public static Buffer put(Key key, byte[] value) {
        return line(value.length, json -> {
            json.writeBinaryField(KEY, key.unsafeBytes());
            json.writeBinaryField(VALUE, value);
        });
    }

    private interface Fields {

        void write(JsonGenerator json) throws IOException;
    }

    private static Buffer line(int valueBytes, Fields fields) {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256 + 4 * (valueBytes / 3 + 1));
        try (JsonGenerator json = JSON.createGenerator(line)) {
            json.writeStartObject();
            fields.write(json);
            json.writeEndObject();
            json.writeRaw('\n');
        } catch (IOException e) {
            throw new UncheckedIOException("memory cannot fail", e);
        }
        return Buffer.buffer(line.toByteArray());
    }
}
