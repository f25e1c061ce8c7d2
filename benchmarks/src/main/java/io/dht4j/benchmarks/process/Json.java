package io.dht4j.benchmarks.process;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** What commands and answers are written with: strict, since both sides are of one build. */
final class Json {

    static final String ID = "id";
    static final String COMMAND = "command";
    static final String RESULT = "result";
    static final String ERROR = "error";

    /** Understood by every child. */
    static final String PING = "ping";

    /** Understood by every child: interrupts the command whose number is given, which nobody waits for any more. */
    static final String CANCEL = "cancel";

    /** A line is longer only if something is wrong. */
    static final int MAX_LINE = 64 << 20;

    static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private Json() {}
}
