package io.dht4j.server;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.RemoteApi;
import io.dht4j.spi.TlsFiles;
import io.dht4j.spi.Transport;
import io.dht4j.transport.grpc.GrpcTransport;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import io.dht4j.transport.grpc.api.GrpcRemote;
import io.dht4j.transport.grpc.api.GrpcRemoteOptions;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

/**
 * A client in a process of its own, whose names of hosts lead where its own hosts file says. It writes a key for each
 * line of its input.
 */
final class NamedClient implements AutoCloseable {

    private static final String DONE = "done";

    private final Process process;
    private final PrintWriter in;
    private final BufferedReader out;

    private NamedClient(Process process) {
        this.process = process;
        this.in = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
        this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Starts a client.
     *
     * @param kind {@code remote-} with an API, or {@code member-} with a transport
     * @param hosts the hosts file
     * @param authorities what the client trusts; empty for plaintext
     * @param nodes names and addresses of the nodes
     */
    static NamedClient start(String kind, Path hosts, Optional<Path> authorities, Map<String, String> nodes)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dsun.net.inetaddr.ttl=1",
                "-Djdk.net.hosts.file=" + hosts,
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                NamedClient.class.getName(),
                kind,
                authorities.map(Path::toString).orElse("")));
        nodes.forEach((name, address) -> command.add(name + "=" + address));
        return new NamedClient(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /**
     * Writes a key to three replicas, and returns how that ended: empty if it is written. Blocks for as long as the
     * call takes.
     */
    Optional<String> put(String key) throws IOException {
        in.println(key);
        String line = out.readLine();
        if (line == null) {
            throw new IOException("the client has ended");
        }
        return line.equals(DONE) ? Optional.empty() : Optional.of(line);
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    /** Runs in the process. */
    public static void main(String[] args) throws Exception {
        Topology topology = Topology.of(List.of(args).subList(2, args.length).stream()
                .map(entry -> entry.split("=", 2))
                .map(entry -> Node.of(entry[0], entry[1]))
                .toArray(Node[]::new));
        Optional<TlsFiles> tls = args[1].isEmpty()
                ? Optional.empty()
                : Optional.of(new TlsFiles(Optional.empty(), Optional.empty(), Optional.of(Path.of(args[1]))));
        CallOptions options = CallOptions.defaults().withPolicy(3, 3).withTimeout(Duration.ofSeconds(2));
        try (Cluster cluster = open(args[0], topology, tls);
                BufferedReader keys = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String key = keys.readLine(); key != null; key = keys.readLine()) {
                String result = DONE;
                try {
                    cluster.put(Key.of(key), new byte[1], options)
                            .toCompletableFuture()
                            .get();
                } catch (ExecutionException e) {
                    result = DhtException.unwrap(e).toString().replace('\n', ' ');
                }
                System.out.println(result);
            }
        }
    }

    private static Cluster open(String kind, Topology topology, Optional<TlsFiles> tls) {
        return switch (kind) {
            case "remote-http" -> {
                HttpRemoteOptions options = HttpRemoteOptions.defaults();
                yield remote(HttpRemote.create(tls.map(options::withTls).orElse(options)), topology);
            }
            case "remote-grpc" -> {
                GrpcRemoteOptions options = GrpcRemoteOptions.defaults();
                yield remote(GrpcRemote.create(tls.map(options::withTls).orElse(options)), topology);
            }
            case "member-http" ->
                member(HttpTransport.create(HttpTransportOptions.callingOnly().withPlaintextAllowed()), topology);
            case "member-grpc" ->
                member(GrpcTransport.create(GrpcTransportOptions.callingOnly().withPlaintextAllowed()), topology);
            case "member-tcp" ->
                member(TcpTransport.create(TcpTransportOptions.callingOnly().withPlaintextAllowed()), topology);
            default -> throw new IllegalArgumentException(kind);
        };
    }

    private static Cluster remote(RemoteApi api, Topology topology) {
        return RemoteCluster.connect(
                api, topology.nodes().stream().map(Node::address).toList(), RemoteOptions.defaults());
    }

    private static Cluster member(Transport transport, Topology topology) {
        return ClusterBuilder.withoutStore("app", topology)
                .partitions(16)
                .transport(transport)
                .start();
    }
}
