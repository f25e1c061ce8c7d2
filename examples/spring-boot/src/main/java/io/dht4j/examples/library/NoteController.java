// tag::cluster[]
package io.dht4j.examples.library;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Value;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Notes over HTTP, which every instance reads and writes. */
@RestController
class NoteController {
    private final Cluster cluster;

    NoteController(Cluster cluster) {
        this.cluster = cluster;
    }

    @PutMapping("/notes/{name}")
    CompletionStage<String> put(@PathVariable String name, @RequestBody String text) {
        return cluster.put(Key.of("note:" + name), text.getBytes(StandardCharsets.UTF_8))
                .thenApply(version -> "kept");
    }

    @GetMapping("/notes/{name}")
    CompletionStage<String> get(@PathVariable String name) {
        return cluster.get(Key.of("note:" + name))
                .thenApply(note -> note.map(Value::text).orElse("absent"));
    }
}
// end::cluster[]
