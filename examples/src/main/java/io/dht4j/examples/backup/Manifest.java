package io.dht4j.examples.backup;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dht4j.Version;
import io.dht4j.examples.client.ClientException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a snapshot's directory says of itself: {@code manifest.json}. It is written last, so that there is none without
 * everything that it names. Its own hash is the hash of the whole, since it has those of all files.
 *
 * @param cut the version that the snapshot has
 * @param entries how many entries there are
 * @param bytes how many bytes their keys and values have
 * @param files the data files, in the order of their keys
 */
record Manifest(Version cut, long entries, long bytes, List<DataFile> files) {

    /** Its file's name. */
    static final String NAME = "manifest.json";

    /** The newest format that this program reads, and the one that it writes. */
    static final int FORMAT_VERSION = 1;

    /** No manifest is larger: room for some hundred thousand data files. */
    static final int MAX_BYTES = 32 << 20;

    private static final String FORMAT = "dht4j-snapshot";
    private static final String HASH = "sha256";
    private static final ObjectMapper JSON = new ObjectMapper();

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

    /** How many bytes the data files have. */
    long fileBytes() {
        return files.stream().mapToLong(DataFile::bytes).sum();
    }

    /** The one form that it has. */
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

    /** Reads one; whatever is not exactly what {@link #encode} makes is refused. */
    static Manifest decode(byte[] bytes) throws ClientException {
        JsonNode json;
        try {
            json = JSON.readTree(new String(bytes, StandardCharsets.UTF_8));
        } catch (JsonProcessingException e) {
            throw new ClientException(NAME + ": damaged, it is not JSON");
        }
        if (!json.path("format").asText().equals(FORMAT)) {
            throw new ClientException(NAME + ": not the manifest of a snapshot of dht4j, its format is \""
                    + shown(json.path("format").asText()) + "\"");
        }
        long formatVersion = json.path("format_version").asLong();
        if (formatVersion > FORMAT_VERSION) {
            throw new ClientException(NAME + ": the snapshot has format version " + formatVersion
                    + ", this program reads versions up to " + FORMAT_VERSION);
        }
        List<DataFile> files = new ArrayList<>();
        for (JsonNode file : json.path("files")) {
            files.add(new DataFile(
                    file.path("name").asText(),
                    file.path("entries").asLong(),
                    file.path("bytes").asLong(),
                    file.path(HASH).asText()));
        }
        Manifest manifest;
        try {
            manifest = new Manifest(
                    new Version(Long.parseUnsignedLong(json.path("cut").asText())),
                    json.path("entries").asLong(),
                    json.path("bytes").asLong(),
                    files);
        } catch (NumberFormatException e) {
            throw new ClientException(NAME + ": damaged, its cut is not a version");
        }
        if (!Arrays.equals(manifest.encode(), bytes)) {
            throw new ClientException(NAME + ": damaged or changed, its hash does not fit");
        }
        return manifest;
    }

    private static String shown(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "...";
    }
}
