package io.dht4j.core.internal.coordinator.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Version;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.ReplicaSlot;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The two nodes of a slot that moves give one answer, whatever they answer and in whichever order. */
class PairTrackerTest {

    private static final Node OWNER = Node.of("owner", "host:1");
    private static final Node HEIR = Node.of("heir", "host:2");
    private static final Node SECOND = Node.of("second", "host:3");
    private static final Node THIRD = Node.of("third", "host:4");
    private static final Optional<ReplicaSlot> PAIR = Optional.of(new ReplicaSlot(Phase.COPY, OWNER, HEIR));

    private enum Answer {
        SURE,
        UNSURE,
        NEWER,
        FAILED
    }

    private static Version version(Node node) {
        return new Version(Long.parseLong(node.address().substring(5)));
    }

    private static boolean count(AckTracker tracker, Node node, Answer answer) {
        NodeId id = node.id();
        return switch (answer) {
            case SURE -> tracker.ack(id);
            case UNSURE -> tracker.ackUnsure(id);
            case NEWER -> tracker.newer(id, version(node));
            case FAILED -> tracker.fail(id);
        };
    }

    /** What a slot says, in the words of the design: empty as long as it says nothing. */
    private static Optional<Answer> together(Optional<Answer> one, Optional<Answer> other) {
        List<Answer> both = new ArrayList<>();
        one.ifPresent(both::add);
        other.ifPresent(both::add);
        if (both.contains(Answer.FAILED) || both.contains(Answer.NEWER)) {
            return Optional.of(Answer.FAILED);
        }
        return both.size() < 2
                ? Optional.empty()
                : Optional.of(both.contains(Answer.SURE) ? Answer.SURE : Answer.UNSURE);
    }

    private static List<List<Node>> orders(List<Node> nodes) {
        if (nodes.isEmpty()) {
            return List.of(List.of());
        }
        List<List<Node>> all = new ArrayList<>();
        for (Node first : nodes) {
            List<Node> rest = new ArrayList<>(nodes);
            rest.remove(first);
            for (List<Node> order : orders(rest)) {
                List<Node> one = new ArrayList<>(List.of(first));
                one.addAll(order);
                all.add(one);
            }
        }
        return all;
    }

    @Test
    void pairCountsAsTheOneAnswerThatItGivesTogether() {
        List<Node> all = List.of(OWNER, HEIR, SECOND, THIRD);
        for (int from = 1; from <= 3; from++) {
            for (int ack = 1; ack <= from; ack++) {
                ReplicationPolicy policy = new ReplicationPolicy(ack, from);
                for (List<Node> order : orders(all.subList(0, from + 1))) {
                    for (int code = 0; code < 1 << 2 * order.size(); code++) {
                        compareWithSlots(policy, order, code);
                    }
                }
            }
        }
    }

    private static void compareWithSlots(ReplicationPolicy policy, List<Node> order, int code) {
        AckTracker tracker = AckTracker.of(policy, PAIR);
        AckTracker slots = new AckTracker(policy);
        Map<Node, Answer> given = new HashMap<>();
        Optional<Answer> before = Optional.empty();
        int decisions = 0;
        for (int i = 0; i < order.size(); i++) {
            Node node = order.get(i);
            Answer answer = Answer.values()[code >> 2 * i & 3];
            given.put(node, answer);
            boolean expected = false;
            if (node.equals(OWNER) || node.equals(HEIR)) {
                Optional<Answer> now =
                        together(Optional.ofNullable(given.get(OWNER)), Optional.ofNullable(given.get(HEIR)));
                expected = before.isEmpty() && now.isPresent() && count(slots, OWNER, now.get());
                before = now;
            } else {
                expected = count(slots, node, answer);
            }
            boolean decides = count(tracker, node, answer);
            assertThat(decides).as("%s, %s: %s", policy, order, given).isEqualTo(expected);
            assertThat(tracker.isEnough()).isEqualTo(slots.isEnough());
            decisions += decides ? 1 : 0;
        }
        assertThat(decisions).as("%s, %s: %s", policy, order, given).isEqualTo(1);
        assertThat(tracker.newest())
                .isEqualTo(given.entrySet().stream()
                        .filter(each -> each.getValue() == Answer.NEWER)
                        .map(each -> version(each.getKey()))
                        .max(Version::compareTo));
        assertThat(tracker.allHaveFailed())
                .isEqualTo(given.values().stream().allMatch(each -> each == Answer.FAILED || each == Answer.NEWER));
    }

    @Test
    void repeatedAnswersOfOneNodeAreNoAnswerOfTheOther() {
        for (Answer repeated : List.of(Answer.SURE, Answer.UNSURE)) {
            AckTracker tracker = AckTracker.of(new ReplicationPolicy(1, 1), PAIR);
            assertThat(count(tracker, OWNER, repeated)).isFalse();
            assertThat(count(tracker, OWNER, repeated)).isFalse();
            assertThat(tracker.acks()).isZero();
            assertThat(count(tracker, HEIR, Answer.UNSURE)).isTrue();
            assertThat(tracker.isEnough()).isEqualTo(repeated == Answer.SURE);
        }
    }

    @ParameterizedTest
    @EnumSource(Phase.class)
    void onlyPhasesOfTwoNodesHaveAPair(Phase phase) {
        ReplicaSlot slot = new ReplicaSlot(phase, phase.isOfTwo() ? OWNER : HEIR, HEIR);
        Set<Phase> pairs = EnumSet.of(Phase.COPY, Phase.BOTH, Phase.UNDO, Phase.GROW);
        assertThat(AckTracker.of(new ReplicationPolicy(2, 3), Optional.of(slot)).hasPair())
                .isEqualTo(pairs.contains(phase));
    }

    @Test
    void slotThatIsNotReadCountsAsFailedFromTheBeginning() {
        AckTracker tracker = new AckTracker(new ReplicationPolicy(2, 3), 1);
        assertThat(tracker.ack()).isFalse();
        assertThat(tracker.fail()).isTrue();
        assertThat(tracker.isEnough()).isFalse();
    }
}
