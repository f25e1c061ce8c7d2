package io.dht4j.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.options.Membership;
import io.dht4j.core.options.Membership.Origin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The settings by which a server forms or joins a cluster. */
class MembershipSettingsTest {

    private static final String LIST = "n1=127.0.0.1:8080,n2=127.0.0.1:8082,n3=127.0.0.1:8083";

    @TempDir
    Path directory;

    private static ServerConfig read(Object... settings) throws ConfigException {
        Map<Setting, String> given = new EnumMap<>(Setting.class);
        for (int i = 0; i < settings.length; i += 2) {
            given.put((Setting) settings[i], String.valueOf(settings[i + 1]));
        }
        return ServerConfig.of(given);
    }

    private static Membership options(ServerConfig config) {
        return config.membership().options(config.id(), (self, initial, environment) -> {
            throw new IllegalStateException("not opened");
        });
    }

    private static void assertRefused(String message, Object... settings) {
        assertThatThrownBy(() -> read(settings))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }

    @Test
    void foundersAreListedInTheirOrder() throws ConfigException {
        Membership options = options(read(
                Setting.BOOTSTRAP, LIST, Setting.ZONE, "b", Setting.WEIGHT, "3", Setting.LISTEN, "127.0.0.1:8080"));
        assertThat(options.origin()).isEqualTo(Origin.BOOTSTRAP);
        assertThat(options.nodes())
                .extracting(Node::id)
                .extracting(NodeId::value)
                .containsExactly("n1", "n2", "n3");
        assertThat(options.attributes().zone()).hasValue("b");
        assertThat(options.attributes().weight()).hasValue(3);
        assertThat(options.attributes().publicAddresses()).hasValue(List.of("http://127.0.0.1:8080"));
    }

    @Test
    void joiningNodeIsReachedAtItsListenAddressByDefault() throws Exception {
        ServerConfig shared = read(Setting.ID, "n4", Setting.JOIN, LIST, Setting.LISTEN, "127.0.0.1:8084");
        assertThat(options(shared).self()).isEqualTo(Node.of("n4", "127.0.0.1:8084"));
        assertThat(shared.addresses().isShared()).isTrue();
        assertThat(options(shared).discovery().orElseThrow().find()).hasSize(3);
        ServerConfig other = read(
                Setting.ID, "n4",
                Setting.JOIN, LIST,
                Setting.LISTEN, "0.0.0.0:8084",
                Setting.GRPC_LISTEN, "0.0.0.0:9084",
                Setting.PEER_ADDRESS, "10.0.0.4:7084");
        assertThat(options(other).self().address()).isEqualTo("10.0.0.4:7084");
        assertThat(options(other).attributes().publicAddresses())
                .hasValue(List.of("http://10.0.0.4:8084", "grpc://10.0.0.4:9084"));
    }

    @Test
    void onlyOneSettingNamesTheNodes() {
        assertRefused("--peers and --bootstrap contradict each other", Setting.PEERS, LIST, Setting.BOOTSTRAP, LIST);
        assertRefused("--bootstrap and --join contradict each other", Setting.JOIN, LIST, Setting.BOOTSTRAP, LIST);
        assertRefused("--peer-address has no effect without --join", Setting.PEER_ADDRESS, "h:1");
        assertRefused(
                "--zone has no effect without --bootstrap or --join, of which a node whose cluster may change gets one",
                Setting.PEERS,
                LIST,
                Setting.ZONE,
                "b");
    }

    @Test
    void malformedSettingsNameTheOption() {
        assertRefused("--id n7 is not among the --bootstrap: n1, n2, n3", Setting.ID, "n7", Setting.BOOTSTRAP, LIST);
        assertRefused("--join: node n1 joins a cluster by other nodes", Setting.JOIN, "n1=127.0.0.1:8080");
        assertRefused("--join: expected ID=HOST:PORT, or several", Setting.JOIN, "10.0.0.1:8080");
        assertRefused("--join: expected host:port", Setting.JOIN, "dns:name");
        assertRefused("--join: expected a name in DNS, not \"a b\"", Setting.JOIN, "srv:a b");
        assertRefused("--weight must be a whole number from 1 to 1000", Setting.BOOTSTRAP, LIST, Setting.WEIGHT, "0");
        assertRefused("--zone: a zone's name has at most 64", Setting.BOOTSTRAP, LIST, Setting.ZONE, "a b");
        assertRefused(
                "--public-address: a public address is http://host:port",
                Setting.BOOTSTRAP,
                LIST,
                Setting.PUBLIC_ADDRESS,
                "host:1");
        assertRefused("--store memory keeps no identity", Setting.BOOTSTRAP, LIST, Setting.STORE, "memory");
        assertRefused(
                "--refill-without has no effect with --bootstrap or --join",
                Setting.BOOTSTRAP,
                LIST,
                Setting.REFILL_WITHOUT,
                "n2");
    }

    @Test
    void seedsInAFileAreReadEachTime() throws Exception {
        Path file = directory.resolve("seeds");
        ServerConfig config = read(Setting.ID, "n4", Setting.JOIN, "file:" + file);
        var seeds = options(config).discovery().orElseThrow();
        assertThatThrownBy(seeds::find).isInstanceOf(IOException.class).hasMessage("there is no file " + file);
        Files.writeString(file, "# the first two\nn1=127.0.0.1:1, n2=127.0.0.1:2\n\nn3=127.0.0.1:3 # and another\n");
        assertThat(seeds.find()).hasSize(3);
        Files.writeString(file, "# the first two\nn1=127.0.0.1:1\nn2 127.0.0.1:2\n");
        assertThatThrownBy(seeds::find)
                .isInstanceOf(IOException.class)
                .hasMessage(file + " line 3: expected ID=HOST:PORT, or several with commas between, not "
                        + "\"n2 127.0.0.1:2\"");
    }

    @Test
    void oneListOfNodesToJoinByServesAllNodes() throws Exception {
        ServerConfig config = read(Setting.ID, "n2", Setting.JOIN, LIST, Setting.LISTEN, "127.0.0.1:8082");
        assertThat(options(config).discovery().orElseThrow().find())
                .extracting(node -> node.id().value())
                .containsExactly("n1", "n3");
    }

    @Test
    void aJoinTokenIsReadFromAFileAndChecked() throws Exception {
        Path file = directory.resolve("token");
        assertRefused("--join-token: there is no file " + file, Setting.BOOTSTRAP, LIST, Setting.JOIN_TOKEN, file);
        assertRefused("--join-token: cannot read " + directory, Setting.BOOTSTRAP, LIST, Setting.JOIN_TOKEN, directory);
        Files.writeString(file, "too short\n");
        assertRefused(
                "--join-token: " + file + " must have 16 to 4096 bytes",
                Setting.BOOTSTRAP,
                LIST,
                Setting.JOIN_TOKEN,
                file);
        Files.writeString(file, "0123456789abcdef\n", StandardCharsets.UTF_16BE);
        assertRefused(
                "--join-token: cannot read " + file + ": its text is UTF-16: save it as UTF-8",
                Setting.BOOTSTRAP,
                LIST,
                Setting.JOIN_TOKEN,
                file);
        Files.writeString(file, "0123456789abcdef\n");
        ServerConfig config = read(Setting.BOOTSTRAP, LIST, Setting.JOIN_TOKEN, file);
        assertThat(options(config).joinToken().orElseThrow().bytes()).hasSize(16);
    }
}
