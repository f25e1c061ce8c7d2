package io.dht4j.examples.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Node;
import io.dht4j.ReadFanOut;
import io.dht4j.store.mvstore.Durability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerConfigTest {

    @Test
    void without_settings_it_is_one_node() throws Exception {
        ServerConfig config = ServerConfig.of(Map.of());

        assertThat(config.id().value()).isEqualTo("n1");
        assertThat(config.listen()).isEqualTo(new HostPort("127.0.0.1", 8080));
        assertThat(config.topology().nodes()).containsExactly(Node.of("n1", "127.0.0.1:8080"));
        assertThat(config.data()).isEqualTo(Path.of("dht-data/n1"));
        assertThat(config.store()).isEqualTo(ServerConfig.StoreName.MVSTORE);
        assertThat(config.durability()).isEqualTo(Durability.OS);
        assertThat(config.placement()).isEqualTo(ServerConfig.PlacementName.RENDEZVOUS);
        assertThat(config.hash()).isEqualTo(ServerConfig.HashName.XXH3);
        assertThat(config.replicationFactor()).isEmpty();
    }

    @Test
    void every_setting_is_heeded() throws Exception {
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        settings.put(Setting.ID, "b");
        settings.put(Setting.LISTEN, "[::1]:9000");
        settings.put(Setting.PEERS, "a=host:1, b=[::1]:2");
        settings.put(Setting.DATA, "somewhere");
        settings.put(Setting.TRANSPORT, "http");
        settings.put(Setting.PLACEMENT, "jump");
        settings.put(Setting.HASH, "siphash");
        settings.put(Setting.HASH_KEY, "000102030405060708090a0b0c0d0e0f");
        settings.put(Setting.PARTITIONS, "64");
        settings.put(Setting.STORE, "memory");
        settings.put(Setting.DURABILITY, "fsync");
        settings.put(Setting.REPLICATION_FACTOR, "2");
        settings.put(Setting.READS, "all");
        settings.put(Setting.TIMEOUT, "250");
        settings.put(Setting.MAX_VALUE_BYTES, "1000");

        ServerConfig config = ServerConfig.of(settings);

        assertThat(config.listen()).isEqualTo(new HostPort("::1", 9000));
        assertThat(config.topology().nodes()).containsExactly(Node.of("a", "host:1"), Node.of("b", "[::1]:2"));
        assertThat(config.self()).contains(Node.of("b", "[::1]:2"));
        assertThat(config.data()).isEqualTo(Path.of("somewhere"));
        assertThat(config.placement()).isEqualTo(ServerConfig.PlacementName.JUMP);
        assertThat(config.hash()).isEqualTo(ServerConfig.HashName.SIPHASH);
        assertThat(config.hashKey()).contains("000102030405060708090a0b0c0d0e0f");
        assertThat(config.partitions()).isEqualTo(64);
        assertThat(config.store()).isEqualTo(ServerConfig.StoreName.MEMORY);
        assertThat(config.durability()).isEqualTo(Durability.FSYNC);
        assertThat(config.replicationFactor()).hasValue(2);
        assertThat(config.reads()).isEqualTo(ReadFanOut.ALL);
        assertThat(config.timeout()).isEqualTo(Duration.ofMillis(250));
        assertThat(config.maxValueBytes()).isEqualTo(1000);
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
                "PEERS|n1=a:1,|ID=HOST:PORT",
                "PEERS|n1=a:1,n1=b:2|twice",
                "TRANSPORT|smoke|http",
                "PLACEMENT|Ring|ring or rendezvous or jump or modulo",
                "HASH|md5|xxh3 or murmur3 or siphash or string",
                "HASH|siphash|needs --hash-key",
                "HASH_KEY|00|siphash only",
                "PARTITIONS|1000|power of two",
                "PARTITIONS|0|1 to 1048576",
                "STORE|disk|mvstore or memory",
                "DURABILITY|none|os or fsync",
                "REPLICATION_FACTOR|2|1 to 1",
                "REPLICATION_FACTOR|many|1 to 1",
                "READS|some|enough or all",
                "TIMEOUT|0|1 to 3600000",
                "MAX_VALUE_BYTES|-1|1 to 536870912"
            })
    void what_is_wrong_is_named_with_the_allowed_range(Setting setting, String value, String message) {
        assertThatThrownBy(() -> ServerConfig.of(Map.of(setting, value)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(setting.option())
                .hasMessageContaining(message);
    }

    @Test
    void a_wrong_hash_key_is_not_shown() {
        assertThatThrownBy(() ->
                        ServerConfig.of(Map.of(Setting.HASH, "siphash", Setting.HASH_KEY, "secret but too short")))
                .hasMessageContaining("--hash-key must be 32 hexadecimal digits")
                .hasMessageNotContaining("secret");
    }

    @Test
    void a_file_has_the_same_names(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("n2.properties");
        Files.writeString(file, "# a comment\nid=n2\nreplication-factor = 1 \nmax-value-bytes=5\n");

        assertThat(ServerConfig.read(file))
                .isEqualTo(Map.of(Setting.ID, "n2", Setting.REPLICATION_FACTOR, "1", Setting.MAX_VALUE_BYTES, "5"));
    }

    @Test
    void a_file_with_an_unknown_name_is_refused(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("n2.properties");
        Files.writeString(file, "replicas=3\n");

        assertThatThrownBy(() -> ServerConfig.read(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--config")
                .hasMessageContaining("unknown name \"replicas\"")
                .hasMessageContaining("replication-factor");
    }

    @Test
    void a_file_that_is_not_there_is_named(@TempDir Path directory) {
        assertThatThrownBy(() -> ServerConfig.read(directory.resolve("none")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("--config: there is no file");
    }
}
