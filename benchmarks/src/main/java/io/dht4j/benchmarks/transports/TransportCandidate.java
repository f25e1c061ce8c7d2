package io.dht4j.benchmarks.transports;

import io.dht4j.spi.Transport;
import io.dht4j.transport.grpc.GrpcMode;
import io.dht4j.transport.grpc.GrpcTransport;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import io.dht4j.transport.http.HttpClientKind;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.http.clients.HttpClients;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import java.net.http.HttpClient.Version;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;

/**
 * A transport and its bare library.
 *
 * @param name as on the command line
 * @param echo starts the bare library
 * @param transport makes the transport on a port of loopback
 */
public record TransportCandidate(String name, Callable<Echo> echo, IntFunction<Transport> transport) {

    private static final int PIPELINE_DEPTH = 16;

    /** Returns all candidates. A bare library that uses several connections has one for each call in flight. */
    public static List<TransportCandidate> all(int inFlight) {
        return List.of(
                http("vertx", HttpClientKind.VERTX, () -> VertxEcho.plain(inFlight)),
                http(
                        "vertx-pipelined",
                        HttpClientKind.VERTX_PIPELINED,
                        () -> VertxEcho.pipelined(Math.max(1, inFlight / PIPELINE_DEPTH), PIPELINE_DEPTH)),
                http("vertx-h2", HttpClientKind.VERTX_H2, VertxEcho::http2),
                http("webclient", HttpClients.WEBCLIENT, () -> new WebClientEcho(inFlight)),
                http("jdk", HttpClients.JDK, () -> new JdkEcho(Version.HTTP_1_1)),
                http("jdk-h2", HttpClients.JDK_H2, () -> new JdkEcho(Version.HTTP_2)),
                http("one-nio", HttpClients.ONE_NIO, () -> new OneNioEcho(inFlight)),
                grpc("grpc-unary", GrpcMode.UNARY),
                grpc("grpc-stream", GrpcMode.STREAM),
                new TransportCandidate(
                        "tcp", TcpEcho::new, port -> TcpTransport.create(TcpTransportOptions.at("127.0.0.1", port))));
    }

    public static TransportCandidate named(String name, int inFlight) {
        return all(inFlight).stream()
                .filter(candidate -> candidate.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no transport \"" + name + "\"; there are "
                        + Arrays.toString(all(inFlight).stream()
                                .map(TransportCandidate::name)
                                .toArray())));
    }

    private static TransportCandidate http(String name, HttpClientKind kind, Callable<Echo> echo) {
        return new TransportCandidate(
                name,
                echo,
                port -> HttpTransport.create(
                        HttpTransportOptions.at("127.0.0.1", port).withClient(kind)));
    }

    private static TransportCandidate grpc(String name, GrpcMode mode) {
        return new TransportCandidate(
                name,
                () -> new GrpcEcho(mode == GrpcMode.STREAM),
                port -> GrpcTransport.create(
                        GrpcTransportOptions.at("127.0.0.1", port).withMode(mode)));
    }
}
