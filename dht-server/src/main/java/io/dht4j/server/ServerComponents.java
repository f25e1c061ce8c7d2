package io.dht4j.server;

import io.dht4j.Cluster;
import io.dht4j.NodeId;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.NodeStart;
import io.dht4j.datasketches.FrequentItemsSketch;
import io.dht4j.opentelemetry.OpenTelemetryTracer;
import io.dht4j.security.Tls;
import io.dht4j.security.Tokens;
import io.dht4j.server.config.Addresses;
import io.dht4j.server.config.HostPort;
import io.dht4j.server.config.MembershipChoice;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import io.dht4j.server.config.TransportChoice;
import io.dht4j.server.metrics.ServerMetrics;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.Store;
import io.dht4j.spi.TlsFiles;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.topology.microraft.MicroRaftLogs;
import io.dht4j.transport.common.TransportLifecycle;
import io.dht4j.transport.common.options.ListenerOptions;
import io.dht4j.transport.common.options.PublicApiOptions;
import io.dht4j.transport.grpc.GrpcTransport;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import io.dht4j.transport.grpc.api.GrpcApi;
import io.dht4j.transport.grpc.api.GrpcApiOptions;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.TracerProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** The components of a node as a {@link ServerConfig} describes them. Immutable. */
final class ServerComponents {

    /**
     * The drain time of each component. Two APIs, cluster and transport drain one after the other, and stay well below
     * 10 seconds in all.
     */
    private static final Duration DRAIN = Duration.ofMillis(1_500);

    private final ServerConfig config;
    private final Addresses addresses;
    private final Optional<TlsFiles> tls;
    private final Optional<Path> tokens;
    private final boolean plaintextAllowed;
    private final MemoryBudget memory;
    private final ServerMetrics metrics;

    ServerComponents(ServerConfig config, MemoryBudget memory, ServerMetrics metrics) {
        this.config = config;
        this.addresses = config.addresses();
        this.tls = config.security().tls();
        this.tokens = config.security().tokens();
        this.plaintextAllowed = config.security().plaintextAllowed();
        this.memory = memory.withMaxValueBytes(config.calls().maxValueBytes());
        this.metrics = metrics;
    }

    /**
     * Checks the requirements of a start: readable files and free ports. Called before any object is created. A start
     * that fails for another reason reports it later. Blocks.
     *
     * @throws IllegalArgumentException if a file is invalid
     * @throws TransportException if a port cannot be bound
     */
    void requireStartable() {
        requireOf(why -> Setting.MAX_VALUE_BYTES.option(), memory::requireRoom);
        // The users of the files log their warnings.
        tls.ifPresent(files -> requireOf(
                why -> tlsOptions(files, why),
                () -> Tls.load(files, warning -> {}).close()));
        tokens.ifPresent(file -> requireOf(
                why -> Setting.TOKENS.option(),
                () -> Tokens.load(file, warning -> {}).close()));
        requireFree(addresses.listen());
        if (!addresses.isShared()) {
            requireFree(addresses.peer());
        }
        addresses.grpc().ifPresent(ServerComponents::requireFree);
    }

    /** Makes a check, and lets its message begin with the options that it concerns. */
    private static void requireOf(UnaryOperator<String> options, Runnable check) {
        try {
            check.run();
        } catch (IllegalArgumentException e) {
            String why = String.valueOf(e.getMessage());
            throw new IllegalArgumentException(options.apply(why) + ": " + why, e);
        }
    }

    /** Returns the options of the files of which the message of a check tells something, or of all files. */
    private static String tlsOptions(TlsFiles files, String why) {
        String words = " " + why;
        Map<Setting, Optional<Path>> all = new EnumMap<>(Setting.class);
        all.put(Setting.TLS_CERT, files.certificate());
        all.put(Setting.TLS_KEY, files.key());
        if (!files.authorities().equals(files.certificate())) {
            all.put(Setting.TLS_CA, files.authorities());
        }
        Set<Setting> named = all.entrySet().stream()
                .filter(each -> each.getValue()
                        .filter(file -> words.contains(" " + file + " ") || words.contains(" " + file + ":"))
                        .isPresent())
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Setting.class)));
        return (named.isEmpty() ? all.keySet() : named)
                .stream().map(Setting::option).collect(Collectors.joining(", "));
    }

    private static void requireFree(HostPort address) {
        InetSocketAddress local = new InetSocketAddress(address.host(), address.port());
        if (local.isUnresolved()) {
            throw new TransportException(
                    Outcome.NOT_SENT, "cannot listen on " + address + ": the name of the host cannot be resolved");
        }
        // Bound without listening: no client can connect to a socket that is closed again at once.
        try (Socket probe = new Socket()) {
            probe.setReuseAddress(true);
            probe.bind(local);
        } catch (IOException e) {
            throw new TransportException(
                    Outcome.NOT_SENT, "cannot listen on " + address + ": " + TransportLifecycle.reason(e), e);
        }
    }

    /** Warns of files with secrets that other users of the machine may read. Blocks. */
    void warnOfOpenSecrets(Consumer<String> warnings) {
        tls.flatMap(TlsFiles::key).ifPresent(file -> PrivateFiles.warnIfOpen("the private key", file, warnings));
        tokens.ifPresent(file -> PrivateFiles.warnIfOpen("the list of tokens", file, warnings));
        config.membership().joinToken().ifPresent(file -> PrivateFiles.warnIfOpen("the join token", file, warnings));
        config.placement()
                .hashKeyFile()
                .ifPresent(file -> PrivateFiles.warnIfOpen("the key of the hash", file, warnings));
    }

    /** Opens the store. Blocks. */
    Store store(NodeCustomizer customizer) {
        return customizer.store(config, memory, () -> config.store().open(memory));
    }

    /** Returns the transport, which does not listen yet. */
    Transport transport(NodeCustomizer customizer) {
        return customizer.newTransport(config, this::standardTransport);
    }

    private Transport standardTransport() {
        if (config.transport() instanceof TransportChoice.Http http) {
            return HttpTransport.create(httpTransport(http));
        }
        if (config.transport() instanceof TransportChoice.Tcp tcp) {
            return TcpTransport.create(tcpTransport(tcp));
        }
        return GrpcTransport.create(grpcTransport((TransportChoice.Grpc) config.transport()));
    }

    private TcpTransportOptions tcpTransport(TransportChoice.Tcp choice) {
        HostPort address = addresses.transport();
        return secured(limited(TcpTransportOptions.at(address.host(), address.port())
                .withMemory(memory)
                .withConnectionsPerPeer(choice.connections().orElse(1))));
    }

    private HttpTransportOptions httpTransport(TransportChoice.Http choice) {
        HostPort address = addresses.transport();
        HttpTransportOptions options = HttpTransportOptions.at(address.host(), address.port())
                .withMemory(memory)
                .withClient(choice.client().kind())
                .withPublicHost(addresses.peer().host());
        for (String host : config.clients().publicHosts()) {
            options = options.withPublicHost(host);
        }
        if (choice.connections().isPresent()) {
            options = options.withConnectionsPerPeer(choice.connections().getAsInt());
        }
        return secured(limited(options));
    }

    private GrpcTransportOptions grpcTransport(TransportChoice.Grpc choice) {
        HostPort address = addresses.transport();
        return secured(limited(GrpcTransportOptions.at(address.host(), address.port())
                .withMemory(memory)
                .withMode(choice.mode())));
    }

    /** Returns options with the server's limits of connections. */
    private <T extends ListenerOptions<T>> T limited(T options) {
        T limited =
                options.withMaxConnections(config.clients().maxConnections()).withDrainTimeout(DRAIN);
        return config.clients().maxPerAddress().isEmpty()
                ? limited
                : limited.withMaxConnectionsPerAddress(
                        config.clients().maxPerAddress().getAsInt());
    }

    /** Returns options with the server's encryption. */
    private <T extends ListenerOptions<T>> T secured(T options) {
        T allowed = plaintextAllowed ? options.withPlaintextAllowed(Setting.ALLOW_PLAINTEXT.option()) : options;
        return tls.isEmpty() ? allowed : allowed.withTls(tls.get());
    }

    /** Returns the options of a public API, but for its encryption. */
    private <T extends PublicApiOptions<T>> T publicApi(T defaults) {
        T options = limited(defaults.withMemory(memory));
        return tokens.isEmpty() ? options : options.withTokens(tokens.get());
    }

    /** Starts the node. Blocks until its transport listens, and it is a member. */
    Cluster cluster(
            Transport transport, Store store, NodeCustomizer customizer, StartWatch watch, ServedCluster served) {
        Transport used = customizer.transport(transport);
        return customizer.cluster(config, used, store, () -> standardCluster(used, store, customizer, watch, served));
    }

    private ClusterBuilder builder() {
        MembershipChoice membership = config.membership();
        return membership.isAgreed()
                ? ClusterBuilder.of(membership.options(
                        config.id(), new MicroRaftLogs(config.store().data().resolve("meta"))))
                : ClusterBuilder.of(config.id(), membership.nodes());
    }

    private Cluster standardCluster(
            Transport transport, Store store, NodeCustomizer customizer, StartWatch watch, ServedCluster served) {
        ClusterBuilder builder = builder()
                .transport(transport)
                .store(store)
                .placement(customizer.placement(config.placement().placement()))
                .hash(customizer.hash(config.placement().function()))
                .readFanOut(config.calls().reads())
                .hedging(config.calls().hedging())
                .timeout(config.calls().timeout())
                .ordering(config.calls().ordering())
                .startPatience(config.calls().startPatience())
                .maxValueBytes(memory.maxValueBytes())
                .memory(memory)
                .batching(config.calls().batching())
                .cancellation(config.calls().cancellation())
                .handoff(config.calls().handoff())
                .repair(config.calls().repair())
                .hotKeys(FrequentItemsSketch::new)
                .refill(
                        config.store().refillMarker(),
                        config.store().refillWithout().toArray(NodeId[]::new))
                .trusting(config.security().trusted().toArray(NodeId[]::new))
                .drainTimeout(DRAIN);
        customizer.observer(metrics.observer()).ifPresent(builder::observer);
        config.calls().snapshotBytes().ifPresent(builder::snapshotBytes);
        // Set by the Java agent. Without it, calls have no cost for spans without a receiver. Agents before 2.24 do not
        // report whether one is set. None is set later: the server is the application.
        OpenTelemetry global = GlobalOpenTelemetry.get();
        if (global.getTracerProvider() != TracerProvider.noop()) {
            builder.tracer(OpenTelemetryTracer.of(global));
        }
        if (!config.calls().slowCalls().isZero()) {
            builder.slowCalls(config.calls().slowCalls());
        }
        config.placement().replicationFactor().ifPresent(builder::replicationFactor);
        config.store().openHints().ifPresent(builder::hints);
        if (!config.membership().isAgreed() || config.membership().claimsPartitions()) {
            builder.partitions(config.placement().partitions());
        }
        try {
            if (!config.membership().isAgreed()) {
                return builder.start();
            }
            NodeStart start = builder.begin();
            served.waits(start::waiting);
            return MemberStart.await(start, watch);
        } catch (IllegalStateException e) {
            throw new StartFailure(String.valueOf(e.getMessage()), e);
        }
    }

    /** Starts the public HTTP API, on the transport's port if that is shared. Blocks until it listens. */
    HttpApi httpApi(Transport transport, Cluster cluster) {
        HttpApiOptions options = publicApi(HttpApiOptions.defaults())
                .withPublicHost(addresses.listen().host())
                .withPublicHost(addresses.peer().host());
        for (String host : config.clients().publicHosts()) {
            options = options.withPublicHost(host);
        }
        HostPort listen = addresses.listen();
        HttpApi api = addresses.isShared() && transport instanceof HttpTransport shared
                ? HttpApi.sharing(shared, cluster, options)
                : HttpApi.listening(listen.host(), listen.port(), cluster, secured(options));
        api.metrics(metrics::text);
        return api;
    }

    /** Starts the public HTTP API of a node that may wait for its start. Blocks until an own port listens. */
    HttpApi startingApi(Transport transport, ServedCluster served) {
        HttpApi api = httpApi(transport, served);
        api.starting(served::waiting);
        return api;
    }

    /** Starts the public gRPC API. Blocks until it listens. */
    GrpcApi grpcApi(HostPort address, Cluster cluster) {
        GrpcApiOptions options = secured(publicApi(GrpcApiOptions.defaults()));
        return GrpcApi.listening(address.host(), address.port(), cluster, options);
    }
}
