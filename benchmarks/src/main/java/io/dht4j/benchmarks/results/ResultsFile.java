package io.dht4j.benchmarks.results;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.dht4j.PrintableText;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Results as JSON. {@code docs/reference/bench.md} documents the schema. */
public final class ResultsFile {

    /** The file's name in a report's directory. */
    public static final String NAME = "results.json";

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final String DEVIATES = "does not keep to schema " + Results.SCHEMA + ": ";

    private ResultsFile() {}

    /**
     * Reads the results of a run.
     *
     * @param directory of the report
     * @throws ResultsException if there are none that this version reads
     * @throws IOException if reading the file fails
     */
    public static Results read(Path directory) throws IOException, ResultsException {
        Path file = directory.resolve(NAME);
        if (!Files.isDirectory(directory)) {
            throw new ResultsException(
                    directory + " is not a directory" + (Files.exists(directory) ? "" : ": there is nothing there"));
        }
        if (!Files.isRegularFile(file)) {
            throw new ResultsException(directory + " is not the directory of a report: it has no " + NAME);
        }
        try {
            return parse(Files.readString(file));
        } catch (CharacterCodingException e) {
            throw new ResultsException(file + ": is not JSON: it is no text in UTF-8");
        } catch (ResultsException e) {
            throw new ResultsException(file + ": " + e.getMessage());
        }
    }

    /**
     * Returns the results as text.
     *
     * @throws JsonProcessingException if a value has no form in JSON
     */
    public static String format(Results results) throws JsonProcessingException {
        return MAPPER.writeValueAsString(results) + "\n";
    }

    /**
     * Parses results.
     *
     * @param text of the file
     * @throws ResultsException if this version cannot read them; the message names no file
     */
    public static Results parse(String text) throws ResultsException {
        JsonNode json = tree(text);
        JsonNode schema = json.path("schema");
        if (!schema.isInt()) {
            throw new ResultsException("is not a report's results: it names no schema");
        }
        if (schema.intValue() != Results.SCHEMA) {
            throw new ResultsException("has schema " + schema.intValue() + ", but this version reads schema "
                    + Results.SCHEMA + "; read it with the version that wrote it");
        }
        Results results = results(json);
        requireDistinct(results.measurements());
        return results;
    }

    private static JsonNode tree(String text) throws ResultsException {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new ResultsException("is not JSON" + JsonMessages.ofSyntax(e));
        }
    }

    private static Results results(JsonNode json) throws ResultsException {
        try {
            return MAPPER.treeToValue(json, Results.class);
        } catch (JsonMappingException e) {
            throw new ResultsException(DEVIATES + JsonMessages.ofSchema(e));
        } catch (JsonProcessingException e) {
            throw new ResultsException("is not JSON" + JsonMessages.ofSyntax(e));
        }
    }

    private static void requireDistinct(List<Measurement> measurements) throws ResultsException {
        Map<List<String>, Integer> seen = new HashMap<>();
        for (int i = 0; i < measurements.size(); i++) {
            Measurement m = measurements.get(i);
            Integer first = seen.putIfAbsent(List.of(m.group(), m.variant()), i);
            if (first != null) {
                throw new ResultsException(DEVIATES + "measurements[" + first + "] and measurements[" + i
                        + "] are the same measurement: " + PrintableText.of(m.group() + ", " + m.variant()));
            }
        }
    }
}
