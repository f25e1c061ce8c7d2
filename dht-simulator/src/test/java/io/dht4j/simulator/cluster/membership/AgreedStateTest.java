package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static io.dht4j.simulator.cluster.membership.FormedCluster.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.ErrorCode;
import io.dht4j.MembershipStatus;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.ViewSource;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.StoreException;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.Fault;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Each node has the newest agreed state sooner or later, keeps it, and serves by it. */
class AgreedStateTest {

    private static void admit(FormedCluster nodes, String name) {
        nodes.env.await(nodes.change(0, state -> new Command.Admit(state.epoch(), new NodeId(name))), BOUND);
    }

    @Test
    void aNodeThatWasCutOffCatchesUp() {
        try (FormedCluster nodes = new FormedCluster(1).form(5)) {
            for (int i = 0; i < 4; i++) {
                nodes.nodes.get(i).link.toward(node(4).id(), Fault.loseRequest());
            }
            nodes.nodes.get(4).link.towardAll(Fault.loseRequest());
            admit(nodes, "a");
            admit(nodes, "b");
            nodes.env.advance(Duration.ofSeconds(30));
            assertThat(nodes.state(4).epoch()).isLessThan(nodes.state(0).epoch());
            nodes.nodes.values().forEach(running -> running.link.heal());
            nodes.awaitEpoch(nodes.state(0).epoch(), 4);
        }
    }

    @Test
    void aHeaderWithANewerEpochIsEnough() {
        try (FormedCluster nodes = new FormedCluster(1).form(5)) {
            // n4 is asked by nobody else, and asks nobody else.
            for (int i = 1; i < 4; i++) {
                nodes.nodes.get(4).link.toward(node(i).id(), Fault.refuse());
                nodes.nodes.get(i).link.toward(node(4).id(), Fault.refuse());
            }
            admit(nodes, "a");
            nodes.awaitEpoch(nodes.state(0).epoch(), 0, 1, 2, 3);
            long before = nodes.env.elapsed().toNanos();
            // Any call through n4 that n0 answers shows the epoch.
            for (int key = 0; nodes.state(4).epoch() < nodes.state(0).epoch() && key < 100; key++) {
                nodes.env.await(
                        nodes.cluster(4).get(io.dht4j.Key.of("key" + key)).handle((value, error) -> true), BOUND);
            }
            nodes.awaitEpoch(nodes.state(0).epoch(), 4);
            assertThat(nodes.env.elapsed().toNanos() - before)
                    .isLessThan(Duration.ofSeconds(3).toNanos());
        }
    }

    @Test
    void aStateThatCannotBeStoredIsFetchedMoreAndMoreSeldom() {
        try (FormedCluster nodes = new FormedCluster(1).form(5)) {
            int[] attempts = {0};
            nodes.disk(4).aroundNotes = name -> {
                attempts[0]++;
                throw new StoreException("disk full");
            };
            admit(nodes, "a");
            nodes.env.advance(Duration.ofMinutes(2));
            assertThat(attempts[0]).isBetween(4, 12);
        }
    }

    @Test
    void changeNotInstalledByItsNodeIsIndeterminate() {
        try (FormedCluster nodes = new FormedCluster(1).form(5)) {
            nodes.disk(4).aroundNotes = name -> {
                throw new StoreException("disk full");
            };
            assertThatThrownBy(() -> nodes.env.await(
                            nodes.change(4, state -> new Command.Admit(state.epoch(), new NodeId("a"))), BOUND))
                    .hasFieldOrPropertyWithValue("code", ErrorCode.WRITE_INDETERMINATE)
                    .hasMessageContaining("has agreed on epoch "
                            + MembershipStatus.epochText(nodes.state(0).epoch()))
                    .hasMessageContaining("n4 has not installed it in time (disk full)");
            assertThat(nodes.state(0).members().named(new NodeId("a"))).isPresent();
        }
    }

    @Test
    void aChangeWhosePlanFindsNothingToDoFails() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            CompletionStage<Long> change = nodes.change(0, state -> {
                throw new IllegalStateException("nothing to do");
            });
            assertThatThrownBy(() -> nodes.env.await(change, BOUND)).hasMessageContaining("nothing to do");
        }
    }

    @Test
    void aChangeWhoseFirstReplyIsLostIsMadeOnce() {
        try (FormedCluster nodes = new FormedCluster(1).form(5)) {
            long before = nodes.state(0).epoch();
            nodes.nodes.get(4).link.towardAll(Fault.loseReply());
            CompletionStage<Long> change = nodes.change(4, state -> new Command.Admit(state.epoch(), new NodeId("a")));
            nodes.awaitEpoch(before + 1, 0);
            nodes.nodes.get(4).link.heal();
            assertThat(nodes.env.await(change, BOUND)).isEqualTo(nodes.state(0).epoch());
        }
    }

    @Test
    void aFetchDoesNotWaitForOneFromANodeThatIsSilent() {
        try (FormedCluster nodes = new FormedCluster(1).form(5)) {
            long before = nodes.state(4).epoch();
            for (int i = 0; i < 4; i++) {
                nodes.nodes.get(i).link.toward(node(4).id(), Fault.loseRequest());
            }
            nodes.nodes.get(4).link.toward(node(3).id(), Fault.loseRequest());
            admit(nodes, "a");
            ViewSource views = nodes.membership(4).source();
            CompletionStage<ClusterView> silent = views.refresh(node(3).id(), before);
            long asked = nodes.env.elapsed().toMillis();
            assertThat(nodes.env
                            .await(views.refresh(node(0).id(), before), BOUND)
                            .epoch())
                    .isGreaterThan(before);
            assertThat(nodes.env.elapsed().toMillis() - asked).isLessThan(500);
            assertThat(silent.toCompletableFuture()).isNotDone();
        }
    }

    @Test
    void statesOfAllNodesCanBeWantedAtOnce() {
        try (FormedCluster nodes = new FormedCluster(1).form(7)) {
            long before = nodes.state(6).epoch();
            for (int i = 0; i < 6; i++) {
                nodes.nodes.get(i).link.toward(node(6).id(), Fault.loseRequest());
            }
            admit(nodes, "a");
            nodes.awaitEpoch(before + 1, 0, 1, 2, 3, 4, 5);
            assertThat(nodes.state(6).epoch()).isEqualTo(before);
            ViewSource views = nodes.membership(6).source();
            List<CompletionStage<ClusterView>> all = IntStream.range(0, 6)
                    .mapToObj(i -> views.refresh(node(i).id(), before))
                    .toList();
            assertThat(all)
                    .allSatisfy(each ->
                            assertThat(nodes.env.await(each, BOUND).epoch()).isGreaterThan(before));
        }
    }

    @Test
    void fullRestartServesWithoutAMetadataMajority() {
        try (FormedCluster nodes = new FormedCluster(1).form(5)) {
            nodes.put(0, "key", "value");
            nodes.stopAll();
            nodes.logsRun = false;
            for (int i = 0; i < 5; i++) {
                nodes.bootstrap(i, list(0, 1, 2, 3, 4));
            }
            nodes.awaitStarts();
            assertThat(nodes.get(3, "key")).isEqualTo("value");
            nodes.put(4, "key", "again");
            assertThat(nodes.get(0, "key")).isEqualTo("again");
            assertThatThrownBy(() -> admit(nodes, "a"))
                    .hasMessageContaining("has found no leader of a majority of the voters");
        }
    }

    /** It has confirmed what it does not know any more, so its vote would elect a leader without that. */
    @Test
    void aVoterWhoseLogHasLostItsEndServesAndDoesNotVote() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            admit(nodes, "a");
            nodes.awaitEpoch(nodes.state(0).epoch(), 1, 2);
            nodes.stop(1);
            nodes.cutLog(1, 1);
            nodes.bootstrap(1, list(0, 1, 2));
            nodes.put(1, "key", "value");
            assertThat(nodes.status(0).metadata().waitsFor())
                    .contains("n1 to take part in changes of the topology, which it does not until it is started again")
                    .contains("its topology log ends at index 1, and it has applied index 2: restore the log, or call"
                            + " membership().replace(new NodeId(\"n1\")), or, without other voters,"
                            + " use MembershipChange.Recover");
            admit(nodes, "b");
            nodes.awaitEpoch(nodes.state(0).epoch(), 1);
            nodes.crash(2);
            assertThatThrownBy(() -> admit(nodes, "c"))
                    .hasMessageContaining("has found no leader of a majority of the voters");
        }
    }

    @Test
    void aVoterThatInstalledAStateWhichItsLogNeverHadVotes() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            nodes.stop(1);
            nodes.logsRun = false;
            nodes.bootstrap(1, list(0, 1, 2));
            admit(nodes, "a");
            nodes.awaitEpoch(nodes.state(0).epoch(), 1, 2);
            nodes.stop(1);
            nodes.logsRun = true;
            nodes.cutLog(1, 1);
            nodes.bootstrap(1, list(0, 1, 2));
            nodes.cluster(1);
            nodes.crash(2);
            admit(nodes, "b");
        }
    }

    /** Stores the note of a voter as 0.1.0 does: format, sum, identity, beginning and first members. */
    private static void dropIndex(KeptStore disk) {
        byte[] note = disk.note("log-member").orElseThrow();
        byte[] content = Arrays.copyOfRange(note, 1 + Integer.BYTES, note.length - Long.BYTES);
        CRC32C sum = new CRC32C();
        sum.update(content);
        disk.keepNote(
                "log-member",
                ByteBuffer.allocate(1 + Integer.BYTES + content.length)
                        .put(note[0])
                        .putInt((int) sum.getValue())
                        .put(content)
                        .array());
    }

    /** As after an upgrade from 0.1.0, which stores no index; it reads the notes of later releases. */
    @Test
    void aNoteWithoutAnIndexGetsOneAtTheNextStart() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            admit(nodes, "a");
            nodes.awaitEpoch(nodes.state(0).epoch(), 1, 2);
            nodes.stop(1);
            dropIndex(nodes.disk(1));
            nodes.bootstrap(1, list(0, 1, 2));
            nodes.cluster(1);
            nodes.env.advance(Duration.ofSeconds(10));
            nodes.stop(1);
            nodes.cutLog(1, 1);
            nodes.bootstrap(1, list(0, 1, 2));
            nodes.cluster(1);
            assertThat(nodes.status(0).metadata().waitsFor()).contains("its topology log ends at index 1");
        }
    }

    @Test
    void aRestartedClusterAgreesOnFurtherChanges() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            admit(nodes, "a");
            nodes.stopAll();
            for (int i = 0; i < 3; i++) {
                nodes.bootstrap(i, list(0, 1, 2));
            }
            assertThat(nodes.state(0).members().named(new NodeId("a"))).isPresent();
            admit(nodes, "b");
            nodes.awaitEpoch(nodes.state(0).epoch(), 1, 2);
        }
    }

    @Test
    void aLogThatCannotBeOpenedIsOpenedLater() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            nodes.stop(2);
            nodes.fullDisks.add(node(2).id());
            nodes.bootstrap(2, list(0, 1, 2));
            nodes.cluster(2);
            nodes.fullDisks.clear();
            nodes.crash(1);
            nodes.env.advance(Duration.ofSeconds(30));
            admit(nodes, "n3");
        }
    }

    @Test
    void aStateThatCannotBeStoredIsNotInstalled() {
        try (FormedCluster nodes = new FormedCluster(1).form(5)) {
            long before = nodes.state(4).epoch();
            nodes.disk(4).aroundNotes = name -> {
                throw new StoreException("disk full");
            };
            admit(nodes, "a");
            nodes.env.advance(Duration.ofSeconds(30));
            assertThat(nodes.state(4).epoch()).isEqualTo(before);
            assertThat(nodes.membership(4).views().current().epoch()).isEqualTo(before);
            nodes.put(4, "key", "value");

            nodes.disk(4).aroundNotes = name -> {};
            nodes.awaitEpoch(nodes.state(0).epoch(), 4);
        }
    }

    @Test
    void changesSucceedWhileAVoterIsDown() {
        try (FormedCluster nodes = new FormedCluster(1).form(5)) {
            nodes.crash(0);
            nodes.env.await(nodes.change(4, state -> new Command.Admit(state.epoch(), new NodeId("a"))), BOUND);
            nodes.awaitEpoch(nodes.state(4).epoch(), 1, 2, 3);
        }
    }

    @Test
    void aStateOfManyPartsArrivesWhole() {
        try (FormedCluster nodes = new FormedCluster(1)) {
            UnaryOperator<io.dht4j.core.ClusterBuilder> large = builder -> builder.partitions(32_768);
            for (int i = 0; i < 5; i++) {
                nodes.bootstrap(i, list(0, 1, 2, 3, 4), large);
            }
            for (int i = 0; i < 5; i++) {
                nodes.cluster(i);
            }
            assertThat(nodes.disk(4).note("cluster-state"))
                    .hasValueSatisfying(note -> assertThat(note.length).isGreaterThan(3 * MembershipRequest.MAX_BYTES));
            assertThat(nodes.state(4)).isEqualTo(nodes.state(0));
        }
    }

    @Test
    void messagesOfTheLogToAnotherIncarnationAreDropped() {
        try (FormedCluster nodes = new FormedCluster(1).form(3)) {
            UUID n0 = nodes.membership(0).member().incarnation().orElseThrow();
            UUID n1 = nodes.membership(1).member().incarnation().orElseThrow();
            nodes.env.advance(Duration.ofSeconds(1));
            long dropped = nodes.membership(1).droppedMessages();
            send(nodes, "n0", n0, UUID.randomUUID());
            assertThat(nodes.membership(1).droppedMessages()).isEqualTo(dropped + 1);
            // Under the name of another node, and of none.
            send(nodes, "n2", n0, n1);
            send(nodes, "n7", UUID.randomUUID(), n1);
            assertThat(nodes.membership(1).droppedMessages()).isEqualTo(dropped + 3);
            send(nodes, "n0", n0, n1);
            assertThat(nodes.membership(1).droppedMessages()).isEqualTo(dropped + 3);
        }
    }

    private static void send(FormedCluster nodes, String name, UUID from, UUID to) {
        Transport stranger = nodes.network.transport("stranger:1");
        try (stranger) {
            stranger.start((frame, context) -> new java.util.concurrent.CompletableFuture<>());
            FrameHeader header =
                    new FrameHeader(new NodeId(name), Optional.of(node(1).id()), 0, 0, new io.dht4j.Version(0), 0);
            nodes.env.await(
                    stranger.call(
                            node(1),
                            FrameCodec.encode(header, new MembershipRequest.LogPart(from, to, 1, 0, 1, new byte[] {1})),
                            new CallContext(nodes.env::nanoTime, BOUND.toNanos())),
                    BOUND);
        }
    }

    @Test
    void damagedAndForeignNotesAreRefusedWithTheWayOut() {
        assertThat(afterChange(note -> flipped(note)))
                .contains("the agreed state of node n0 is damaged", "replace(new NodeId(\"n0\"))");
        assertThat(afterChange(note -> versioned(note)))
                .contains("version 9 of its format", "reads version 1", "start the version of the software");
        assertThat(afterChange(note -> new byte[2])).contains("damaged, since it has only 2 bytes");
    }

    private static byte[] flipped(byte[] note) {
        note[note.length / 2] ^= 1;
        return note;
    }

    private static byte[] versioned(byte[] note) {
        note[0] = 9;
        return note;
    }

    private static String afterChange(UnaryOperator<byte[]> change) {
        try (FormedCluster nodes = new FormedCluster(1).form(1)) {
            nodes.stop(0);
            nodes.disk(0)
                    .keepNote(
                            "cluster-state",
                            change.apply(nodes.disk(0).note("cluster-state").orElseThrow()));
            nodes.bootstrap(0, list(0));
            return nodes.failure(0);
        }
    }

    @Test
    void aStateOfAnotherClusterIsRefused() {
        try (FormedCluster nodes = new FormedCluster(1).form(1);
                FormedCluster others = new FormedCluster(2).form(1)) {
            nodes.stop(0);
            nodes.disk(0)
                    .keepNote(
                            "cluster-state",
                            others.disk(0).note("cluster-state").orElseThrow());
            nodes.bootstrap(0, list(0));
            assertThat(nodes.failure(0)).contains("parts of two directories are mixed");
        }
    }
}
