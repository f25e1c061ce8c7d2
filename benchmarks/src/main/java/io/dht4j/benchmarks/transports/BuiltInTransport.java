package io.dht4j.benchmarks.transports;

import io.dht4j.lab.Echo;
import io.dht4j.lab.TransportCandidate;
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
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * A transport of the library and the bare library beneath.
 *
 * @param name as on the command line
 * @param library starts the bare library for a number of calls in flight
 * @param transport makes the transport at a host and a port
 */
public record BuiltInTransport(String name, EchoStart library, BiFunction<String, Integer, Transport> transport)
        implements TransportCandidate {

    private static final int PIPELINE_DEPTH = 16;

    /** Starts a bare library. */
    @FunctionalInterface
    public interface EchoStart {

        /**
         * Starts client and server.
         *
         * @param inFlight the largest number of calls in flight; a library that needs a connection for each has as many
         * @return both, which the caller closes
         * @throws Exception if they cannot be started
         */
        Echo start(int inFlight) throws Exception;
    }

    /** Returns all transports of the library. */
    public static List<TransportCandidate> all() {
        return List.of(
                http("vertx", HttpClientKind.VERTX, VertxEcho::plain),
                http(
                        "vertx-pipelined",
                        HttpClientKind.VERTX_PIPELINED,
                        inFlight -> VertxEcho.pipelined(Math.max(1, inFlight / PIPELINE_DEPTH), PIPELINE_DEPTH)),
                http("vertx-h2", HttpClientKind.VERTX_H2, inFlight -> VertxEcho.http2()),
                http("webclient", HttpClients.WEBCLIENT, WebClientEcho::new),
                http("jdk", HttpClients.JDK, inFlight -> new JdkEcho(Version.HTTP_1_1)),
                http("jdk-h2", HttpClients.JDK_H2, inFlight -> new JdkEcho(Version.HTTP_2)),
                http("one-nio", HttpClients.ONE_NIO, OneNioEcho::new),
                grpc("grpc-unary", GrpcMode.UNARY),
                grpc("grpc-stream", GrpcMode.STREAM),
                new BuiltInTransport(
                        "tcp",
                        inFlight -> new TcpEcho(),
                        (host, port) -> TcpTransport.create(TcpTransportOptions.at(host, port))));
    }

    /**
     * Returns the names of all transports of the library, as the server knows them: an HTTP client, {@code grpc-} and a
     * mode, or tcp.
     */
    public static List<String> names() {
        return all().stream().map(TransportCandidate::name).toList();
    }

    /**
     * Returns a transport of the library.
     *
     * @param name one of {@link #names}
     * @throws IllegalArgumentException if there is none of that name
     */
    public static TransportCandidate named(String name) {
        return all().stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no transport \"" + name + "\"; there are "
                        + names().stream().collect(Collectors.joining(", "))));
    }

    private static TransportCandidate http(String name, HttpClientKind kind, EchoStart echo) {
        return new BuiltInTransport(
                name,
                echo,
                (host, port) ->
                        HttpTransport.create(HttpTransportOptions.at(host, port).withClient(kind)));
    }

    private static TransportCandidate grpc(String name, GrpcMode mode) {
        return new BuiltInTransport(
                name,
                inFlight -> new GrpcEcho(mode == GrpcMode.STREAM),
                (host, port) ->
                        GrpcTransport.create(GrpcTransportOptions.at(host, port).withMode(mode)));
    }

    @Override
    public Transport at(String address) {
        int colon = address.lastIndexOf(':');
        return transport.apply(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }

    @Override
    public Optional<Echo> echo(int inFlight) throws Exception {
        return Optional.of(library.start(inFlight));
    }
}
