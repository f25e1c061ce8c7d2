package io.dht4j.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShellWordsTest {

    @ParameterizedTest
    @MethodSource("remedies")
    void aRemedyIsACommand(String java, String shell) {
        assertThat(ShellWords.of(java)).isEqualTo(shell);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "without n2 only 2 nodes would remain",
                "the cluster knows no node Membership.join",
                "n1=Membership.join:7000 does not answer",
                "the key \"Membership.bootstrap\" is absent",
                "there is no node Rebuild.begin: the nodes are acceptDataLoss, another-NodeId",
                "\tat io.dht4j.core.options.Membership.join(Membership.java:166)",
                "run membership().removeAll(new NodeId(\"n4\"))",
                "membership().add(new NodeId(\"a b\"))"
            })
    void otherTextStaysAsItIs(String text) {
        assertThat(ShellWords.of(text)).isSameAs(text);
    }

    @Test
    void namesOfNodesAreNotTranslated() {
        assertThat(ShellWords.of("Membership.join was removed: call membership().add(new NodeId(\"Membership.join\"))"))
                .isEqualTo("Membership.join was removed: run ./dht nodes add Membership.join");
    }

    private static Stream<Arguments> remedies() {
        return Stream.of(
                arguments(
                        "calls: run what blocks on a thread of the application, for example with thenApplyAsync in"
                                + " place of thenApply",
                        "calls: the processors are too busy, or the JVM collects garbage for long"),
                arguments(
                        "n4 is not admitted: call membership().add(new NodeId(\"n4\")) before it joins",
                        "n4 is not admitted: run ./dht nodes add n4 before it joins"),
                arguments(
                        "let it leave first, with membership().remove(new NodeId(\"a.b-c_d\"))",
                        "let it leave first, with ./dht nodes remove a.b-c_d"),
                arguments(
                        "with an empty directory after membership().add(new NodeId(\"n1\")) there",
                        "with an empty directory after ./dht nodes add n1 there"),
                arguments(
                        "restore the log, or call membership().replace(new NodeId(\"n1\")), or, without other "
                                + "voters, use MembershipChange.Recover",
                        "restore the log, or run ./dht nodes replace n1, or, without other voters, ./dht meta "
                                + "recover"),
                arguments(
                        "or call membership().replace for this node, or, without other voters, use "
                                + "MembershipChange.Recover",
                        "or run ./dht nodes replace for this node, or, without other voters, ./dht meta recover"),
                arguments(
                        "go on without a recovery. Replace the others with membership().replace",
                        "go on without a recovery. Replace the others with ./dht nodes replace"),
                arguments(
                        "add nodes with membership().add and start them with Membership.join",
                        "add nodes with ./dht nodes add and start them with --join"),
                arguments(
                        "it at h:1: call membership().change with a MembershipChange.Update of n3 to the address "
                                + "[::1]:7000",
                        "it at h:1: run ./dht nodes address n3 [::1]:7000"),
                arguments(
                        "or change that of n1 first with a MembershipChange.Update",
                        "or change that of n1 first with ./dht nodes address"),
                arguments(
                        "for good, call membership().change with a MembershipChange.Recover of n1,n2; look at "
                                + "MembershipStatus.members() before",
                        "for good, run ./dht meta recover --lost n1,n2; look at ./dht nodes before"),
                arguments(
                        "for good, call membership().change with a MembershipChange.Recover of NODES; look",
                        "for good, run ./dht meta recover --lost NODES; look"),
                arguments(
                        "list the batches with MembershipStatus.moves()",
                        "list the batches with ./dht rebalance --status"),
                arguments(
                        ": MembershipStatus.metadata() shows which voters are silent",
                        ": ./dht meta shows which voters are silent"),
                arguments(
                        "an operator to resume moves: membership().change(MembershipChange.Rebalance.resume())",
                        "an operator to resume moves: ./dht rebalance --resume"),
                arguments(
                        "bring it back, or repeat the change with acceptDataLoss",
                        "bring it back, or repeat the command with --accept-data-loss"),
                arguments(
                        "and repeat this. With acceptDataLoss this goes on",
                        "and repeat this. With --accept-data-loss this goes on"),
                arguments(
                        "run this: start it with Membership.join of n1=host1:1 in place of Membership.bootstrap",
                        "run this: start it with --join n1=host1:1 in place of --bootstrap"),
                arguments(
                        "start it with Membership.bootstrap of n0=host0:1,n1=host1:1",
                        "start it with --bootstrap n0=host0:1,n1=host1:1"),
                arguments(
                        "start it with Membership.bootstrap or Membership.join, as before",
                        "start it with --bootstrap or --join, as before"),
                arguments(
                        "the options of its membership, Membership.bootstrap or Membership.join",
                        "the options of its membership, --bootstrap or --join"),
                arguments("Membership.bootstrap lists n1 twice", "--bootstrap lists n1 twice"),
                arguments(
                        "start all of them with Membership.bootstrap in place of a Topology to let them change",
                        "start all of them with --bootstrap in place of --peers to let them change"),
                arguments(
                        "was started with Membership.join, and forms no cluster: start all nodes of the list with "
                                + "the same Membership.bootstrap",
                        "was started with --join, and forms no cluster: start all nodes of the list with the same "
                                + "--bootstrap"),
                arguments(
                        "restart all nodes with Membership.bootstrap in place of the fixed list",
                        "restart all nodes with --bootstrap in place of --peers"),
                arguments("as a new node, with another NodeId", "as a new node, with another --id"),
                arguments(
                        "or choose another NodeId; if that directory is lost",
                        "or choose another --id; if that directory is lost"),
                arguments("if it runs, does it use another Transport?", "if it runs, does it use another --transport?"),
                arguments(
                        "If they run, do they use another Transport?", "If they run, do they use another --transport?"),
                arguments(
                        "; start the node after Rebuild.begin, which puts the directory's files aside",
                        "; start the server with --rebuild, which puts the directory's files aside"),
                arguments(
                        "in a cluster of Membership.bootstrap, call membership().replace for this node and start it "
                                + "with an empty directory and Membership.join",
                        "in a cluster of --bootstrap, run ./dht nodes replace for this node and start it with an "
                                + "empty directory and --join"),
                arguments(
                        "do not start this node again without Rebuild.begin",
                        "do not start this node again without --rebuild"),
                arguments(
                        "name it as lost (ClusterBuilder.refill) if it does not come back",
                        "name it as lost (--refill-without) if it does not come back"),
                arguments(
                        "at once if it is asked to (operations().repair)", "at once if it is asked to (./dht repair)"),
                arguments(
                        "in 7 partitions: operations().repairStatus shows why",
                        "in 7 partitions: ./dht repair shows why"),
                arguments(
                        "this node has 96 MiB: start the JVM with -Xmx128m, or lower maxValueBytes",
                        "this node has 96 MiB: set DHT_JAVA_OPTS=-Xmx128m, or lower --max-value-bytes"),
                arguments(
                        "; give the process more memory (-Xmx), then start again",
                        "; give the process more memory (-Xmx in DHT_JAVA_OPTS), then start again"),
                arguments(
                        "Raise the limit (ulimit -n) to at least 40000, or lower maxConnections",
                        "Raise the limit (ulimit -n) to at least 40000, or lower --max-connections"));
    }
}
