package io.dht4j.testkit.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.NodeId;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Lost, delayed and repeated messages do no harm. A part of {@link TopologyLogContract}. */
interface MessagesSuite extends TopologySuite {

    @Test
    default void lostRepeatedAndDelayedMessagesDoNotMatter() {
        List<NodeRef> members = cluster().form(3);
        cluster().setNetwork(20, 20, Duration.ofMillis(300));
        for (int i = 0; i < 30; i++) {
            NodeRef leader = cluster().awaitLeader();
            cluster().append(leader, "command " + i, Duration.ofSeconds(20));
            cluster().time().advance(Duration.ofMillis(700));
        }
        cluster().heal();
        cluster().agree("last");
        cluster().awaitApplied(members);
        assertThat(cluster().confirmed()).isGreaterThan(10);
    }

    @Test
    default void malformedMessagesAreCountedAndIgnored() {
        List<NodeRef> members = cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        cluster().agree("a");
        SplittableRandom random = new SplittableRandom(7);
        for (NodeRef member : members) {
            TopologyLog log = cluster().log(member);
            long before = log.malformedMessages();
            for (int i = 0; i < 200; i++) {
                byte[] message = new byte[random.nextInt(100)];
                random.nextBytes(message);
                log.received(leader, message);
            }
            log.received(leader, new byte[0]);
            log.received(leader, new byte[TopologyLog.MAX_MESSAGE_BYTES + 1]);
            assertThat(log.malformedMessages() - before).isEqualTo(202);
        }
        cluster().agree("b");
        cluster().awaitApplied(members);
        assertThat(cluster().awaitLeader()).isEqualTo(leader);
    }

    /** Real messages: cut off, lengthened, for another member, and from another than they say. */
    @Test
    default void damagedAndMisdirectedMessagesAreCountedAndIgnored() {
        List<NodeRef> members = cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        List<byte[]> sent = new ArrayList<>();
        // A fourth node speaks to the members for itself.
        NodeRef stranger = new NodeRef(new NodeId("n9"), new UUID(1, 2));
        TopologyCluster other = anotherCluster();
        other.form(3);
        other.onMessage((from, to, message) -> sent.add(message));
        other.agree("elsewhere");
        assertThat(sent).isNotEmpty();
        TopologyLog log = cluster().log(members.get(0));
        long before = log.malformedMessages();
        for (byte[] message : sent) {
            log.received(leader, message);
            log.received(stranger, message);
        }
        assertThat(log.malformedMessages() - before).isEqualTo(2L * sent.size());

        cluster().onMessage((from, to, message) -> {
            TopologyLog target = cluster().log(to);
            long counted = target.malformedMessages();
            target.received(from, Arrays.copyOf(message, message.length - 1));
            target.received(from, Arrays.copyOf(message, message.length + 1));
            target.received(stranger, message);
            assertThat(target.malformedMessages() - counted).isEqualTo(3);
        });
        for (int i = 0; i < 5; i++) {
            cluster().agree("command " + i);
        }
        cluster().awaitApplied(members);
    }

    /** One bit is different, which checksums of transports find. No exception may be thrown. */
    @Test
    default void flippedBitsThrowNothing() {
        List<NodeRef> members = cluster().form(3);
        SplittableRandom random = new SplittableRandom(11);
        TopologyCluster other = anotherCluster();
        List<NodeRef> others = other.form(3);
        other.awaitLeader();
        other.onMessage((from, to, message) -> {
            byte[] flipped = message.clone();
            flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
            cluster().log(members.get(0)).received(members.get(1), flipped);
        });
        for (int i = 0; i < 5; i++) {
            other.agree("command " + i);
        }
        other.awaitApplied(others);
        cluster().agree("a");
        cluster().awaitApplied(members);
    }
}
