package io.dht4j.testkit.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON as maps, lists, texts, longs and booleans. */
final class Json {

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private Json() {}

    /** Parses exactly one object. */
    static Map<String, Object> object(byte[] json) {
        try (JsonParser parser = FACTORY.createParser(json)) {
            parser.nextToken();
            Map<String, Object> object = object(parser);
            if (parser.nextToken() != null) {
                throw new AssertionError("more than one JSON value");
            }
            return object;
        } catch (IOException e) {
            throw new AssertionError(
                    "not JSON: " + new String(json, 0, Math.min(json.length, 1000), StandardCharsets.UTF_8), e);
        }
    }

    /** Returns a text field. */
    static String text(Map<String, Object> object, String field) {
        return (String) present(object, field);
    }

    /** Returns an array field. */
    static List<?> list(Map<String, Object> object, String field) {
        return (List<?>) present(object, field);
    }

    private static Object present(Map<String, Object> object, String field) {
        Object value = object.get(field);
        if (value == null) {
            throw new AssertionError(field + " is missing in " + object);
        }
        return value;
    }

    private static Map<String, Object> object(JsonParser parser) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw new AssertionError("not an object but " + parser.currentToken());
        }
        Map<String, Object> object = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            object.put(name, value(parser));
        }
        return object;
    }

    private static Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> {
                List<Object> list = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    list.add(value(parser));
                }
                yield list;
            }
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_TRUE, VALUE_FALSE -> parser.getBooleanValue();
            default -> throw new AssertionError("unexpected " + parser.currentToken());
        };
    }
}
