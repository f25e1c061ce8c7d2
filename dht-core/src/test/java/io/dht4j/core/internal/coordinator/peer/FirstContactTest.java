package io.dht4j.core.internal.coordinator.peer;

import static org.assertj.core.api.Assertions.assertThat;

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

    @Test
    void nodeThatHasLeftIsNotWaitedFor() {
        contact.begin();
        contact.refused(A);
        assertThat(contact.isOver()).isFalse();
        contact.follow(List.of(A));
        assertThat(contact.isOver()).isTrue();
    }

    @Test
    void nodeThatHasJoinedIsWaitedFor() {
        contact.begin();
        contact.follow(List.of(A, B, C));
        contact.refused(A);
        contact.refused(B);
        assertThat(contact.isOver()).isFalse();
        contact.refused(C);
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
