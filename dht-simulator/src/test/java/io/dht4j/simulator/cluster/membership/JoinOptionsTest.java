package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static io.dht4j.simulator.cluster.membership.FormedCluster.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.MembershipStatus;
import io.dht4j.Node;
import io.dht4j.core.options.Membership;
import io.dht4j.core.options.Membership.Attributes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Join tokens, discovery, and what a node tells the cluster about itself. */
class JoinOptionsTest {

    private static final List<Node> THREE = list(0, 1, 2);

    private static UnaryOperator<Membership> token(String text) {
        return options -> options.withJoinToken(() -> text.getBytes(StandardCharsets.UTF_8));
    }

    private static UnaryOperator<Membership> zone(String zone, int weight) {
        return options -> options.withAttributes(new Attributes(
                Optional.of(zone), Optional.of(weight), Optional.of(List.of("http://" + zone + ":8080"))));
    }

    private static FormedCluster form(UnaryOperator<Membership> options) {
        FormedCluster nodes = new FormedCluster(1);
        for (int i = 0; i < 3; i++) {
            nodes.startWith(i, THREE, List.of(), options);
        }
        for (int i = 0; i < 3; i++) {
            nodes.cluster(i);
        }
        return nodes;
    }

    private static MembershipStatus.Member member(FormedCluster nodes, int at, int name) {
        return nodes.env.await(nodes.cluster(at).membership().status(), BOUND).members().stream()
                .filter(each -> each.name().equals(node(name).id()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aNodeWithTheTokenOfTheClusterJoinsByItself() {
        try (FormedCluster nodes = form(token("a secret of the cluster"))) {
            nodes.startWith(3, THREE, THREE, token("a secret of the cluster"));
            nodes.put(3, "key", "value");
            assertThat(nodes.get(0, "key")).isEqualTo("value");
        }
    }

    @Test
    void twoNodesJoinByTokenAtOnce() {
        try (FormedCluster nodes = form(token("a secret of the cluster"))) {
            nodes.startWith(3, THREE, list(0, 1), token("a secret of the cluster"));
            nodes.startWith(4, THREE, list(1, 2), token("a secret of the cluster"));
            nodes.put(3, "key", "value");
            nodes.put(4, "key", "other");
            assertThat(nodes.get(0, "key")).isEqualTo("other");
        }
    }

    @Test
    void anotherTokenIsRefusedAndNamed() {
        try (FormedCluster nodes = form(token("a secret of the cluster"))) {
            nodes.startWith(3, THREE, list(1), token("a secret of another cluster"));
            assertThat(nodes.failure(3))
                    .contains("n3 is not admitted: call membership().add(new NodeId(\"n3\"))")
                    .contains("the join token of n3 is not that of n1: start both with the same one");
        }
    }

    @Test
    void aClusterWithoutTokenAdmitsNobodyByOne() {
        try (FormedCluster nodes = form(options -> options)) {
            nodes.startWith(3, THREE, list(1), token("a secret of the cluster"));
            assertThat(nodes.failure(3)).contains("node n1 has no join token", "membership().add(new NodeId(\"n3\"))");
        }
    }

    @Test
    void aShortTokenIsRefused() {
        try (FormedCluster nodes = form(token("short"))) {
            nodes.startWith(3, THREE, list(1), token("a secret of the cluster"));
            assertThat(nodes.failure(3)).contains("a join token has at least 16 bytes, not 5");
        }
    }

    @Test
    void seedsAreLookedForUntilSomeAreFound() {
        Queue<List<Node>> found = new ArrayDeque<>(List.of(List.of(), List.of(node(3)), list(3, 7), list(3, 1)));
        try (FormedCluster nodes = form(token("a secret of the cluster"))) {
            nodes.startWith(
                    3,
                    THREE,
                    THREE,
                    options -> Membership.join(
                                    options.self(),
                                    () -> {
                                        List<Node> next = found.size() > 1 ? found.remove() : found.element();
                                        if (next.isEmpty()) {
                                            throw new IOException("no such file");
                                        }
                                        return next;
                                    },
                                    options.log())
                            .withJoinToken(() -> "a secret of the cluster".getBytes(StandardCharsets.UTF_8)));
            nodes.env.advance(Duration.ofMillis(500));
            assertThat(nodes.waiting(3)).contains("n3 looks for nodes of a cluster to join (no such file)");
            nodes.put(3, "key", "value");
        }
    }

    @Test
    void attributesAreAgreedAtTheJoinAndAfterTheFormation() {
        try (FormedCluster nodes = form(token("a secret of the cluster").andThen(zone("a", 2))::apply)) {
            nodes.startWith(3, THREE, THREE, token("a secret of the cluster").andThen(zone("b", 3))::apply);
            nodes.cluster(3);
            nodes.env.advance(Duration.ofSeconds(30));
            for (int name = 0; name < 4; name++) {
                String zone = name == 3 ? "b" : "a";
                MembershipStatus.Member member = member(nodes, 0, name);
                assertThat(member.zone()).isEqualTo(zone);
                assertThat(member.weight()).isEqualTo(name == 3 ? 3 : 2);
                assertThat(member.publicAddresses()).containsExactly("http://" + zone + ":8080");
            }
        }
    }

    @Test
    void optionsOutOfRangeAreRefused() {
        assertThatThrownBy(() -> zone("a b", 1).apply(sample()))
                .hasMessageContaining("a zone's name has at most 64 letters, digits, dots");
        assertThatThrownBy(() -> zone("a", 0).apply(sample())).hasMessage("weight must be 1 to 1000, not 0");
        assertThatThrownBy(() -> new Attributes(Optional.empty(), Optional.empty(), Optional.of(List.of("host:8080"))))
                .hasMessageContaining("a public address is http://host:port or grpc://host:port, not \"host:8080\"");
    }

    private static Membership sample() {
        return Membership.join(node(3), THREE, (self, initial, environment) -> new SilentLog());
    }
}
