package io.dht4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.spi.Observer.Call;
import io.dht4j.spi.Observer.Outcome;
import io.dht4j.spi.Observer.Request;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MicrometerObserverTest {

    private static final NodeId STAYS = new NodeId("n1");
    private static final NodeId LEAVES = new NodeId("n2");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final MicrometerObserver observer = new MicrometerObserver(registry, Tags.of("cluster", "test"));

    private Timer calls(String kind, String outcome) {
        return registry.get("dht.calls")
                .tags("cluster", "test", "kind", kind, "outcome", outcome)
                .timer();
    }

    private long timersOf(NodeId peer) {
        return registry.find("dht.peer.calls")
                .tag("peer", peer.value())
                .timers()
                .size();
    }

    @Test
    void callsAreTimedByKindAndOutcome() {
        observer.callEnded(Call.GET, Outcome.success(), TimeUnit.MILLISECONDS.toNanos(2));
        observer.callEnded(Call.GET, Outcome.success(), TimeUnit.MILLISECONDS.toNanos(4));
        observer.callEnded(Call.GET_ALL, Outcome.of(ErrorCode.OVERLOADED), 1);
        observer.callEnded(Call.GET_ALL, Outcome.cancelled(), 1);
        assertThat(calls("get", "SUCCESS").count()).isEqualTo(2);
        assertThat(calls("get", "SUCCESS").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(6);
        assertThat(calls("get_all", "OVERLOADED").count()).isEqualTo(1);
        assertThat(calls("get_all", "CANCELLED").count()).isEqualTo(1);
    }

    @Test
    void successfulCallsBeginAtZero() {
        for (Call call : Call.values()) {
            assertThat(calls(call.name().toLowerCase(Locale.ROOT), "SUCCESS").count())
                    .isZero();
        }
    }

    @Test
    void requestsAreTimedByPeerKindAndOutcome() {
        observer.requestEnded(STAYS, Request.WRITE, Outcome.of(ErrorCode.NOT_SENT), 5);
        assertThat(registry.get("dht.peer.calls")
                        .tags("cluster", "test", "peer", "n1", "kind", "write", "outcome", "NOT_SENT")
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void aNodeThatLeavesLosesItsTimersForGood() {
        observer.requestEnded(STAYS, Request.READ, Outcome.success(), 1);
        observer.requestEnded(LEAVES, Request.READ, Outcome.success(), 1);
        observer.retain(Set.of(STAYS));
        observer.requestEnded(LEAVES, Request.READ, Outcome.success(), 1);
        observer.requestEnded(LEAVES, Request.PING, Outcome.cancelled(), 1);
        assertThat(timersOf(LEAVES)).isZero();
        assertThat(timersOf(STAYS)).isEqualTo(1);

        observer.retain(Set.of(STAYS, LEAVES));
        observer.requestEnded(LEAVES, Request.READ, Outcome.success(), 1);
        assertThat(timersOf(LEAVES)).isEqualTo(1);
    }

    @Test
    void nothingIsLeftAfterTheClose() {
        observer.callEnded(Call.PUT, Outcome.of(ErrorCode.INTERNAL), 1);
        observer.requestEnded(STAYS, Request.READ, Outcome.success(), 1);
        observer.close();
        observer.callEnded(Call.PUT, Outcome.success(), 1);
        observer.requestEnded(STAYS, Request.READ, Outcome.success(), 1);
        observer.close();
        assertThat(registry.getMeters()).isEmpty();
    }
}
