package io.dht4j.transport.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.DhtException;
import io.dht4j.OverloadedException;
import io.dht4j.transport.common.options.PeerTransportOptions;
import io.dht4j.transport.common.options.PublicApiOptions;
import io.dht4j.transport.common.options.RemoteApiOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AdmissionTest {

    private final PeerAdmission peers = new PeerAdmission(new PeerTransportOptions.Limits(100_000, 1, 1, 2, 150_000));
    private final ApiAdmission<String> api = new ApiAdmission<>(
            "test API", new PublicApiOptions.Limits(100, 1, 1000, 1024, 1), new RateLimitedLog(line -> {})) {};

    @Test
    void peersOverEachLimitAreRefusedUntilOthersLeave() {
        assertThat(peers.enter(100_001)).isEqualTo("a frame may have 100000 bytes, not 100001");
        assertThat(peers.enter(100_000)).isNull();
        assertThat(peers.enter(60_000)).isEqualTo("150000 bytes are under way");
        assertThat(peers.enter(1)).isNull();
        assertThat(peers.enter(1)).isEqualTo("2 requests are under way");
        assertThat(peers.inFlight()).isEqualTo(2);
        assertThat(peers.inFlightBytes()).isEqualTo(100_001);
        peers.leave(100_000);
        assertThat(peers.enter(60_000)).isNull();
    }

    @Test
    void repliesCountUntilTheirRequestsLeave() {
        assertThat(peers.enter(80_000)).isNull();
        assertThat(peers.replyRoom().test(70_000)).isTrue();
        assertThat(peers.replyRoom().test(70_001)).isFalse();
        peers.grow(70_000);
        assertThat(peers.enter(1)).isNotNull();
        peers.leave(150_000);
        assertThat(peers.inFlightBytes()).isZero();
    }

    @Test
    void drainingRefusesFurtherRequestsAndEndsWithTheLastOne() {
        assertThat(peers.enter(1)).isNull();
        CompletableFuture<Void> drained = peers.drain();
        assertThat(peers.enter(1)).isEqualTo("shutting down");
        assertThat(drained).isNotDone();
        peers.leave(1);
        assertThat(drained).isDone();
    }

    @Test
    void clientRefusesCallsOverEachLimitUntilOthersEnd() {
        RemoteAdmission remote = new RemoteAdmission(new RemoteApiOptions.Limits(0, 2, 2000, 1024, 1024));
        assertThat(remote.enter(2001)).as("more than the limit, alone").isNull();
        assertThat(remote.enter(1)).contains("2000 bytes");
        remote.leave(2001);
        assertThat(remote.enter(2000)).isNull();
        assertThat(remote.enter(1)).contains("2000 bytes");
        assertThat(remote.enter(0)).isNull();
        assertThat(remote.enter(0)).contains("2 calls are in flight");
        remote.leave(2000);
        assertThat(remote.enter(1)).isNull();
    }

    @Test
    void anApiRefusesMoreRequestsThanItsLimit() {
        api.enter();
        assertThatThrownBy(api::enter)
                .isInstanceOf(OverloadedException.class)
                .hasMessageContaining("1 requests are in flight");
        api.leave();
        api.enter();
        assertThat(api.requestsInFlight()).isEqualTo(1);
    }

    @Test
    void anyNumberOfBytesIsGrantedWhenNoneAreHeld() {
        assertThat(api.reserve(5000)).isTrue();
        assertThat(api.reserve(1)).isFalse();
        api.release(5000);
        assertThat(api.reserve(999)).isTrue();
        assertThat(api.hasRoomFor(1)).isTrue();
        assertThat(api.hasRoomFor(2)).isFalse();
        assertThat(api.reserve(2)).isFalse();
        assertThat(api.bytesInFlight()).isEqualTo(999);
    }

    @Test
    void stoppedApiIsIdleOnceItsLastRequestEnds() {
        api.begin("running");
        api.stop();
        assertThat(api.awaitIdle(Duration.ofMillis(1))).isFalse();
        assertThatThrownBy(() -> api.begin("late"))
                .isInstanceOf(DhtException.class)
                .hasMessageContaining("this node's test API is shutting down");
        assertThat(api.inProgress()).containsExactly("running");
        api.end("running");
        assertThat(api.awaitIdle(Duration.ofSeconds(30))).isTrue();
    }
}
