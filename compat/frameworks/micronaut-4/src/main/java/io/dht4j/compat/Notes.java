package io.dht4j.compat;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Value;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.Put;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;

// tag::controller[]
/** Notes, kept in the cluster. No thread waits for it. */
@Controller("/notes/{name}")
@Consumes("text/plain")
@Produces("text/plain")
class Notes {
    private final Cluster cluster;

    Notes(Cluster cluster) {
        this.cluster = cluster;
    }

    /** Keeps a note. */
    @Put
    CompletionStage<String> put(String name, @Body String text) {
        return cluster.put(Key.of("note:" + name), text.getBytes(StandardCharsets.UTF_8))
                .thenApply(version -> "kept");
    }

    /** Returns a note. */
    @Get
    CompletionStage<String> get(String name) {
        return cluster.get(Key.of("note:" + name))
                .thenApply(note -> note.map(Value::text).orElse("absent"));
    }
}
// end::controller[]
