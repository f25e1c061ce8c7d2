package io.dht4j.core.internal.membership;

import static io.dht4j.core.internal.view.SampleViews.OTHER;
import static io.dht4j.core.internal.view.SampleViews.SELF;
import static io.dht4j.core.internal.view.SampleViews.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Views;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class ViewRefreshTest {

    private static final Duration BOUND = Duration.ofMinutes(1);

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final Views views = new Views(view(2, 2, 2));
    private final ViewRefresh refresh = new ViewRefresh(views, env);
    /** The answers that the source owes. */
    private final List<CompletableFuture<ClusterView>> asked = new ArrayList<>();

    private void fromSource() {
        refresh.from((from, epoch) -> {
            CompletableFuture<ClusterView> answer = new CompletableFuture<>();
            asked.add(answer);
            return answer;
        });
    }

    private CompletableFuture<ClusterView> newerWithinTwoSeconds() {
        return refresh.newerThan(2, OTHER, Duration.ofSeconds(2).toNanos());
    }

    private ErrorCode failureOf(CompletionStage<?> stage) {
        try {
            env.await(stage, BOUND);
            throw new AssertionError("expected a failure");
        } catch (DhtException e) {
            return e.code();
        }
    }

    @Test
    void newerViewThatIsHereIsReturnedAtOnce() {
        assertThat(refresh.newerThan(1, OTHER)).isCompletedWithValue(views.current());
    }

    @Test
    void requestsOfOneMemberShareAView() {
        fromSource();
        CompletableFuture<ClusterView> one = refresh.newerThan(2, OTHER);
        CompletableFuture<ClusterView> two = refresh.newerThan(2, OTHER);
        refresh.newerThan(2, SELF);
        assertThat(asked).hasSize(2);
        ClusterView newer = view(5, 2, 5);
        asked.get(0).complete(newer);
        assertThat(env.await(one, BOUND)).isSameAs(newer);
        assertThat(env.await(two, BOUND)).isSameAs(newer);
        assertThat(views.current()).isSameAs(newer);
    }

    @Test
    void staticClusterHasNoOtherView() {
        assertThat(failureOf(refresh.newerThan(2, OTHER))).isEqualTo(ErrorCode.STALE_TOPOLOGY);
    }

    @Test
    void viewThatIsNotNewerIsAFailure() {
        fromSource();
        CompletableFuture<ClusterView> newer = refresh.newerThan(2, OTHER);
        asked.get(0).complete(view(2, 2, 2));
        env.advance(Duration.ofMillis(1));
        asked.get(1).complete(view(2, 2, 2));
        assertThat(failureOf(newer)).isEqualTo(ErrorCode.STALE_TOPOLOGY);
        assertThat(asked).hasSize(2);
    }

    @Test
    void outdatedViewFetchIsRepeated() {
        fromSource();
        CompletableFuture<ClusterView> earlier = refresh.newerThan(2, OTHER);
        // It comes by another way, and a request that was planned by it is refused by a member that has the next one.
        views.install(view(3, 2, 3));
        CompletableFuture<ClusterView> later = refresh.newerThan(3, OTHER);
        assertThat(asked).hasSize(1);

        asked.get(0).complete(view(3, 2, 3));
        assertThat(env.await(earlier, BOUND).epoch()).isEqualTo(3);
        asked.get(1).complete(view(4, 2, 4));

        assertThat(env.await(later, BOUND).epoch()).isEqualTo(4);
    }

    @Test
    void sourceThatIsSilentIsAskedAgainByTheNextRequest() {
        fromSource();
        assertThat(failureOf(refresh.newerThan(2, OTHER))).isEqualTo(ErrorCode.STALE_TOPOLOGY);
        CompletableFuture<ClusterView> again = refresh.newerThan(2, OTHER);
        assertThat(asked).hasSize(2);
        asked.get(1).complete(view(3, 2, 3));
        assertThat(env.await(again, BOUND).epoch()).isEqualTo(3);
        assertThat(env.pendingTasks()).isZero();
    }

    @Test
    void memberThatDoesNotAnswerAtOnceIsAskedAgain() {
        fromSource();
        CompletableFuture<ClusterView> newer = newerWithinTwoSeconds();
        asked.get(0).completeExceptionally(new IllegalStateException("no answer"));
        env.advance(Duration.ofSeconds(1));
        asked.get(1).completeExceptionally(new IllegalStateException("no answer"));
        env.advance(Duration.ofMillis(500));
        assertThat(newer).isNotDone();
        asked.get(2).complete(view(3, 2, 3));
        assertThat(env.await(newer, BOUND).epoch()).isEqualTo(3);
        assertThat(env.pendingTasks()).isZero();
    }

    @Test
    void viewThatComesByAnotherWayEndsTheAsking() {
        fromSource();
        CompletableFuture<ClusterView> newer = newerWithinTwoSeconds();
        asked.get(0).completeExceptionally(new IllegalStateException("no answer"));
        views.install(view(3, 2, 3));
        assertThat(env.await(newer, BOUND).epoch()).isEqualTo(3);
        assertThat(asked).hasSize(1);
    }

    @Test
    void askingAgainEndsWithItsTime() {
        refresh.from((from, epoch) -> {
            asked.add(new CompletableFuture<>());
            return CompletableFuture.failedFuture(new IllegalStateException("no answer"));
        });
        CompletableFuture<ClusterView> newer = newerWithinTwoSeconds();
        assertThatThrownBy(() -> env.await(newer, BOUND)).hasMessage("no answer");
        assertThat(env.elapsed()).isBetween(Duration.ofMillis(1500), Duration.ofSeconds(2));
        assertThat(asked).hasSizeBetween(5, 12);
        assertThat(env.pendingTasks()).isZero();
    }

    @Test
    void sourceThatThrowsFailsTheRequestOnly() {
        refresh.from((from, epoch) -> {
            throw new IllegalStateException("a source that fails");
        });
        assertThatThrownBy(() -> env.await(refresh.newerThan(2, OTHER), BOUND)).hasMessage("a source that fails");
        fromSource();
        CompletableFuture<ClusterView> again = refresh.newerThan(2, OTHER);
        asked.get(0).complete(view(3, 2, 3));
        assertThat(env.await(again, BOUND).epoch()).isEqualTo(3);
    }
}
