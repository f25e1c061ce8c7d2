package io.dht4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValuesTest {

    @Test
    void aVersionIsMadeOfMillisecondsAndACounter() {
        Version version = Version.of(1_767_225_600_123L, 42);
        assertThat(version.millis()).isEqualTo(1_767_225_600_123L);
        assertThat(version.counter()).isEqualTo(42);
        Version last = Version.of(Version.MAX_MILLIS, Version.MAX_COUNTER);
        assertThat(last.packed()).isEqualTo(-1);
        assertThat(last.millis()).isEqualTo((1L << 48) - 1);
        assertThat(last.counter()).isEqualTo(65535);
    }

    @Test
    void versionPartsHaveRanges() {
        assertThatIllegalArgumentException().isThrownBy(() -> Version.of(-1, 0)).withMessageContaining("-1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Version.of(Version.MAX_MILLIS + 1, 0))
                .withMessageContaining("millis must be 0 to 281474976710655");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Version.of(0, 65536))
                .withMessageContaining("counter must be 0 to 65535");
        assertThatIllegalArgumentException().isThrownBy(() -> Version.of(0, -1));
    }

    @Test
    void versionsAreOrderedByTimeThenCounterAsUnsignedNumbers() {
        assertThat(List.of(
                                new Version(-1),
                                Version.of(5, 1),
                                Version.of(5, 0),
                                Version.of(4, 65535),
                                new Version(Long.MIN_VALUE),
                                new Version(0))
                        .stream()
                        .sorted())
                .containsExactly(
                        new Version(0),
                        Version.of(4, 65535),
                        Version.of(5, 0),
                        Version.of(5, 1),
                        new Version(Long.MIN_VALUE),
                        new Version(-1));
        assertThat(new Version(-1)).hasToString("18446744073709551615");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", ".a", "a b", "a/b", "ä", "a\n"})
    void aMalformedNodeIdIsRefusedAndNamed(String id) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new NodeId(id))
                .withMessageContaining("\"" + PrintableText.of(id) + "\"")
                .withMessageContaining("1 to 64");
    }

    @Test
    void nodeIdsHaveUpTo64Characters() {
        assertThat(new NodeId("n".repeat(64)).value()).hasSize(64);
        assertThatIllegalArgumentException().isThrownBy(() -> new NodeId("n".repeat(65)));
        assertThat(new NodeId("Az09._-")).hasToString("Az09._-");
    }

    @Test
    void aNodeNeedsAnAddressAndAWeightInRange() {
        NodeId id = new NodeId("n1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Node(id, " ", 1))
                .withMessageContaining("n1: an address is host:port");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Node(id, "a:1", 0))
                .withMessageContaining("1 to 1000, not 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Node(id, "a:1", 1001))
                .withMessageContaining("1 to 1000, not 1001");
        assertThat(Node.of("n1", "a:1")).isEqualTo(new Node(id, "a:1", 1));
    }

    @Test
    void aPortThatIsPassedAsTheWeightIsNamed() {
        NodeId id = new NodeId("n1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Node(id, "127.0.0.1", 443))
                .withMessageEndingWith("not \"127.0.0.1\"; 443 is its weight, not its port");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Node(id, "127.0.0.1:7001", 7001))
                .withMessageEndingWith("1 to 1000, not 7001; its port stands in its address");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a:1",
                "127.0.0.1:65535",
                "n1.example.org:8080",
                "under_score:1",
                "[::1]:80",
                "[fe80::1%eth0]:80",
                "[::ffff:10.0.0.1]:1"
            })
    void anAddressIsAHostAndAPort(String address) {
        Node node = Node.of("n1", address);
        assertThat(node.address()).isEqualTo(address);
        int colon = address.lastIndexOf(':');
        assertThat(node.port()).isEqualTo(Integer.parseInt(address.substring(colon + 1)));
        assertThat(node.host()).isEqualTo(address.substring(0, colon).replaceAll("[\\[\\]]", ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "127.0.0.1",
                "a:",
                ":1",
                "a:0",
                "a:65536",
                "a:70020",
                "a:-1",
                "a:+1",
                "a:1 ",
                " a:1",
                "a b:1",
                "http://a:1",
                "a/b:1",
                "u@a:1",
                "::1:80",
                "[::1]",
                "[::1]:",
                "[::1:80",
                "::1]:80",
                "[:::::]:80",
                "[]:80",
                "[1.2.3.4]:80",
                "[g::1]:80",
                "a:1\u0663",
                "\u0430:1",
                "a\u0000:1",
                "a:123456789012"
            })
    void whatIsNoHostAndPortIsRefusedWhereANodeIsMade(String address) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Node.of("n1", address))
                .withMessageContaining("n1")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContainPattern("\\p{C}"));
    }

    @Test
    void aTopologyHasNoAddressTwice() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Topology.of(Node.of("n1", "h:1"), Node.of("n2", "h:2"), Node.of("n3", "h:1")))
                .withMessage("nodes n1 and n3 have the same address h:1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Topology.of(Node.of("n1", "h:1")).with(Node.of("n2", "h:1")));
    }

    @Test
    void aTopologyHasOneTo10000NodesOfDifferentNames() {
        Node one = Node.of("n1", "a:1");
        assertThatIllegalArgumentException().isThrownBy(Topology::of).withMessageContaining("1 to 10000 nodes, not 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Topology.of(one, Node.of("n1", "b:2")))
                .withMessageContaining("n1 stands twice");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Topology(-1, List.of(one)))
                .withMessageContaining("epoch");
        List<Node> tooMany = IntStream.range(0, 10_001)
                .mapToObj(i -> Node.of("n" + i, "a:1"))
                .toList();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Topology(1, tooMany))
                .withMessageContaining("not 10001");
    }

    @Test
    void aTopologyGrowsByOneNodeAndOneEpoch() {
        Topology before = Topology.of(Node.of("n1", "a:1"));
        Topology after = before.with(Node.of("n2", "a:2"));
        assertThat(before.size()).isEqualTo(1);
        assertThat(after.epoch()).isEqualTo(before.epoch() + 1);
        assertThat(after.nodes()).extracting(node -> node.id().value()).containsExactly("n1", "n2");
        assertThat(after.node(new NodeId("n2"))).contains(Node.of("n2", "a:2"));
        assertThat(after.node(new NodeId("n3"))).isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> after.with(Node.of("n1", "c:1")));
    }

    @Test
    void valuesAreComparedByContent() {
        Value value = new Value(new byte[] {104, 105}, new Version(1), Optional.of(Instant.ofEpochMilli(7)));
        assertThat(value)
                .isEqualTo(new Value(new byte[] {104, 105}, new Version(1), Optional.of(Instant.ofEpochMilli(7))))
                .hasSameHashCodeAs(
                        new Value(new byte[] {104, 105}, new Version(1), Optional.of(Instant.ofEpochMilli(7))))
                .isNotEqualTo(new Value(new byte[] {104, 105}, new Version(2), Optional.of(Instant.ofEpochMilli(7))))
                .isNotEqualTo(new Value(new byte[] {104}, new Version(1), Optional.of(Instant.ofEpochMilli(7))))
                .isNotEqualTo(new Value(new byte[] {104, 105}, new Version(1), Optional.empty()))
                .hasToString("Value[2 bytes, version 1]");
        assertThat(value.text()).isEqualTo("hi");
    }

    static Stream<Arguments> nullArguments() {
        Key key = Key.of("k");
        return Stream.of(
                nullArgument("text", () -> Key.of((String) null)),
                nullArgument("bytes", () -> Key.of((byte[]) null)),
                nullArgument("source", () -> Key.copyOfRange(null, 0, 1)),
                nullArgument("bytes", () -> new Value(null, new Version(1), Optional.empty())),
                nullArgument("version", () -> new Value(new byte[0], null, Optional.empty())),
                nullArgument("value", () -> new NodeId(null)),
                nullArgument("id", () -> Node.of(null, "a:1")),
                nullArgument("address", () -> Node.of("n1", null)),
                nullArgument("nodes", () -> Topology.of((Node[]) null)),
                nullArgument("node", () -> Topology.of(Node.of("n1", "a:1"), null)),
                nullArgument("policy", () -> CallOptions.defaults().withPolicy(null)),
                nullArgument("timeout", () -> CallOptions.defaults().withTimeout(null)),
                nullArgument("timeToLive", () -> CallOptions.defaults().withTimeToLive(null)),
                nullArgument("ordering", () -> CallOptions.defaults().withOrdering(null)),
                nullArgument("start", () -> KeyRange.from(null)),
                nullArgument("end", () -> KeyRange.between(key, null)),
                nullArgument("value", () -> new KeyValue(key, null)),
                nullArgument("hedge delay", () -> Hedging.after(null)));
    }

    private static Arguments nullArgument(String name, ThrowingCallable call) {
        return Arguments.of(name, call);
    }

    @ParameterizedTest
    @MethodSource("nullArguments")
    void aNullArgumentIsNamed(String name, ThrowingCallable call) {
        assertThatNullPointerException().isThrownBy(call).withMessage(name);
    }
}
