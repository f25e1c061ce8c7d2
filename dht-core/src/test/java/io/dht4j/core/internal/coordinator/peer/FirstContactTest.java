package io.dht4j.core.internal.coordinator.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FirstContactTest {

    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final NodeId C = new NodeId("c");

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final FirstContact contact = new FirstContact(env, List.of(A, B), Duration.ofSeconds(10));

    private static PeerFailure refusal(NodeId node) {
        return new PeerFailure(node, true, true, ErrorCode.NOT_SENT, "nothing listens there");
    }

    @Test
    void itSaysWhyNoNodeAnswers() {
        contact.begin();
        contact.failed(new PeerFailure(B, true, ErrorCode.NOT_SENT, "no trusted authority"));
        contact.failed(refusal(A));
        assertThat(contact.isOver()).isFalse();
        assertThat(contact.reasons()).isEqualTo("; a: nothing listens there; b: no trusted authority");
        contact.follow(List.of(A, B, C));
        contact.follow(List.of(B, C));
        assertThat(contact.reasons()).isEqualTo("; b: no trusted authority");
        contact.answered();
        assertThat(contact.reasons()).isEmpty();
    }

    @Test
    void nodeThatHasLeftIsNotWaitedFor() {
        contact.begin();
        contact.failed(refusal(A));
        assertThat(contact.isOver()).isFalse();
        contact.follow(List.of(A));
        assertThat(contact.isOver()).isTrue();
    }

    @Test
    void nodeThatHasJoinedIsWaitedFor() {
        contact.begin();
        contact.follow(List.of(A, B, C));
        contact.failed(refusal(A));
        contact.failed(refusal(B));
        assertThat(contact.isOver()).isFalse();
        contact.failed(refusal(C));
        assertThat(contact.isOver()).isTrue();
    }

    @Test
    void viewBeforeTheBeginningEndsNothing() {
        contact.follow(List.of());
        assertThat(contact.isOver()).isFalse();
        contact.begin();
        assertThat(contact.isOver()).isTrue();
    }

    @Test
    void delayEndsWithItsPatience() {
        contact.begin();
        env.advance(Duration.ofSeconds(9));
        assertThat(contact.isOver()).isFalse();
        env.advance(Duration.ofSeconds(1));
        assertThat(contact.isOver()).isTrue();
    }
}
