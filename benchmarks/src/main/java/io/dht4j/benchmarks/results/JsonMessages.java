package io.dht4j.benchmarks.results;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import io.dht4j.PrintableText;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Says in words for people why a text could not be read, since the library's own words are for programmers. */
final class JsonMessages {

    private static final int LONGEST_QUOTE = 100;

    /** The library distinguishes these two from other mismatches only by their messages. */
    private static final Pattern ABSENT =
            Pattern.compile("(Missing|Null value for) (?:required )?creator property '([^']+)'");

    private JsonMessages() {}

    /** Returns the error in a text that is not JSON, in words that follow "is not JSON". */
    static String ofSyntax(JsonProcessingException e) {
        String place = e.getLocation() == null
                ? ""
                : " at line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr();
        if (e instanceof JsonEOFException) {
            return ": it ends too early" + place;
        }
        return e instanceof StreamConstraintsException ? ": too deep or too long" + place : place;
    }

    /** Returns the path of the field that does not keep to the schema, and why, as one sentence. */
    static String ofSchema(JsonMappingException e) {
        Matcher absent = ABSENT.matcher(String.valueOf(e.getOriginalMessage()));
        if (e instanceof MismatchedInputException && absent.find()) {
            StringBuilder path = path(e);
            // The library leaves out a missing field, but has the place of one that is null.
            if (!path.toString().endsWith(absent.group(2))) {
                dot(path).append(absent.group(2));
            }
            return path + (absent.group(1).equals("Missing") ? " is missing" : " is null");
        }
        StringBuilder path = path(e);
        return (path.length() == 0 ? "the whole" : path) + " " + problem(e);
    }

    private static String problem(JsonMappingException e) {
        if (e instanceof UnrecognizedPropertyException) {
            return "is a field that the schema does not have";
        }
        if (e instanceof InvalidFormatException format) {
            return "has a value that the schema does not allow: '"
                    + PrintableText.of(String.valueOf(format.getValue()), LONGEST_QUOTE) + "'";
        }
        if (e instanceof ValueInstantiationException && e.getCause() instanceof IllegalArgumentException invalid) {
            return "is out of range: " + PrintableText.of(String.valueOf(invalid.getMessage()));
        }
        if (e instanceof ValueInstantiationException && e.getCause() instanceof NullPointerException) {
            return "holds null where a value is needed";
        }
        return "has another type than the schema says";
    }

    private static StringBuilder path(JsonMappingException e) {
        StringBuilder path = new StringBuilder();
        for (JsonMappingException.Reference step : e.getPath()) {
            if (step.getFieldName() == null) {
                path.append('[').append(step.getIndex()).append(']');
            } else {
                dot(path).append(PrintableText.of(step.getFieldName(), LONGEST_QUOTE));
            }
        }
        return path;
    }

    private static StringBuilder dot(StringBuilder path) {
        return path.length() == 0 ? path : path.append('.');
    }
}
