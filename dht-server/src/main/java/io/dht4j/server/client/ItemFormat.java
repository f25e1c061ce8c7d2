package io.dht4j.server.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.PrintableText;
import io.dht4j.Version;
import io.dht4j.spi.TextFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The formats of files of entries. Each entry is one line. */
public enum ItemFormat {
    /**
     * Key, tabulator, value, as bytes. Within them {@code \t}, {@code \n}, {@code \r} and {@code \\} represent a
     * tabulator, a line feed, a carriage return and a backslash; all other bytes represent themselves, so any text as
     * key and any value passes through. A key that is not UTF-8 is written but not read: most often, the file has
     * another encoding. Does not keep when an entry expires.
     */
    TSV {
        @Override
        public Item parse(byte[] line) throws ClientException {
            int end = line.length > 0 && line[line.length - 1] == '\r' ? line.length - 1 : line.length;
            int tab = 0;
            while (tab < end && line[tab] != '\t') {
                tab++;
            }
            if (tab == end) {
                throw new ClientException("expected key, tabulator, value; there is no tabulator");
            }
            for (int i = tab + 1; i < end; i++) {
                if (line[i] == '\t') {
                    throw new ClientException("expected key, tabulator, value; there is a second tabulator"
                            + " (one within a value is written \\t)");
                }
            }
            Key key = key(unescape(line, 0, tab));
            if (!key.isText()) {
                throw new ClientException("the key is not UTF-8: save the file as UTF-8, or use ndjson, which has"
                        + " keys of other bytes as key_base64");
            }
            return new Item(key, unescape(line, tab + 1, end), OptionalLong.empty());
        }

        @Override
        public byte[] format(Item item) {
            byte[] key = item.key().unsafeBytes();
            byte[] value = item.value();
            ByteArrayOutputStream line = new ByteArrayOutputStream(key.length + value.length + 16);
            escape(key, line);
            line.write('\t');
            escape(value, line);
            line.write('\n');
            return line.toByteArray();
        }
    },

    /**
     * A JSON object with {@code key_base64} and {@code value_base64}, or {@code key} and {@code value} as text (with
     * both, they must agree), and {@code expires_at} in milliseconds since 1970 if the entry expires; with a negative
     * number it has expired. The {@code version} of a scan's line is read where an entry keeps it. Other fields are
     * refused; a line has at most {@value #MOST_TOKENS} names, values and brackets.
     */
    NDJSON {
        @Override
        public Item parse(byte[] line) throws ClientException {
            JsonNode node;
            try {
                // The parser would take a line of UTF-16 too, but not the next one.
                TextFiles.requireNoNul(line);
                node = JSON.readTree(line);
            } catch (JsonProcessingException e) {
                throw new ClientException(malformed(e, line.length));
            } catch (IOException e) {
                throw new ClientException("not a JSON object: " + e.getMessage());
            }
            if (!node.isObject()) {
                throw new ClientException("not a JSON object; each line must hold one");
            }
            requireKnownFields(node);
            return new Item(
                    key(bytes(node, "key")),
                    bytes(node, "value"),
                    expiry(node.path("expires_at")),
                    version(node.path("version")));
        }

        @Override
        public byte[] format(Item item) {
            ObjectNode node = JSON.createObjectNode();
            node.put("key_base64", item.key().unsafeBytes());
            node.put("value_base64", item.value());
            item.expiresAtMillis().ifPresent(millis -> node.put("expires_at", millis));
            return (node + "\n").getBytes(StandardCharsets.UTF_8);
        }
    };

    /** The fields of a line of {@link #NDJSON}, in the order of messages. */
    private static final List<String> FIELDS =
            List.of("key", "key_base64", "value", "value_base64", "expires_at", "version");

    private static final Pattern NOT_BASE64 = Pattern.compile("[^A-Za-z0-9+/=]|=(?!=?$)");

    private static final int LONGEST_QUOTE = 100;

    /** The bound on brackets within one another. */
    private static final int MOST_NESTED = 8;

    /** The bound on tokens. An entry needs some twenty; each takes far more memory than its bytes. */
    private static final int MOST_TOKENS = 1_000;

    /** The parser. It has no bound on strings, because the length of a line is bounded before. */
    private static final ObjectMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(LineReader.MAX_LINE)
                            .maxNestingDepth(MOST_NESTED)
                            .maxTokenCount(MOST_TOKENS)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /**
     * Reads a line.
     *
     * @param line the line without its end
     * @return the entry
     * @throws ClientException if the line has another form; the message does not name the line
     */
    public abstract Item parse(byte[] line) throws ClientException;

    /**
     * Writes an entry.
     *
     * @param item the entry
     * @return the line with its end
     */
    public abstract byte[] format(Item item);

    /**
     * Finds the format for a file's name.
     *
     * @param fileName a name or path
     * @return the format, or empty if the name does not determine it
     */
    public static Optional<ItemFormat> ofFileName(String fileName) {
        String name = fileName.toLowerCase(Locale.ROOT);
        if (name.endsWith(".tsv") || name.endsWith(".tab")) {
            return Optional.of(TSV);
        }
        if (name.endsWith(".ndjson") || name.endsWith(".jsonl")) {
            return Optional.of(NDJSON);
        }
        return Optional.empty();
    }

    /**
     * Returns the message for a name that does not determine the format.
     *
     * @param file the file
     * @return one line for the user, with the names that would
     */
    public static String unknownFormat(Path file) {
        return "--format tsv or ndjson is needed: the name " + file
                + " does not tell (.tsv and .tab do, .ndjson and .jsonl do)";
    }

    /** Returns why a line is no JSON object. The parser's own message is for programmers. */
    private static String malformed(JsonProcessingException e, int length) {
        if (e instanceof StreamConstraintsException) {
            return "an entry's line has at most " + MOST_TOKENS + " names, values and brackets, these at most "
                    + MOST_NESTED + " deep, and numbers of at most "
                    + StreamReadConstraints.DEFAULT_MAX_NUM_LEN + " digits";
        }
        if (e instanceof JsonEOFException || e.getLocation().getColumnNr() > length) {
            return "no whole JSON object; each line must hold one";
        }
        // A mismatch is what follows the end of the object.
        return e instanceof MismatchedInputException
                ? "more than one JSON value; each line must hold one object"
                : "no well-formed JSON object with each field once, at byte "
                        + e.getLocation().getColumnNr();
    }

    private static void requireKnownFields(JsonNode node) throws ClientException {
        Iterator<String> names = node.fieldNames();
        while (names.hasNext()) {
            String name = names.next();
            if (!FIELDS.contains(name)) {
                throw new ClientException("unknown field \"" + PrintableText.of(name, LONGEST_QUOTE)
                        + "\"; the fields are " + String.join(", ", FIELDS));
            }
        }
    }

    /** Returns the expiry; every time before 1970 has passed. */
    private static OptionalLong expiry(JsonNode node) throws ClientException {
        if (node.isMissingNode() || node.isNull()) {
            return OptionalLong.empty();
        }
        if (node.canConvertToExactIntegral()) {
            if (node.canConvertToLong()) {
                return OptionalLong.of(node.longValue());
            }
            if (node.doubleValue() < 0) {
                return OptionalLong.of(Long.MIN_VALUE);
            }
        }
        throw new ClientException(
                "expires_at must be a whole number of milliseconds since 1970, up to " + Long.MAX_VALUE);
    }

    /** Returns the version in the form of a scan; in other files a field of that name may mean something else. */
    private static Optional<Version> version(JsonNode node) {
        try {
            return node.isTextual()
                    ? Optional.of(new Version(Long.parseUnsignedLong(node.textValue())))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Key key(byte[] bytes) throws ClientException {
        try {
            return Key.of(bytes);
        } catch (InvalidRequestException e) {
            throw new ClientException(String.valueOf(e.getMessage()));
        }
    }

    private static byte[] bytes(JsonNode node, String name) throws ClientException {
        JsonNode base64 = node.path(name + "_base64");
        JsonNode text = node.path(name);
        if (base64.isTextual()) {
            byte[] bytes = base64(name + "_base64", base64.textValue());
            if (text.isTextual() && !Arrays.equals(bytes, utf8(name, text.textValue()))) {
                throw new ClientException(name + " and " + name + "_base64 differ; give one of them");
            }
            return bytes;
        }
        if (text.isTextual()) {
            return utf8(name, text.textValue());
        }
        throw new ClientException("expected the text field " + name + "_base64 (or " + name + ")");
    }

    /**
     * Decodes Base64 of the usual alphabet, with padding.
     *
     * @param name what to call the text in messages
     * @param text the text
     * @return the bytes
     * @throws ClientException if it is not Base64; the message names the first character at fault
     */
    public static byte[] base64(String name, String text) throws ClientException {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            Matcher wrong = NOT_BASE64.matcher(text);
            throw new ClientException(name + " is not Base64: "
                    + (wrong.find()
                            ? "character " + (wrong.start() + 1) + " is \"" + PrintableText.of(wrong.group())
                                    + "\", and A to Z, a to z, 0 to 9, + and / are allowed, with = at the end"
                            : "its length is wrong: groups of 4 characters are needed, the last one filled with ="));
        }
    }

    private static byte[] utf8(String name, String text) throws ClientException {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new ClientException(name + " has an unpaired surrogate, which UTF-8 cannot encode");
        }
    }

    private static void escape(byte[] bytes, ByteArrayOutputStream line) {
        for (byte b : bytes) {
            switch (b) {
                case '\t' -> line.writeBytes(new byte[] {'\\', 't'});
                case '\n' -> line.writeBytes(new byte[] {'\\', 'n'});
                case '\r' -> line.writeBytes(new byte[] {'\\', 'r'});
                case '\\' -> line.writeBytes(new byte[] {'\\', '\\'});
                default -> line.write(b);
            }
        }
    }

    private static byte[] unescape(byte[] line, int from, int to) throws ClientException {
        byte[] bytes = new byte[to - from];
        int length = 0;
        for (int i = from; i < to; i++) {
            byte b = line[i];
            if (b == '\\') {
                i++;
                b = switch (i < to ? line[i] : 0) {
                    case 't' -> '\t';
                    case 'n' -> '\n';
                    case 'r' -> '\r';
                    case '\\' -> '\\';
                    default ->
                        throw new ClientException("a backslash must be followed by t, n, r or another backslash"
                                + " (a plain backslash is written \\\\)");
                };
            }
            bytes[length++] = b;
        }
        return Arrays.copyOf(bytes, length);
    }
}
