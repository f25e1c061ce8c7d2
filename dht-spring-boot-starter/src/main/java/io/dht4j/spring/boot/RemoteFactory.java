package io.dht4j.spring.boot;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.spi.RemoteApi;
import io.dht4j.spi.TlsFiles;
import io.dht4j.transport.common.options.RemoteApiOptions;
import io.dht4j.transport.grpc.api.GrpcRemote;
import io.dht4j.transport.grpc.api.GrpcRemoteOptions;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import java.util.Optional;

/** Connects to the cluster that the properties name. The classes of an API are loaded only if it is chosen. */
final class RemoteFactory {

    private static final String ADDRESSES = "dht4j.remote.addresses";
    private static final String HTTP = "io.dht4j.transport.http.HttpRemote";
    private static final String GRPC = "io.dht4j.transport.grpc.api.GrpcRemote";

    private RemoteFactory() {}

    /**
     * Connects. Blocks until a node has answered.
     *
     * @throws StartException if a property is invalid, or no node answers in time
     */
    static Cluster connect(DhtProperties properties, Observation observation) {
        DhtProperties.Remote remote = properties.remote();
        if (!properties.nodes().isEmpty() || properties.membership().isSet()) {
            throw StartException.of(
                    ADDRESSES,
                    ADDRESSES + " makes this application a client, and dht4j.nodes or dht4j.membership makes it a "
                            + "node: set one of them");
        }
        if (properties.health().quorum()) {
            throw StartException.of(
                    "dht4j.health.quorum",
                    "dht4j.health.quorum needs a node, and " + ADDRESSES + " makes this application a client");
        }
        RemoteOptions options = RemoteOptions.defaults()
                .withTimeout(properties.calls().timeout())
                .withConnectTimeout(remote.connectTimeout());
        RemoteApi api = StartException.read("dht4j.remote", () -> api(properties));
        try {
            return RemoteCluster.connect(api, remote.addresses(), observation.addTo(options));
        } catch (IllegalArgumentException e) {
            throw StartException.of(ADDRESSES, ADDRESSES + ": " + e.getMessage());
        } catch (DhtException e) {
            throw new StartException(
                    ADDRESSES + ": cannot connect: " + e.getMessage(),
                    "Start one of the nodes, or change what the message names among dht4j.remote and dht4j.tls.",
                    e);
        }
    }

    private static RemoteApi api(DhtProperties properties) {
        Optional<TlsFiles> tls = Transports.checked(Transports.files(properties.tls()));
        DhtProperties.RemoteApiType type = properties.remote().api();
        if (type == null) {
            boolean onlyGrpc = Transports.isPresent(GRPC) && !Transports.isPresent(HTTP);
            type = onlyGrpc ? DhtProperties.RemoteApiType.GRPC : DhtProperties.RemoteApiType.HTTP;
        }
        return switch (type) {
            case HTTP -> {
                Transports.requireModule("dht4j.remote with api http", HTTP, "dht-transport-http");
                yield Http.create(properties.remote(), tls);
            }
            case GRPC -> {
                Transports.requireModule("dht4j.remote with api grpc", GRPC, "dht-transport-grpc-api");
                yield Grpc.create(properties.remote(), tls);
            }
        };
    }

    private static <T extends RemoteApiOptions<T>> T secured(
            T defaults, DhtProperties.Remote remote, Optional<TlsFiles> tls) {
        T allowed = remote.allowPlaintext() ? defaults.withPlaintextAllowed() : defaults;
        T encrypted = tls.isEmpty() ? allowed : allowed.withTls(tls.get());
        String token = remote.token();
        return token == null ? encrypted : encrypted.withToken(token);
    }

    private static final class Http {
        static RemoteApi create(DhtProperties.Remote remote, Optional<TlsFiles> tls) {
            return HttpRemote.create(secured(HttpRemoteOptions.defaults(), remote, tls));
        }
    }

    private static final class Grpc {
        static RemoteApi create(DhtProperties.Remote remote, Optional<TlsFiles> tls) {
            return GrpcRemote.create(secured(GrpcRemoteOptions.defaults(), remote, tls));
        }
    }
}
