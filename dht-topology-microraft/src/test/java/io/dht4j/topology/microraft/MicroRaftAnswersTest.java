package io.dht4j.topology.microraft;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.NodeRef;
import io.dht4j.testkit.topology.TopologyCluster;
import io.dht4j.topology.microraft.internal.codec.Messages;
import io.dht4j.topology.microraft.internal.codec.RaftMember;
import io.microraft.model.impl.DefaultRaftModelFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers count only for the term in which they were asked for. */
class MicroRaftAnswersTest {

    @TempDir
    Path root;

    /** A member has confirmed entries of an earlier leader, which were cut from its log since. */
    @Test
    void aConfirmationOfAnEarlierTermDoesNotCount() {
        try (TopologyCluster cluster = cluster()) {
            List<NodeRef> members = cluster.form(3);
            // A second leader, of a second term at least.
            NodeRef first = cluster.awaitLeader();
            cluster.crash(first);
            NodeRef leader = cluster.awaitLeader();
            cluster.start(first);
            long index = cluster.agree("a");
            cluster.awaitApplied(members);
            List<NodeRef> others =
                    members.stream().filter(member -> !member.equals(leader)).toList();
            others.forEach(cluster::crash);

            CompletionStage<Long> append = cluster.append(leader, "b", Duration.ofSeconds(2));
            cluster.time().advance(Duration.ofMillis(500));
            cluster.log(leader).received(others.get(0), confirmation(others.get(0), leader, 1, index + 1));
            cluster.time().advance(Duration.ofSeconds(2));

            assertThat(append.toCompletableFuture()).isCompletedExceptionally();
            others.forEach(cluster::start);
            cluster.agree("c");
            cluster.awaitApplied(members);
        }
    }

    private TopologyCluster cluster() {
        return new TopologyCluster(
                3,
                root,
                member -> MicroRaftTopologyLog.open(
                        MicroRaftOptions.of(member.self(), member.initialMembers(), member.directory()),
                        member.environment()));
    }

    private static byte[] confirmation(NodeRef from, NodeRef to, int term, long index) {
        return Messages.encode(
                to,
                new DefaultRaftModelFactory()
                        .createAppendEntriesSuccessResponseBuilder()
                        .setGroupId(Messages.GROUP)
                        .setSender(new RaftMember(from))
                        .setTerm(term)
                        .setLastLogIndex(index)
                        .setQuerySequenceNumber(0)
                        .setFlowControlSequenceNumber(0)
                        .build());
    }
}
