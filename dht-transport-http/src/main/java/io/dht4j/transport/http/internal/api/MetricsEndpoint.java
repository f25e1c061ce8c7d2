package io.dht4j.transport.http.internal.api;

import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Answers with the metrics of the node. Does not block. Safe for use by any number of event loops. */
public final class MetricsEndpoint {

    /** The text format of Prometheus, whose lines end without a carriage return. */
    private static final CharSequence TEXT = HttpHeaders.createOptimized("text/plain; version=0.0.4; charset=utf-8");

    private volatile Optional<Supplier<? extends CompletionStage<String>>> source = Optional.empty();

    /** Sets the source of the metrics. */
    public void from(Supplier<? extends CompletionStage<String>> metrics) {
        source = Optional.of(metrics);
    }

    /** Answers, within the bounds on bytes in flight. */
    void answer(ApiExchange exchange) {
        Supplier<? extends CompletionStage<String>> metrics = source.orElseThrow(
                () -> new InvalidRequestException(ErrorCode.UNKNOWN_RESOURCE, "this node gathers no metrics"));
        Query.parse(exchange.request().query(), List.of());
        exchange.share().requireConnection();
        exchange.await(() -> metrics.get().thenApply(Buffer::buffer), Buffer::length, text -> {
            exchange.response().putHeader(HttpHeaders.CONTENT_TYPE, TEXT);
            exchange.answer(200, text);
        });
    }
}
