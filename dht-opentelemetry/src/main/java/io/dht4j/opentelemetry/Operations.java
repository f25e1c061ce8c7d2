package io.dht4j.opentelemetry;

import io.dht4j.spi.Observer;
import java.util.Locale;

/** Names calls as the methods of a cluster, and requests in lower case. Stateless. */
final class Operations {

    private Operations() {}

    static String of(Observer.Call call) {
        return switch (call) {
            case GET -> "get";
            case PUT -> "put";
            case DELETE -> "delete";
            case GET_ALL -> "getAll";
            case PUT_ALL -> "putAll";
            case SCAN_PAGE -> "scan";
            case OPEN_SNAPSHOT -> "openSnapshot";
            case CLOSE_SNAPSHOT -> "closeSnapshot";
            case ATOMIC_GET -> "atomicGet";
            case ATOMIC_CHANGE -> "atomicChange";
        };
    }

    static String of(Observer.Request request) {
        return request.name().toLowerCase(Locale.ROOT);
    }
}
