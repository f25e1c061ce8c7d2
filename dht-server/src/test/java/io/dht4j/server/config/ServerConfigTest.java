package io.dht4j.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.CancellationPolicy;
import io.dht4j.Hedging;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Ordering;
import io.dht4j.ReadFanOut;
import io.dht4j.core.options.Batching;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.core.options.Repair;
import io.dht4j.server.config.PlacementChoice.Hash;
import io.dht4j.server.config.PlacementChoice.Strategy;
import io.dht4j.server.config.StoreChoice.Kind;
import io.dht4j.spi.TlsFiles;
import io.dht4j.store.mvstore.Durability;
import io.dht4j.transport.grpc.GrpcMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ServerConfigTest {

    @Test
    void withoutSettingsItIsOneNode() throws Exception {
        ServerConfig config = ServerConfig.of(Map.of());

        assertThat(config.id().value()).isEqualTo("n1");
        assertThat(config.addresses().listen()).isEqualTo(new HostPort("127.0.0.1", 8080));
        assertThat(config.addresses().isShared()).isTrue();
        assertThat(config.topology().nodes()).containsExactly(Node.of("n1", "127.0.0.1:8080"));
        assertThat(config.store())
                .isEqualTo(new StoreChoice(Kind.MVSTORE, Path.of("dht-data/n1"), Durability.OS, Set.of()));
        assertThat(config.placement())
                .isEqualTo(new PlacementChoice(
                        Strategy.RENDEZVOUS, Hash.XXH3, Optional.empty(), Optional.empty(), 1024, OptionalInt.empty()));
        assertThat(config.calls())
                .isEqualTo(new CallChoice(
                        ReadFanOut.ENOUGH,
                        Hedging.off(),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(1),
                        Ordering.REAL_TIME,
                        Duration.ofSeconds(5),
                        16 << 20,
                        Batching.on(),
                        CancellationPolicy.LOCAL,
                        HintedHandoff.on(),
                        Repair.on(),
                        OptionalLong.empty()));
        assertThat(config.transport())
                .isEqualTo(new TransportChoice.Http(TransportChoice.Client.VERTX, OptionalInt.empty()));
        assertThat(config.addresses().grpc()).isEmpty();
        assertThat(config.security())
                .isEqualTo(new SecurityConfig(Optional.empty(), Optional.empty(), false, List.of()));
        assertThat(config.clients())
                .isEqualTo(new ClientConfig(List.of(), 10_000, OptionalInt.empty(), Duration.ofSeconds(5)));
    }

    @Test
    void everySettingIsHeeded() throws Exception {
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        settings.put(Setting.ID, "b");
        settings.put(Setting.LISTEN, "[::1]:9000");
        settings.put(Setting.PEERS, "a=host:1, b=[::1]:2");
        settings.put(Setting.DATA, "somewhere");
        settings.put(Setting.TRANSPORT, "grpc");
        settings.put(Setting.GRPC_MODE, "unary");
        settings.put(Setting.GRPC_LISTEN, "[::1]:9001");
        settings.put(Setting.BATCHING, "on");
        settings.put(Setting.BATCH_FRAMES, "7");
        settings.put(Setting.CANCELLATION, "propagate");
        settings.put(Setting.HANDOFF, "off");
        settings.put(Setting.SNAPSHOT_MIB, "7");
        settings.put(Setting.TLS_CERT, "b.pem");
        settings.put(Setting.TLS_KEY, "b-key.pem");
        settings.put(Setting.TLS_CA, "ca.pem");
        settings.put(Setting.TRUSTED, "m1, m2");
        settings.put(Setting.PLACEMENT, "jump");
        settings.put(Setting.HASH, "siphash");
        settings.put(Setting.HASH_KEY, "000102030405060708090a0b0c0d0e0f");
        settings.put(Setting.PARTITIONS, "64");
        settings.put(Setting.STORE, "mvstore");
        settings.put(Setting.DURABILITY, "fsync");
        settings.put(Setting.REPLICATION_FACTOR, "2");
        settings.put(Setting.READS, "all");
        settings.put(Setting.HEDGE, "99.5%");
        settings.put(Setting.TIMEOUT, "250");
        settings.put(Setting.SLOW_CALLS, "80");
        settings.put(Setting.ORDERING, "linearizable");
        settings.put(Setting.START_PATIENCE, "600");
        settings.put(Setting.MAX_VALUE_BYTES, "1000");
        settings.put(Setting.TOKENS, "tokens.txt");
        settings.put(Setting.MAX_CONNECTIONS, "300");
        settings.put(Setting.MAX_CONNECTIONS_PER_ADDRESS, "30");
        settings.put(Setting.SHUTDOWN_DELAY, "7000");

        ServerConfig config = ServerConfig.of(settings);

        assertThat(config.addresses())
                .isEqualTo(new Addresses(
                        new HostPort("::1", 9000),
                        new HostPort("::1", 2),
                        false,
                        Optional.of(new HostPort("::1", 9001))));
        assertThat(config.topology().nodes()).containsExactly(Node.of("a", "host:1"), Node.of("b", "[::1]:2"));
        assertThat(config.store())
                .isEqualTo(new StoreChoice(Kind.MVSTORE, Path.of("somewhere"), Durability.FSYNC, Set.of()));
        assertThat(config.placement())
                .isEqualTo(new PlacementChoice(
                        Strategy.JUMP,
                        Hash.SIPHASH,
                        Optional.of("000102030405060708090a0b0c0d0e0f"),
                        Optional.empty(),
                        64,
                        OptionalInt.of(2)));
        assertThat(config.calls())
                .isEqualTo(new CallChoice(
                        ReadFanOut.ALL,
                        Hedging.atPercentile(99.5),
                        Duration.ofMillis(250),
                        Duration.ofMillis(80),
                        Ordering.LINEARIZABLE,
                        Duration.ofMillis(600),
                        1000,
                        new Batching(
                                true, Batching.on().maxEntries(), Batching.on().maxBytes(), 7),
                        CancellationPolicy.PROPAGATE,
                        HintedHandoff.off(),
                        Repair.on(),
                        OptionalLong.of(7L << 20)));
        assertThat(config.transport()).isEqualTo(new TransportChoice.Grpc(GrpcMode.UNARY));
        assertThat(config.security())
                .isEqualTo(new SecurityConfig(
                        Optional.of(TlsFiles.mutual(Path.of("b.pem"), Path.of("b-key.pem"), Path.of("ca.pem"))),
                        Optional.of(Path.of("tokens.txt")),
                        false,
                        List.of(new NodeId("m1"), new NodeId("m2"))));
        assertThat(config.clients())
                .isEqualTo(new ClientConfig(List.of(), 300, OptionalInt.of(30), Duration.ofSeconds(7)));
    }

    @Test
    void hostsAreForNodesWithoutTokensAndForPeersOverHttp() throws Exception {
        assertThat(ServerConfig.of(Map.of(Setting.PUBLIC_HOST, "kv.example, 192.0.2.7"))
                        .clients()
                        .publicHosts())
                .containsExactly("kv.example", "192.0.2.7");
        assertThat(ServerConfig.of(Map.of(Setting.PUBLIC_HOST, "kv.example", Setting.TOKENS, "file"))
                        .clients()
                        .publicHosts())
                .containsExactly("kv.example");
        assertThatThrownBy(() -> ServerConfig.of(Map.of(
                        Setting.PUBLIC_HOST,
                        "a",
                        Setting.TOKENS,
                        "file",
                        Setting.TRANSPORT,
                        "tcp",
                        Setting.PEERS,
                        "n1=127.0.0.1:7000")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--public-host has no effect with --tokens");
    }

    @Test
    void dataDirectoryIsReportedUnlessItWasChosenAndExists(@TempDir Path directory) throws Exception {
        Path missing = directory.resolve("missing");
        StoreChoice there =
                ServerConfig.of(Map.of(Setting.DATA, directory.toString())).store();
        StoreChoice notThere =
                ServerConfig.of(Map.of(Setting.DATA, missing.toString())).store();
        StoreChoice memory = ServerConfig.of(Map.of(Setting.STORE, "memory")).store();

        assertThat(there.notice(true)).isEmpty();
        assertThat(there.notice(false))
                .contains("the data directory is " + directory + "; --data DIR chooses another one");
        assertThat(notThere.notice(true)).contains("created the data directory " + missing + ", which was not there");
        assertThat(notThere.notice(false))
                .contains("created the data directory " + missing
                        + ", which was not there; --data DIR chooses another one");
        assertThat(memory.notice(false))
                .hasValueSatisfying(
                        line -> assertThat(line).contains("in memory only", "gone when this server ends", "--store"));
    }

    @Test
    void theMemoryStoreIsChosenWithoutADirectory() throws Exception {
        assertThat(ServerConfig.of(Map.of(Setting.STORE, "memory")).store().kind())
                .isEqualTo(Kind.MEMORY);
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:80,127.0.0.1:80,true",
        "localhost:80,127.0.0.1:80,true",
        "127.0.0.1:80,LOCALHOST:80,true",
        "0.0.0.0:80,127.0.0.1:80,true",
        "[::]:80,127.0.0.1:80,true",
        "127.0.0.1:80,127.0.0.1:81,false",
        "127.0.0.1:80,127.0.0.2:80,false",
        "127.0.0.1:80,does-not-exist.invalid:80,false"
    })
    void portIsSharedIfBothAddressesHaveIt(String listen, String peer, boolean shared) throws Exception {
        Map<Setting, String> settings = Map.of(Setting.LISTEN, listen, Setting.PEERS, "n1=" + peer);

        Addresses addresses = ServerConfig.of(settings).addresses();

        assertThat(addresses.isShared()).isEqualTo(shared);
        assertThat(addresses.transport()).isEqualTo(HostPort.parse(shared ? listen : peer));
    }

    @ParameterizedTest
    @CsvSource({
        "vertx,VERTX",
        "vertx-pipelined,VERTX_PIPELINED",
        "vertx-h2,VERTX_H2",
        "webclient,WEBCLIENT",
        "jdk,JDK",
        "jdk-h2,JDK_H2",
        "one-nio,ONE_NIO"
    })
    void eachHttpClientHasAName(String name, TransportChoice.Client kind) throws Exception {
        assertThat(ServerConfig.of(Map.of(Setting.HTTP_CLIENT, name)).transport())
                .isEqualTo(new TransportChoice.Http(kind, OptionalInt.empty()));
    }

    @ParameterizedTest
    @EnumSource(CancellationPolicy.class)
    void eachCancellationPolicyHasAName(CancellationPolicy policy) throws Exception {
        String name = policy.name().toLowerCase(Locale.ROOT);

        assertThat(ServerConfig.of(Map.of(Setting.CANCELLATION, name)).calls().cancellation())
                .isEqualTo(policy);
    }

    @Test
    void batchingIsSwitchedOff() throws Exception {
        assertThat(ServerConfig.of(Map.of(Setting.BATCHING, "off")).calls().batching())
                .isEqualTo(Batching.off());
    }

    @Test
    void plaintextIsAllowed() throws Exception {
        assertThat(ServerConfig.of(Map.of(Setting.ALLOW_PLAINTEXT, "on"))
                        .security()
                        .plaintextAllowed())
                .isTrue();
    }

    @Test
    void aNodeWithoutPeersTrustsItsOwnCertificateOnly() throws Exception {
        Map<Setting, String> settings = Map.of(Setting.TLS_CERT, "c.pem", Setting.TLS_KEY, "k.pem");

        assertThat(ServerConfig.of(settings).security().tls())
                .contains(TlsFiles.mutual(Path.of("c.pem"), Path.of("k.pem"), Path.of("c.pem")));
    }

    @Test
    void repairRateHoldsForScheduledAndRequestedRepairs() throws Exception {
        assertThat(ServerConfig.of(Map.of(Setting.REPAIR_RATE, "64")).calls().repair())
                .isEqualTo(Repair.on().withBytesPerSecond(64 << 10));
        assertThat(ServerConfig.of(Map.of(Setting.REPAIR_RATE, "64", Setting.REPAIR, "off"))
                        .calls()
                        .repair())
                .isEqualTo(Repair.off().withBytesPerSecond(64 << 10));
    }

    @Test
    void documentedDefaultsAreTheDefaults() throws Exception {
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            setting.fallbackValue().ifPresent(fallback -> settings.put(setting, fallback));
        }
        String mode = settings.remove(Setting.GRPC_MODE); // Has no effect with the default transport.

        assertThat(settings).containsKeys(Setting.LISTEN, Setting.HASH, Setting.TIMEOUT);
        assertThat(ServerConfig.of(settings)).isEqualTo(ServerConfig.of(Map.of()));
        Map<Setting, String> grpc = Map.of(Setting.TRANSPORT, "grpc", Setting.PEERS, "n1=127.0.0.1:1");
        Map<Setting, String> withMode = new EnumMap<>(grpc);
        withMode.put(Setting.GRPC_MODE, mode);
        assertThat(ServerConfig.of(withMode)).isEqualTo(ServerConfig.of(grpc));
    }

    @Test
    void theConnectionsToEachPeerCanBeSet() throws Exception {
        assertThat(ServerConfig.of(Map.of(Setting.HTTP_CLIENT, "one-nio", Setting.PEER_CONNECTIONS, "8"))
                        .transport())
                .isEqualTo(new TransportChoice.Http(TransportChoice.Client.ONE_NIO, OptionalInt.of(8)));
    }

    @Test
    void tcpTransportHasItsOwnPortAndConnections() throws Exception {
        Map<Setting, String> tcp = new EnumMap<>(Map.of(Setting.TRANSPORT, "tcp", Setting.PEERS, "n1=127.0.0.1:1"));
        assertThat(ServerConfig.of(tcp).transport()).isEqualTo(new TransportChoice.Tcp(OptionalInt.empty()));
        tcp.put(Setting.PEER_CONNECTIONS, "256");
        assertThat(ServerConfig.of(tcp).transport()).isEqualTo(new TransportChoice.Tcp(OptionalInt.of(256)));
        tcp.put(Setting.PEER_CONNECTIONS, "257");
        assertThatThrownBy(() -> ServerConfig.of(tcp)).hasMessageContaining("1 to 256");
        assertThatThrownBy(() -> ServerConfig.of(Map.of(Setting.TRANSPORT, "tcp")))
                .hasMessageContaining("TCP between the nodes shares no port");
        assertThatThrownBy(() -> ServerConfig.of(
                        Map.of(Setting.TRANSPORT, "tcp", Setting.PEERS, "n1=127.0.0.1:1", Setting.HTTP_CLIENT, "jdk")))
                .hasMessageContaining("with --transport tcp");
    }
}
