package io.dht4j.core.internal.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.SlowCall;
import io.dht4j.Topology;
import io.dht4j.core.HashFunctions;
import io.dht4j.core.Placements;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Views;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.Observer.Call;
import io.dht4j.spi.Observer.Outcome;
import io.dht4j.spi.Observer.Request;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SlowCallLogTest {

    private static final Duration LEAST = Duration.ofMillis(100);
    private static final Key KEY = Key.of("a-secret-key");
    private static final NodeId SELF = new NodeId("n1");
    private static final NodeId OTHER = new NodeId("n2");

    private final VirtualEnvironment clock = VirtualEnvironment.seeded(1);
    private final HashFunction hash = HashFunctions.xxh3();
    private final Topology topology = Topology.of(Node.of("n1", "host1:1"), Node.of("n2", "host2:1"));
    private final Views views = new Views(
            ClusterView.fixed(SELF, topology, hash, Placements.rendezvous().assign(topology, 8), 2));
    private final Observations observations = new Observations(
            Optional.empty(),
            Optional.of(new SlowCallLog(new NodeId("n1"), LEAST, hash, views, clock)),
            Optional.empty(),
            clock);

    private void call(Call kind, Key key, Duration takes) {
        ObservedCall call = observations.begin(kind, key, CallOptions.defaults());
        clock.advance(takes);
        call.ended(null);
    }

    @Test
    void onlyCallsThatTakeLongAreKept() {
        call(Call.GET, KEY, LEAST.minusNanos(1));
        call(Call.PUT, KEY, LEAST);
        assertThat(observations.slowCalls()).hasSize(1);
        SlowCall slow = observations.slowCalls().get(0);
        assertThat(slow.kind()).isEqualTo("PUT");
        assertThat(slow.outcome()).isEqualTo("SUCCESS");
        assertThat(slow.took()).isEqualTo(LEAST);
        assertThat(slow.keyHash()).hasValue(hash.hash(KEY.toByteArray()));
        assertThat(slow.keys()).isEqualTo(1);
        assertThat(slow.replicas()).containsExactlyInAnyOrder(SELF, OTHER);
    }

    @Test
    void theLastCallsAreKeptAndTheLastOneComesFirst() {
        for (int i = 0; i < 200; i++) {
            call(Call.GET, KEY, LEAST.plusMillis(i));
        }
        assertThat(observations.slowCalls()).hasSize(128);
        assertThat(observations.slowCalls().get(0).took()).isEqualTo(LEAST.plusMillis(199));
        assertThat(observations.slowCalls().get(127).took()).isEqualTo(LEAST.plusMillis(72));
    }

    @Test
    void requestsAreKeptInTheirOrderAlsoThoseThatHaveNotEnded() {
        ObservedCall call = observations.begin(Call.PUT, KEY, CallOptions.defaults());
        ObservedRequest own = observations.begin(node(SELF), true, Request.WRITE, call);
        clock.advance(Duration.ofMillis(10));
        observations.begin(node(OTHER), false, Request.WRITE, call);
        own.ended(Outcome.success());
        clock.advance(LEAST);
        call.ended(null);
        assertThat(observations.slowCalls().get(0).requests())
                .containsExactly(
                        new SlowCall.Request(SELF, "WRITE", "SUCCESS", Duration.ZERO, Duration.ofMillis(10)),
                        new SlowCall.Request(OTHER, "WRITE", "PENDING", Duration.ofMillis(10), LEAST));
    }

    @Test
    void aBatchHasNoHashAndAsManyRequestsAsAreKept() {
        ObservedCall call = observations.begin(Call.GET_ALL, 1000, CallOptions.defaults());
        for (int i = 0; i < 100; i++) {
            observations.begin(node(OTHER), false, Request.READ, call);
        }
        clock.advance(LEAST);
        call.ended(null);
        SlowCall slow = observations.slowCalls().get(0);
        assertThat(slow.keyHash()).isEmpty();
        assertThat(slow.keys()).isEqualTo(1000);
        assertThat(slow.replicas()).isEmpty();
        assertThat(slow.requests()).hasSize(SlowCall.MOST_REQUESTS);
    }

    @Test
    void theLineNamesHashReplicasAndRequestsButNotTheKey() {
        ObservedCall call = observations.begin(Call.DELETE, KEY, CallOptions.defaults());
        observations.begin(node(OTHER), false, Request.WRITE, call);
        clock.advance(LEAST);
        call.ended(null);
        String line = SlowCallLog.text(observations.slowCalls().get(0));
        assertThat(line)
                .startsWith("DELETE of key " + String.format("%016x", hash.hash(KEY.toByteArray())) + " on n")
                .contains("n1", " took 100 ms, SUCCESS: n2 WRITE PENDING after 0 ms for 100 ms")
                .doesNotContain("secret");
    }

    @Test
    void withoutALogThereAreNone() {
        Observations none = new Observations(Optional.empty(), Optional.empty(), Optional.empty(), clock);
        assertThat(none.begin(Call.GET, KEY, CallOptions.defaults())).isNull();
        assertThat(none.slowCalls()).isEqualTo(List.of());
    }

    private static Node node(NodeId id) {
        return new Node(id, "localhost:1", 1);
    }
}
