package io.dht4j.simulator.remote;

import static io.dht4j.simulator.remote.ScriptedApi.failing;
import static io.dht4j.simulator.remote.ScriptedCluster.KEY;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.IndeterminateException;
import io.dht4j.RequestId;
import io.dht4j.UnavailableException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operations on atomic keys of a remote cluster: which nodes are asked, and by which id. */
class RemoteAtomicTest {

    private final ScriptedCluster scripted = new ScriptedCluster();
    private final ScriptedApi api = scripted.api;
    private final List<String> order = scripted.order;

    private CompletionStage<AtomicResult> add(CallOptions options) {
        return scripted.cluster.execute("map", KEY, AtomicChange.add(1), options);
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"NO_REPLY", "INTERNAL", "NOT_SENT", "NOT_SERVING"})
    void anUnknownOutcomeIsResolvedByAnotherNodeUnderTheSameId(ErrorCode code) {
        api.at(order.get(0), failing(code));
        scripted.await(add(CallOptions.defaults()));
        assertThat(api.askedOf("execute")).containsExactly(order.get(0), order.get(1));
        assertThat(new HashSet<>(api.requestIds)).hasSize(1).doesNotContain(Optional.empty());
    }

    @Test
    void whatOneNodeLeavesUnknownStaysSoIfNoOtherKnows() {
        api.at(order.get(0), failing(ErrorCode.NO_REPLY));
        api.at(order.get(1), failing(ErrorCode.NOT_SENT));
        api.at(order.get(2), failing(ErrorCode.NOT_SENT));
        DhtException failure = scripted.failureOf(add(CallOptions.defaults()));
        assertThat(failure).isInstanceOf(IndeterminateException.class);
        assertThat(((IndeterminateException) failure).requestId())
                .isEqualTo(api.requestIds.get(0))
                .isPresent();
    }

    /** The first node may yet execute it: it must not get another id. */
    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"REQUEST_FORGOTTEN", "VERSION_TOO_FAR_AHEAD"})
    void whatOneNodeLeavesUnknownIsNotBegunAgain(ErrorCode code) {
        api.at(order.get(0), failing(ErrorCode.NO_REPLY));
        api.at(order.get(1), failing(code));
        api.at(order.get(2), failing(code));
        assertThat(scripted.failureOf(add(CallOptions.defaults())).code()).isEqualTo(ErrorCode.NO_REPLY);
        assertThat(new HashSet<>(api.requestIds)).hasSize(1).doesNotContain(Optional.empty());
    }

    @Test
    void nothingIsDoneIfNoNodeIsReached() {
        order.forEach(address -> api.at(address, failing(ErrorCode.NOT_SENT)));
        assertThat(scripted.failureOf(add(CallOptions.defaults()))).isInstanceOf(UnavailableException.class);
    }

    /** The id has the time of this process. */
    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"REQUEST_FORGOTTEN", "VERSION_TOO_FAR_AHEAD"})
    void aWrongClockLeavesTheIdToTheNode(ErrorCode code) {
        order.forEach(address -> api.at(
                address,
                timeout -> api.requestIds.get(api.requestIds.size() - 1).isPresent()
                        ? failing(code).answer(timeout)
                        : CompletableFuture.completedFuture(null)));
        scripted.await(add(CallOptions.defaults()));
        assertThat(api.requestIds.get(api.requestIds.size() - 1)).isEmpty();

        RequestId own = RequestId.next();
        DhtException failure = scripted.failureOf(add(CallOptions.defaults().withRequestId(own)));
        assertThat(failure.code()).isEqualTo(code);
        assertThat(api.requestIds.get(api.requestIds.size() - 1)).contains(own);
    }

    @Test
    void readsHaveNoId() {
        scripted.await(scripted.cluster.execute("map", KEY, AtomicChange.read(), CallOptions.defaults()));
        assertThat(api.requestIds).containsExactly(Optional.empty());
    }
}
