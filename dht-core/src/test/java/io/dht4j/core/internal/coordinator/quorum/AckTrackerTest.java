package io.dht4j.core.internal.coordinator.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.NodeId;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Version;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AckTrackerTest {

    /** Every order of answers and failures that {@code from} replicas can give. */
    private static List<List<Boolean>> outcomes(int from) {
        List<List<Boolean>> all = new ArrayList<>();
        for (int bits = 0; bits < 1 << from; bits++) {
            List<Boolean> one = new ArrayList<>();
            for (int i = 0; i < from; i++) {
                one.add((bits >> i & 1) == 1);
            }
            all.add(one);
        }
        return all;
    }

    @Test
    void oneAnswerDecidesOnceTheOutcomeIsCertain() {
        for (int from = 1; from <= 7; from++) {
            for (int ack = 1; ack <= from; ack++) {
                for (List<Boolean> outcome : outcomes(from)) {
                    AckTracker tracker = new AckTracker(new ReplicationPolicy(ack, from));
                    int successes = 0;
                    int failures = 0;
                    int decisions = 0;
                    for (boolean answered : outcome) {
                        boolean decided = answered ? tracker.ack() : tracker.fail();
                        successes += answered ? 1 : 0;
                        failures += answered ? 0 : 1;
                        boolean reached = answered && successes == ack;
                        boolean lost = !answered && from - failures == ack - 1;
                        assertThat(decided).isEqualTo(reached || lost);
                        decisions += decided ? 1 : 0;
                    }
                    assertThat(decisions).isEqualTo(1);
                }
            }
        }
    }

    @Test
    void afterItIsAbandonedNoAnswerDecides() {
        for (List<Boolean> outcome : outcomes(3)) {
            for (int before = 0; before <= 3; before++) {
                AckTracker tracker = new AckTracker(new ReplicationPolicy(2, 3));
                int decisions = 0;
                for (int i = 0; i < 3; i++) {
                    decisions += i == before && tracker.abandon() ? 1 : 0;
                    decisions += (outcome.get(i) ? tracker.ack() : tracker.fail()) ? 1 : 0;
                }
                assertThat(decisions).as("%s, %d", outcome, before).isEqualTo(1);
                assertThat(tracker.abandon()).isFalse();
                assertThat(tracker.acks() + tracker.failures()).isEqualTo(3);
            }
        }
    }

    @Test
    void entryIsSupersededWhenAnAnswerAmongEnoughIsNewer() {
        NodeId node = new NodeId("node");
        AckTracker majority = new AckTracker(new ReplicationPolicy(3, 5));
        majority.newer(node, new Version(7));
        majority.ack();
        majority.fail();
        assertThat(majority.isSuperseded()).isFalse();
        majority.ack();
        assertThat(majority.isSuperseded()).isTrue();
        assertThat(majority.withoutAnswer()).isEqualTo(2);
        majority.ack();
        assertThat(majority.isEnough()).isTrue();
        assertThat(majority.isSuperseded()).isFalse();

        AckTracker unsure = new AckTracker(new ReplicationPolicy(2, 3));
        unsure.ackUnsure();
        unsure.newer(node, new Version(7));
        assertThat(unsure.isSuperseded())
                .as("the two others may have acknowledged an earlier write")
                .isFalse();

        AckTracker silent = new AckTracker(new ReplicationPolicy(2, 3));
        silent.ack();
        assertThat(silent.isSuperseded()).isFalse();
        silent.newer(node, new Version(7));
        assertThat(silent.isSuperseded()).isTrue();
        assertThat(silent.withoutAnswer()).isEqualTo(1);
        assertThat(silent.abandon()).isTrue();
        assertThat(silent.isSuperseded()).isFalse();
    }

    @Test
    void messageCountsReplicasWithoutAnAnswer() {
        AckTracker tracker = new AckTracker(new ReplicationPolicy(3, 3));
        tracker.fail();
        assertThat(tracker)
                .hasToString("0 of 3 needed replicas answered; of the first 3, 1 failed and 2 had not answered");
        tracker.ackUnsure();
        tracker.ack();
        assertThat(tracker)
                .hasToString("2 of 3 needed replicas answered; of the first 3, 1 get back what they lost, 1 failed"
                        + " and 0 had not answered");
    }
}
