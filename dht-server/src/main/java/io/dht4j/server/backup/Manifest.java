package io.dht4j.server.backup;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dht4j.Version;
import io.dht4j.server.client.ClientException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The manifest of a snapshot's directory: {@code manifest.json}. It is written last, so that a manifest exists only
 * with every file that it names. Its own hash is the hash of the whole snapshot, because it contains those of all
 * files.
 *
 * @param cut the version of the snapshot
 * @param entries how many entries there are
 * @param bytes how many bytes their keys and values have
 * @param files the data files, in the order of their keys
 */
record Manifest(Version cut, long entries, long bytes, List<DataFile> files) {

    /** The name of its file. */
    static final String NAME = "manifest.json";

    /** The newest format that this program reads, and the one that it writes. */
    static final int FORMAT_VERSION = 1;

    /** The size of the largest manifest: room for some hundred thousand data files. */
    static final int MAX_BYTES = 32 << 20;

    private static final String FORMAT = "dht4j-snapshot";
    private static final String HASH = "sha256";
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(3)
                    .maxNameLength(64)
                    .maxStringLength(1_000)
                    .build())
            // Names are arbitrary: a table of all of them would grow with the file.
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build());

    /**
     * A file of entries.
     *
     * @param name its name in the directory
     * @param entries how many it has
     * @param bytes its size
     * @param sha256 of all its bytes, in hexadecimal digits
     */
    record DataFile(String name, long entries, long bytes, String sha256) {}

    Manifest {
        files = List.copyOf(files);
    }

    Instant time() {
        return Instant.ofEpochMilli(cut.millis());
    }

    /** Returns the size of the data files in bytes. */
    long fileBytes() {
        return files.stream().mapToLong(DataFile::bytes).sum();
    }

    /** Encodes the manifest in its only form. */
    byte[] encode() {
        ObjectNode json = JSON.createObjectNode()
                .put("format", FORMAT)
                .put("format_version", FORMAT_VERSION)
                .put("cut", cut.toString())
                .put("cut_time", time().toString())
                .put("entries", entries)
                .put("bytes", bytes);
        ArrayNode array = json.putArray("files");
        for (DataFile file : files) {
            array.addObject()
                    .put("name", file.name())
                    .put("entries", file.entries())
                    .put("bytes", file.bytes())
                    .put(HASH, file.sha256());
        }
        json.put(HASH, Sha256.of(pretty(json)));
        return pretty(json);
    }

    private static byte[] pretty(ObjectNode json) {
        try {
            String text = JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json);
            return (text.replace("\r\n", "\n") + "\n").getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of JSON that cannot be written", e);
        }
    }

    /** Reads a manifest; every deviation from the form of {@link #encode} is refused. */
    static Manifest decode(byte[] bytes) throws ClientException {
        Manifest manifest;
        try (JsonParser json = JSON.createParser(bytes)) {
            manifest = manifest(json);
        } catch (IOException e) {
            throw new ClientException(NAME + ": damaged, it is not JSON");
        }
        if (!Arrays.equals(manifest.encode(), bytes)) {
            throw new ClientException(NAME + ": damaged or changed, its hash does not fit");
        }
        return manifest;
    }

    /** Reads field by field: a tree of arbitrary JSON would take far more memory than its bytes. */
    private static Manifest manifest(JsonParser json) throws IOException, ClientException {
        String format = "";
        Version cut = new Version(0);
        long entries = 0;
        long bytes = 0;
        List<DataFile> files = List.of();
        require(json.nextToken() == JsonToken.START_OBJECT, json, "it is not JSON of a manifest");
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "format" -> format = text(json);
                case "format_version" -> requireVersion(number(json));
                case "cut" -> cut = cut(json);
                case "entries" -> entries = number(json);
                case "bytes" -> bytes = number(json);
                case "files" -> {
                    requireFormat(format);
                    files = files(json);
                }
                default -> text(json);
            }
        }
        requireFormat(format);
        return new Manifest(cut, entries, bytes, files);
    }

    private static void requireFormat(String format) throws ClientException {
        if (!format.equals(FORMAT)) {
            throw new ClientException(
                    NAME + ": not the manifest of a snapshot of dht4j, its format is \"" + shown(format) + "\"");
        }
    }

    private static void requireVersion(long version) throws ClientException {
        if (version > FORMAT_VERSION) {
            throw new ClientException(NAME + ": the snapshot has format version " + version
                    + ", this program reads versions up to " + FORMAT_VERSION);
        }
    }

    private static Version cut(JsonParser json) throws IOException, ClientException {
        try {
            return new Version(Long.parseUnsignedLong(text(json)));
        } catch (NumberFormatException e) {
            throw new ClientException(NAME + ": damaged, its cut is not a version");
        }
    }

    private static List<DataFile> files(JsonParser json) throws IOException, ClientException {
        List<DataFile> files = new ArrayList<>();
        require(json.currentToken() == JsonToken.START_ARRAY, json, "its files are not a list");
        while (json.nextToken() != JsonToken.END_ARRAY) {
            require(json.currentToken() == JsonToken.START_OBJECT, json, "a file is not an object");
            files.add(file(json, files.size() + 1));
        }
        return files;
    }

    private static DataFile file(JsonParser json, int number) throws IOException, ClientException {
        String name = "";
        long entries = -1;
        long bytes = -1;
        String sha256 = "";
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "name" -> name = text(json);
                case "entries" -> entries = number(json);
                case "bytes" -> bytes = number(json);
                case HASH -> sha256 = text(json);
                default -> text(json);
            }
        }
        require(
                name.equals(DataFormat.name(number))
                        && entries >= 0
                        && bytes >= 0
                        && SHA256.matcher(sha256).matches(),
                json,
                "its file " + number + " must have the name " + DataFormat.name(number)
                        + ", entries and bytes of 0 or more, and a SHA-256 of 64 hexadecimal digits");
        return new DataFile(name, entries, bytes, sha256);
    }

    private static String text(JsonParser json) throws IOException, ClientException {
        require(json.currentToken().isScalarValue(), json, "it has a list or an object in place of a value");
        return json.getText();
    }

    private static long number(JsonParser json) throws IOException, ClientException {
        require(json.currentToken() == JsonToken.VALUE_NUMBER_INT, json, "it has something else in place of a number");
        try {
            return json.getLongValue();
        } catch (InputCoercionException e) {
            throw damaged(json, "a number must be 0 to " + Long.MAX_VALUE);
        }
    }

    private static void require(boolean isTrue, JsonParser json, String otherwise) throws ClientException {
        if (!isTrue) {
            throw damaged(json, otherwise);
        }
    }

    private static ClientException damaged(JsonParser json, String why) {
        return new ClientException(NAME + " line " + json.currentLocation().getLineNr() + ": damaged, " + why);
    }

    private static String shown(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "...";
    }
}
