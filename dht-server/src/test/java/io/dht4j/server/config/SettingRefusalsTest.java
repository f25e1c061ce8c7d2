package io.dht4j.server.config;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings that are refused, each with a message that names the option and the allowed range. */
class SettingRefusalsTest {

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
    void permissionForPlaintextIsRefusedWithTls() {
        Map<Setting, String> settings =
                Map.of(Setting.TLS_CERT, "c", Setting.TLS_KEY, "k", Setting.ALLOW_PLAINTEXT, "on");

        assertThatThrownBy(() -> ServerConfig.of(settings))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--allow-plaintext has no effect with --tls-cert");
    }

    @ParameterizedTest
    @CsvSource({"PEERS,'n1=127.0.0.1:8080,n2=127.0.0.1:8081'", "TRUSTED,m1"})
    void nodeWithPeersNeedsAuthorities(Setting setting, String value) {
        Map<Setting, String> settings = Map.of(Setting.TLS_CERT, "c", Setting.TLS_KEY, "k", setting, value);

        assertThatThrownBy(() -> ServerConfig.of(settings))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--tls-cert needs --tls-ca");
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
                "REPLICATION_FACTOR|2|must be 1, since there is one node",
                "REPLICATION_FACTOR|many|1 to 1",
                "READS|some|enough or all",
                "HEDGE|0|1ms to 1h",
                "HEDGE|p95|off, 1 to 3600000 milliseconds, or 50% to 99.9%",
                "HEDGE|100%|50.0 to 99.9",
                "TIMEOUT|0|1 to 3600000",
                "MAX_VALUE_BYTES|-1|1 to 536870912",
                "TOKENS|''|path is missing",
                "DATA|''|path is missing"
            })
    void wrongValueIsRefusedWithTheAllowedRange(Setting setting, String value, String message) {
        assertThatThrownBy(() -> ServerConfig.of(Map.of(setting, value)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(setting.option())
                .hasMessageContaining(message);
    }

    @Test
    void theJdksHttp2ClientHasFewerConnections() {
        assertThatThrownBy(() -> ServerConfig.of(Map.of(Setting.HTTP_CLIENT, "jdk-h2", Setting.PEER_CONNECTIONS, "17")))
                .hasMessageContaining("--peer-connections")
                .hasMessageContaining("1 to 16");
    }

    @Test
    void wrongModeOfGrpcIsRefusedWithTheValidModes() {
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
}
