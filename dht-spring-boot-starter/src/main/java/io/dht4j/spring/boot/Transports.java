package io.dht4j.spring.boot;

import io.dht4j.security.Plaintext;
import io.dht4j.security.Tls;
import io.dht4j.spi.TlsFiles;
import io.dht4j.spi.Transport;
import io.dht4j.transport.common.options.ListenAddress;
import io.dht4j.transport.common.options.ListenerOptions;
import io.dht4j.transport.grpc.GrpcTransport;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;

/** Creates the transport of the properties. A transport's classes are loaded only if it is chosen. */
final class Transports {

    private static final Logger LOG = LoggerFactory.getLogger(Transports.class);
    private static final String PLAINTEXT = "dht4j.transport.allow-plaintext";

    private Transports() {}

    /**
     * Creates a transport, which does not listen yet. Blocks while it resolves the host.
     *
     * @param listen the address to listen on; empty for a node that is never called
     */
    static Transport create(DhtProperties properties, Optional<ListenAddress> listen) {
        DhtProperties.TransportType type = properties.transport().type();
        Optional<TlsFiles> tls = nodeFiles(properties.tls());
        boolean plaintext = properties.transport().allowPlaintext();
        if (tls.isEmpty() && !plaintext) {
            listen.ifPresent(address -> requireLoopback(address.host()));
        }
        return StartException.read("dht4j.transport", () -> switch (type) {
            case TCP -> Tcp.create(listen, tls, plaintext);
            case HTTP -> {
                require(type, "io.dht4j.transport.http.HttpTransport", "dht-transport-http");
                yield Http.create(listen, tls, plaintext, properties.transport().publicHosts());
            }
            case GRPC -> {
                require(type, "io.dht4j.transport.grpc.GrpcTransport", "dht-transport-grpc");
                yield Grpc.create(listen, tls, plaintext);
            }
        });
    }

    private static void requireLoopback(String host) {
        try {
            Plaintext.require("the transport", host, false, PLAINTEXT, LOG::warn);
        } catch (IllegalArgumentException e) {
            throw new StartException(String.valueOf(e.getMessage()), "Set dht4j.tls, or " + PLAINTEXT + " to true.", e);
        }
    }

    private static void require(DhtProperties.TransportType type, String name, String module) {
        requireModule("dht4j.transport.type " + type.name().toLowerCase(java.util.Locale.ROOT), name, module);
    }

    /** Refuses a choice whose module is not on the class path. */
    static void requireModule(String choice, String name, String module) {
        if (!isPresent(name)) {
            throw new StartException(
                    choice + " needs the module io.dht4j:" + module + ", which is not on the class path",
                    "Add the dependency io.dht4j:" + module + ".",
                    null);
        }
    }

    /** Returns whether the application has a class. */
    static boolean isPresent(String name) {
        return ClassUtils.isPresent(name, ClassUtils.getDefaultClassLoader());
    }

    private static Optional<TlsFiles> nodeFiles(DhtProperties.Tls tls) {
        Optional<TlsFiles> files = files(tls);
        if (files.isPresent() && (tls.certificate() == null || tls.authorities() == null)) {
            throw StartException.of(
                    "dht4j.tls",
                    "dht4j.tls: a node needs dht4j.tls.certificate, dht4j.tls.key and dht4j.tls.authorities");
        }
        return checked(files);
    }

    /** Reads files of TLS, so that a failure names their properties. */
    static Optional<TlsFiles> checked(Optional<TlsFiles> files) {
        // Who uses them reads them again, and warns of their dates.
        files.ifPresent(some -> StartException.check(
                "dht4j.tls", () -> Tls.load(some, warning -> {}).close()));
        return files;
    }

    /** Returns the files of TLS; empty for plaintext. */
    static Optional<TlsFiles> files(DhtProperties.Tls tls) {
        if (tls.certificate() == null && tls.key() == null && tls.authorities() == null) {
            return Optional.empty();
        }
        return Optional.of(StartException.read(
                "dht4j.tls", () -> new TlsFiles(path(tls.certificate()), path(tls.key()), path(tls.authorities()))));
    }

    private static Optional<Path> path(@Nullable String text) {
        return Optional.ofNullable(text).map(Path::of);
    }

    private static <T extends ListenerOptions<T>> T secured(T options, Optional<TlsFiles> tls, boolean plaintext) {
        T allowed = plaintext ? options.withPlaintextAllowed(PLAINTEXT) : options;
        return tls.isEmpty() ? allowed : allowed.withTls(tls.get());
    }

    private static final class Tcp {
        static Transport create(Optional<ListenAddress> listen, Optional<TlsFiles> tls, boolean plaintext) {
            TcpTransportOptions options = listen.map(address -> TcpTransportOptions.at(address.host(), address.port()))
                    .orElseGet(TcpTransportOptions::callingOnly);
            return TcpTransport.create(secured(options, tls, plaintext));
        }
    }

    private static final class Http {
        static Transport create(
                Optional<ListenAddress> listen, Optional<TlsFiles> tls, boolean plaintext, List<String> publicHosts) {
            HttpTransportOptions options = listen.map(
                            address -> HttpTransportOptions.at(address.host(), address.port()))
                    .orElseGet(HttpTransportOptions::callingOnly);
            for (String host : publicHosts) {
                HttpTransportOptions before = options;
                options = StartException.read("dht4j.transport.public-hosts", () -> before.withPublicHost(host));
            }
            return HttpTransport.create(secured(options, tls, plaintext));
        }
    }

    private static final class Grpc {
        static Transport create(Optional<ListenAddress> listen, Optional<TlsFiles> tls, boolean plaintext) {
            GrpcTransportOptions options = listen.map(
                            address -> GrpcTransportOptions.at(address.host(), address.port()))
                    .orElseGet(GrpcTransportOptions::callingOnly);
            return GrpcTransport.create(secured(options, tls, plaintext));
        }
    }
}
