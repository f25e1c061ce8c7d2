package io.dht4j.server;

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
import io.dht4j.server.PlacementChoice.Hash;
import io.dht4j.server.PlacementChoice.Strategy;
import io.dht4j.server.StoreChoice.Kind;
import io.dht4j.spi.TlsFiles;
import io.dht4j.store.mvstore.Durability;
import io.dht4j.transport.grpc.GrpcMode;
import java.nio.file.Files;
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
import org.junit.jupiter.params.provider.ValueSource;

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
        assertThat(config.clients()).isEqualTo(new ClientConfig(List.of(), 10_000, OptionalInt.empty()));
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
        settings.put(Setting.ORDERING, "linearizable");
        settings.put(Setting.START_PATIENCE, "600");
        settings.put(Setting.MAX_VALUE_BYTES, "1000");
        settings.put(Setting.TOKENS, "tokens.txt");
        settings.put(Setting.MAX_CONNECTIONS, "300");
        settings.put(Setting.MAX_CONNECTIONS_PER_ADDRESS, "30");

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
        assertThat(config.clients()).isEqualTo(new ClientConfig(List.of(), 300, OptionalInt.of(30)));
    }

    @Test
    void hostsOfClientsAreForNodesWithoutTokens() throws Exception {
        assertThat(ServerConfig.of(Map.of(Setting.PUBLIC_HOST, "kv.example, 192.0.2.7"))
                        .clients()
                        .publicHosts())
                .containsExactly("kv.example", "192.0.2.7");
        assertThatThrownBy(() -> ServerConfig.of(Map.of(Setting.PUBLIC_HOST, "a", Setting.TOKENS, "file")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--public-host has no effect with --tokens");
    }

    @Test
    void whereTheEntriesAreIsToldUnlessItWasChosenAndIsThere(@TempDir Path directory) throws Exception {
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
    void aPortIsSharedWhenBothAddressesMeanIt(String listen, String peer, boolean shared) throws Exception {
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "grpc|127.0.0.1:80|127.0.0.1:80||--listen 127.0.0.1:80 must differ from this node's address in --peers",
                "grpc|localhost:80|127.0.0.1:80||must differ",
                "grpc|0.0.0.0:80|127.0.0.1:80||must differ",
                "grpc|127.0.0.1:80|127.0.0.1:81|127.0.0.1:81|--grpc-listen 127.0.0.1:81 must differ from this node's",
                "grpc|127.0.0.1:80|127.0.0.1:81|127.0.0.1:80|--grpc-listen 127.0.0.1:80 must differ from --listen",
                "http|127.0.0.1:80|127.0.0.1:80|localhost:80|--grpc-listen localhost:80 must differ from --listen",
                "http|127.0.0.1:80|127.0.0.1:81|0.0.0.0:81|--grpc-listen 0.0.0.0:81 must differ from this node's"
            })
    void addressesThatCannotShareAPortMustDiffer(
            String transport, String listen, String peer, String grpc, String message) {
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        settings.put(Setting.TRANSPORT, transport);
        settings.put(Setting.LISTEN, listen);
        settings.put(Setting.PEERS, "n1=" + peer);
        if (grpc != null) {
            settings.put(Setting.GRPC_LISTEN, grpc);
        }

        assertThatThrownBy(() -> ServerConfig.of(settings))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }

    @Test
    void anAddressWithinThePeerAddressIsRefused() {
        Map<Setting, String> settings = Map.of(Setting.LISTEN, "127.0.0.1:80", Setting.PEERS, "n1=0.0.0.0:80");

        assertThatThrownBy(() -> ServerConfig.of(settings))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--listen 127.0.0.1:80")
                .hasMessageContaining("--peers, 0.0.0.0:80");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "STORE=memory|DATA=somewhere|--data has no effect with --store memory",
                "STORE=memory|DURABILITY=fsync|--durability has no effect with --store memory",
                "HASH=xxh3|HASH_KEY=00|--hash-key has no effect without --hash siphash",
                "TRANSPORT=http|GRPC_MODE=unary|--grpc-mode has no effect with --transport http",
                "READS=all|GRPC_MODE=unary|--grpc-mode has no effect with --transport http",
                "TRANSPORT=grpc|HTTP_CLIENT=jdk|--http-client has no effect with --transport grpc",
                "BATCHING=off|BATCH_FRAMES=3|--batch-frames has no effect with --batching off",
                "READS=all|TLS_CA=ca|--tls-ca has no effect without --tls-cert and --tls-key",
                "READS=all|TRUSTED=m1|--trusted has no effect without --tls-cert"
            })
    void aSettingThatWouldDoNothingIsRefused(String one, String other, String message) {
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        for (String text : List.of(one, other)) {
            int equals = text.indexOf('=');
            settings.put(Setting.valueOf(text.substring(0, equals)), text.substring(equals + 1));
        }

        assertThatThrownBy(() -> ServerConfig.of(settings))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }

    @Test
    void leaveForPlaintextDoesNothingWhereAllIsEncrypted() {
        Map<Setting, String> settings =
                Map.of(Setting.TLS_CERT, "c", Setting.TLS_KEY, "k", Setting.ALLOW_PLAINTEXT, "on");

        assertThatThrownBy(() -> ServerConfig.of(settings))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--allow-plaintext has no effect with --tls-cert");
    }

    @ParameterizedTest
    @CsvSource({"PEERS,'n1=127.0.0.1:8080,n2=127.0.0.1:8081'", "TRUSTED,m1"})
    void whoIsCalledByOthersNeedsAuthorities(Setting setting, String value) {
        Map<Setting, String> settings = Map.of(Setting.TLS_CERT, "c", Setting.TLS_KEY, "k", setting, value);

        assertThatThrownBy(() -> ServerConfig.of(settings))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--tls-cert needs --tls-ca");
    }

    @Test
    void repairKeepsItsRateWhetherItComesByItselfOrIsAskedFor() throws Exception {
        assertThat(ServerConfig.of(Map.of(Setting.REPAIR_RATE, "64")).calls().repair())
                .isEqualTo(Repair.on().withBytesPerSecond(64 << 10));
        assertThat(ServerConfig.of(Map.of(Setting.REPAIR_RATE, "64", Setting.REPAIR, "off"))
                        .calls()
                        .repair())
                .isEqualTo(Repair.off().withBytesPerSecond(64 << 10));
    }

    @Test
    void everyDefaultThatCanBeReadIsTheOneThatHolds() throws Exception {
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ID|-x|a node id is",
                "LISTEN|8080|expected host:port",
                "LISTEN|::1:8080|in brackets",
                "LISTEN|host:0|1 to 65535",
                "LISTEN|host:99999|1 to 65535",
                "LISTEN|:80|host is missing",
                "PEERS|n1|ID=HOST:PORT",
                "REPAIR_RATE|15|16 to 1048576",
                "REPAIR_RATE|1048577|16 to 1048576",
                "PEERS|n1=a:1,|ID=HOST:PORT",
                "PEERS|n1=a:1,n1=b:2|twice",
                "TRANSPORT|smoke|http or grpc",
                "HTTP_CLIENT|netty|vertx or vertx-pipelined or vertx-h2 or webclient or jdk or jdk-h2 or one-nio",
                "PEER_CONNECTIONS|0|1 to 10000",
                "PEER_CONNECTIONS|many|1 to 10000",
                "GRPC_LISTEN|9090|expected host:port",
                "BATCHING|yes|on or off",
                "HANDOFF|maybe|on or off",
                "SNAPSHOT_MIB|-1|0 to 1048576",
                "BATCH_FRAMES|0|1 to 1000",
                "CANCELLATION|sometimes|never or local or propagate",
                "PUBLIC_HOST|''|a name or an address, without a port",
                "PUBLIC_HOST|kv.example:80|a name or an address, without a port",
                "MAX_CONNECTIONS|0|1 to 1000000",
                "MAX_CONNECTIONS_PER_ADDRESS|many|1 to 1000000",
                "TLS_CERT|c|--tls-key",
                "TLS_KEY|k|--tls-cert",
                "TLS_CA|''|path is missing",
                "TRUSTED|m1,|a node id is",
                "ALLOW_PLAINTEXT|maybe|on or off",
                "PLACEMENT|Ring|ring or rendezvous or jump or modulo",
                "HASH|md5|xxh3 or murmur3 or siphash or string",
                "HASH|siphash|needs --hash-key",
                "PARTITIONS|1000|power of two",
                "PARTITIONS|0|1 to 1048576",
                "STORE|disk|mvstore or memory",
                "DURABILITY|none|os or fsync",
                "REPLICATION_FACTOR|2|1 to 1",
                "REPLICATION_FACTOR|many|1 to 1",
                "READS|some|enough or all",
                "HEDGE|0|PT0.001S to PT1H",
                "HEDGE|p95|off, 1 to 3600000 milliseconds, or 50% to 99.9%",
                "HEDGE|100%|50.0 to 99.9",
                "TIMEOUT|0|1 to 3600000",
                "MAX_VALUE_BYTES|-1|1 to 536870912",
                "TOKENS|''|path is missing",
                "DATA|''|path is missing"
            })
    void whatIsWrongIsNamedWithTheAllowedRange(Setting setting, String value, String message) {
        assertThatThrownBy(() -> ServerConfig.of(Map.of(setting, value)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(setting.option())
                .hasMessageContaining(message);
    }

    @Test
    void theConnectionsToEachPeerCanBeSet() throws Exception {
        assertThat(ServerConfig.of(Map.of(Setting.HTTP_CLIENT, "one-nio", Setting.PEER_CONNECTIONS, "8"))
                        .transport())
                .isEqualTo(new TransportChoice.Http(TransportChoice.Client.ONE_NIO, OptionalInt.of(8)));
    }

    @Test
    void theJdksHttp2ClientHasFewerConnections() {
        assertThatThrownBy(() -> ServerConfig.of(Map.of(Setting.HTTP_CLIENT, "jdk-h2", Setting.PEER_CONNECTIONS, "17")))
                .hasMessageContaining("--peer-connections")
                .hasMessageContaining("1 to 16");
    }

    @Test
    void aWrongModeOfGrpcIsNamedWithThoseThatThereAre() {
        assertThatThrownBy(() -> ServerConfig.of(
                        Map.of(Setting.TRANSPORT, "grpc", Setting.PEERS, "n1=h:1", Setting.GRPC_MODE, "fast")))
                .hasMessageContaining("--grpc-mode must be unary or stream, not \"fast\"");
    }

    @Test
    void aNodeMustBeAmongItsPeers() {
        assertThatThrownBy(() -> ServerConfig.of(Map.of(Setting.ID, "n9", Setting.PEERS, "n1=127.0.0.1:1")))
                .isInstanceOf(ConfigException.class)
                .hasMessage("--id n9 is not among the --peers: n1");
    }

    @Test
    void aWrongHashKeyIsNotShown() {
        assertThatThrownBy(() ->
                        ServerConfig.of(Map.of(Setting.HASH, "siphash", Setting.HASH_KEY, "secret but too short")))
                .hasMessageContaining("--hash-key must be 32 hexadecimal digits")
                .hasMessageNotContaining("secret");
    }

    @Test
    void theHashKeyMayComeFromAFile(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("key"), "000102030405060708090a0b0c0d0e0f\n");

        PlacementChoice placement = ServerConfig.of(
                        Map.of(Setting.HASH, "siphash", Setting.HASH_KEY_FILE, file.toString()))
                .placement();

        assertThat(placement.hashKey()).hasValue("000102030405060708090a0b0c0d0e0f");
        assertThat(placement.hashKeyFile()).hasValue(file);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "secret", "000102030405060708090a0b0c0d0e0f 00", "00010203\n0405060708090a0b0c0d0e0f"})
    void whatIsNoHashKeyInAFileIsRefusedAndNotShown(String content, @TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("key"), content);

        assertThatThrownBy(
                        () -> ServerConfig.of(Map.of(Setting.HASH, "siphash", Setting.HASH_KEY_FILE, file.toString())))
                .isInstanceOf(ConfigException.class)
                .hasMessage("--hash-key-file: " + file + " must be 32 hexadecimal digits and nothing else");
    }

    @Test
    void aFileOfAHashKeyThatIsMissingOrEndlessIsRefused(@TempDir Path directory) throws Exception {
        Path none = directory.resolve("none");
        Path large =
                Files.writeString(directory.resolve("large"), "000102030405060708090a0b0c0d0e0f" + " ".repeat(1_000));

        assertThatThrownBy(
                        () -> ServerConfig.of(Map.of(Setting.HASH, "siphash", Setting.HASH_KEY_FILE, none.toString())))
                .hasMessage("--hash-key-file: there is no file " + none);
        assertThatThrownBy(
                        () -> ServerConfig.of(Map.of(Setting.HASH, "siphash", Setting.HASH_KEY_FILE, large.toString())))
                .hasMessageContaining("32 hexadecimal digits");
        assertThatThrownBy(() -> ServerConfig.of(Map.of(Setting.HASH_KEY_FILE, none.toString())))
                .hasMessage("--hash-key-file has no effect without --hash siphash");
        assertThatThrownBy(() -> ServerConfig.of(Map.of(
                        Setting.HASH, "siphash", Setting.HASH_KEY, "00", Setting.HASH_KEY_FILE, none.toString())))
                .hasMessage("--hash-key-file has no effect with --hash-key");
    }

    @Test
    void aFileHasTheSameNames(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("n2.properties");
        Files.writeString(file, "# a comment\nid=n2\nreplication-factor = 1 \nmax-value-bytes=5\n");

        assertThat(ServerConfig.read(file))
                .isEqualTo(Map.of(Setting.ID, "n2", Setting.REPLICATION_FACTOR, "1", Setting.MAX_VALUE_BYTES, "5"));
    }

    @Test
    void aFileWithAnUnknownNameIsRefused(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("n2.properties");
        Files.writeString(file, "replicas=3\n");

        assertThatThrownBy(() -> ServerConfig.read(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--config")
                .hasMessageContaining("unknown name \"replicas\"")
                .hasMessageContaining("replication-factor");
    }

    @Test
    void aFileThatIsNotThereIsNamed(@TempDir Path directory) {
        assertThatThrownBy(() -> ServerConfig.read(directory.resolve("none")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--config: there is no file");
    }
}
