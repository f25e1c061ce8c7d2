package io.dht4j.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanBuilder;

/**
 * The keys of attributes: of the conventions of OpenTelemetry where these have one, else below {@code dht4j}. The
 * library of the conventions is no dependency, since it is large and these are few.
 */
final class Keys {

    static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("db.system.name");
    static final AttributeKey<String> OPERATION = AttributeKey.stringKey("db.operation.name");
    static final AttributeKey<Long> BATCH_SIZE = AttributeKey.longKey("db.operation.batch.size");
    static final AttributeKey<String> RESPONSE_STATUS = AttributeKey.stringKey("db.response.status_code");
    static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");
    static final AttributeKey<String> SERVER_ADDRESS = AttributeKey.stringKey("server.address");
    static final AttributeKey<Long> SERVER_PORT = AttributeKey.longKey("server.port");
    static final AttributeKey<String> KEY_HASH = AttributeKey.stringKey("dht4j.key.hash");
    static final AttributeKey<String> NODE = AttributeKey.stringKey("dht4j.node");
    static final AttributeKey<String> SENDER = AttributeKey.stringKey("dht4j.sender");
    static final AttributeKey<Boolean> CANCELLED = AttributeKey.booleanKey("dht4j.cancelled");

    private Keys() {}

    /** Sets what every span has. By the conventions a batch has two items at least. */
    static void describe(SpanBuilder span, String operation, int items) {
        span.setAttribute(SYSTEM, "dht4j").setAttribute(OPERATION, operation);
        if (items > 1) {
            span.setAttribute(BATCH_SIZE, (long) items);
        }
    }
}
