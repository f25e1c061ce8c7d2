package io.dht4j.benchmarks.process;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** The mapper of commands and answers. It is strict, since both sides are of one build. */
final class Json {

    static final String ID = "id";
    static final String COMMAND = "command";
    static final String RESULT = "result";
    static final String ERROR = "error";

    /** Understood by every child. */
    static final String PING = "ping";

    /** Understood by every child: interrupts the abandoned command with the given number. */
    static final String CANCEL = "cancel";

    /** A longer line is an error. */
    static final int MAX_LINE = 64 << 20;

    static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private Json() {}
}
