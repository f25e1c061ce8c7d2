package io.dht4j.examples;

// tag::secure[]
import static java.nio.charset.StandardCharsets.UTF_8;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.TlsFiles;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A node with TLS and tokens, and a client that it trusts. */
public final class SecureNode {

    /** Writes and reads a key through the public API. */
    public static void main(String[] args) throws IOException {
        Path authority = Path.of("authority.pem");
        TlsFiles own = TlsFiles.mutual(Path.of("n1.pem"), Path.of("n1-key.pem"), authority);
        HttpTransport transport =
                HttpTransport.create(HttpTransportOptions.at("127.0.0.1", 8081).withTls(own));
        HttpApiOptions access = HttpApiOptions.defaults().withTokens(Path.of("tokens"));
        HttpRemoteOptions trusting = HttpRemoteOptions.defaults()
                .withTls(TlsFiles.trusting(authority))
                .withToken(Files.readString(Path.of("token")).strip());
        try (Cluster node = ClusterBuilder.of("n1", Topology.of(Node.of("n1", "127.0.0.1:8081")))
                        .transport(transport)
                        .store(new MemoryStore())
                        .start();
                HttpApi api = HttpApi.sharing(transport, node, access);
                Cluster client = RemoteCluster.connect(
                        HttpRemote.create(trusting), List.of("127.0.0.1:" + api.port()), RemoteOptions.defaults())) {
            Key key = Key.of("greeting");
            client.put(key, "hello".getBytes(UTF_8)).toCompletableFuture().join();
            client.get(key)
                    .thenAccept(
                            value -> System.out.println(value.map(Value::text).orElse("absent")))
                    .toCompletableFuture()
                    .join();
        }
    }
}
// end::secure[]
