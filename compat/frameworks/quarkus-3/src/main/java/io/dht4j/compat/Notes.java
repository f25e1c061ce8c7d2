package io.dht4j.compat;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Value;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;

// tag::resource[]
/** Notes, kept in the cluster. No thread waits for it. */
@Path("/notes/{name}")
@Produces("text/plain")
public class Notes {
    @Inject
    Cluster cluster;

    /** Keeps a note. */
    @PUT
    public CompletionStage<String> put(String name, String text) {
        return cluster.put(Key.of("note:" + name), text.getBytes(StandardCharsets.UTF_8))
                .thenApply(version -> "kept");
    }

    /** Returns a note. */
    @GET
    public CompletionStage<String> get(String name) {
        return cluster.get(Key.of("note:" + name))
                .thenApply(note -> note.map(Value::text).orElse("absent"));
    }
}
// end::resource[]
