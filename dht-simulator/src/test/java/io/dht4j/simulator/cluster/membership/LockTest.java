package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.AtomicMap;
import io.dht4j.Cluster;
import io.dht4j.Codec;
import io.dht4j.DhtException;
import io.dht4j.DhtLock;
import io.dht4j.ErrorCode;
import io.dht4j.HeldLock;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.LeaderElection;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.core.internal.lock.Locks;
import io.dht4j.simulator.contract.DirectRemoteApi;
import io.dht4j.testkit.network.Fault;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Locks and elections as applications use them: at nodes, and through remote clusters. */
class LockTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private final FormedCluster cluster = new FormedCluster(1).form(3);
    private final List<Cluster> remotes = new ArrayList<>();

    /** Where an application calls. */
    enum At {
        NODE,
        REMOTE
    }

    @AfterEach
    void close() {
        remotes.forEach(Cluster::close);
        cluster.close();
    }

    /** Returns the cluster of one of two applications. */
    private Cluster application(At at, int i) {
        if (at == At.NODE) {
            return cluster.cluster(i);
        }
        Cluster remote = await(RemoteCluster.connecting(
                new DirectRemoteApi(
                        Map.of("a:1", cluster.cluster(0), "b:1", cluster.cluster(1), "c:1", cluster.cluster(2)),
                        cluster.env),
                i == 0 ? List.of("a:1", "b:1", "c:1") : List.of("b:1", "c:1"),
                RemoteOptions.defaults(),
                cluster.env));
        remotes.add(remote);
        return remote;
    }

    private static DhtLock lock(Cluster application) {
        return application.lock("locks", Key.of("reports"));
    }

    private static AtomicMap<String, String> map(Cluster application) {
        return application.atomicMap("locks", Codec.text(), Codec.text());
    }

    private <T> T await(CompletionStage<T> stage) {
        return cluster.env.await(stage, BOUND);
    }

    private HeldLock take(DhtLock lock) {
        return await(lock.tryLock(Duration.ZERO, LEASE)).orElseThrow();
    }

    private Throwable failure(CompletionStage<?> stage) {
        try {
            throw new AssertionError("the call has succeeded with " + await(stage));
        } catch (RuntimeException e) {
            return DhtException.unwrap(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aLockHasOneHolder(At at) {
        DhtLock mine = lock(application(at, 0));
        DhtLock yours = lock(application(at, 1));
        HeldLock first = take(mine);
        assertThat(first.remaining()).isPositive().isLessThan(LEASE);
        assertThat(await(yours.tryLock(Duration.ZERO, LEASE))).isEmpty();
        assertThat(await(mine.tryLock(Duration.ZERO, LEASE)))
                .as("it is not reentrant")
                .isEmpty();

        assertThat(await(first.release())).isTrue();
        assertThat(first.remaining()).isZero();
        assertThat(await(first.ended())).isEqualTo("it was released");
        assertThat(take(yours).token()).isGreaterThan(first.token());
    }

    @ParameterizedTest
    @EnumSource
    void aHeldLockIsRenewed(At at) {
        DhtLock yours = lock(application(at, 1));
        HeldLock held = take(lock(application(at, 0)));
        long token = held.token();
        CompletionStage<Optional<HeldLock>> waiting = yours.tryLock(LEASE.multipliedBy(5), LEASE);
        cluster.env.advance(LEASE.multipliedBy(4));
        assertThat(held.remaining()).isGreaterThan(LEASE.dividedBy(2));
        assertThat(await(waiting)).isEmpty();
        assertThat(held.token()).isEqualTo(token);
        assertThat(await(held.release())).isTrue();
        assertThat(await(held.release())).as("again").isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void aWaiterGetsTheLockWhenItIsReleased(At at) {
        HeldLock held = take(lock(application(at, 0)));
        CompletionStage<Optional<HeldLock>> waiting = lock(application(at, 1)).tryLock(LEASE.multipliedBy(2), LEASE);
        cluster.env.advance(Duration.ofSeconds(1));
        assertThat(waiting.toCompletableFuture()).isNotDone();
        await(held.release());
        Duration released = cluster.env.elapsed();
        assertThat(await(waiting)).isPresent();
        assertThat(cluster.env.elapsed().minus(released)).isLessThan(Duration.ofMillis(300));
    }

    @Test
    void aWaiterGetsTheLockOfADeadHolderALeaseLater() {
        HeldLock held = take(lock(cluster.cluster(0)));
        cluster.env.advance(LEASE);
        CompletionStage<Optional<HeldLock>> waiting = lock(cluster.cluster(1)).tryLock(LEASE.multipliedBy(3), LEASE);
        cluster.env.advance(Duration.ofMillis(500));
        cluster.crash(0);
        Duration crashed = cluster.env.elapsed();
        HeldLock next = await(waiting).orElseThrow();
        assertThat(next.token()).isGreaterThan(held.token());
        assertThat(cluster.env.elapsed().minus(crashed))
                .isBetween(LEASE.multipliedBy(2).dividedBy(3), LEASE.multipliedBy(2));
    }

    @Test
    void oneWhoDoesNotWaitGetsTheLockThatItHasSeenALeaseAgo() {
        take(lock(cluster.cluster(0)));
        DhtLock lock = lock(cluster.cluster(1));
        assertThat(await(lock.tryLock(Duration.ZERO, LEASE))).isEmpty();
        cluster.crash(0);
        cluster.env.advance(LEASE);
        assertThat(await(lock.tryLock(Duration.ZERO, LEASE)))
                .as("2 % too early")
                .isEmpty();
        cluster.env.advance(LEASE.dividedBy(10));
        assertThat(await(lock.tryLock(Duration.ZERO, LEASE))).isPresent();
    }

    @Test
    void aHolderThatIsCutOffStopsBeforeAnotherOneBegins() {
        HeldLock held = take(lock(cluster.cluster(0)));
        CompletionStage<Optional<HeldLock>> waiting = lock(cluster.cluster(1)).tryLock(LEASE.multipliedBy(3), LEASE);
        cluster.env.advance(Duration.ofMillis(500));
        cluster.nodes.get(0).link.towardAll(Fault.loseRequest());
        List<Boolean> wasFree = new ArrayList<>();
        waiting.thenAccept(next -> wasFree.add(
                held.remaining().isZero() && held.ended().toCompletableFuture().isDone()));
        assertThat(await(waiting)).isPresent();
        assertThat(wasFree).containsExactly(true);
        assertThat(await(held.ended())).startsWith("its lease has ended before it was renewed: ");
        cluster.nodes.get(0).link.heal();
        assertThat(await(held.release())).as("it had ended").isFalse();
        assertThat(await(lock(cluster.cluster(2)).tryLock(Duration.ZERO, LEASE)))
                .as("the other one holds it still")
                .isEmpty();
    }

    @Test
    void aRenewalWithoutAnAnswerIsNotTheEnd() {
        HeldLock held = take(lock(cluster.cluster(0)));
        cluster.env.advance(LEASE.dividedBy(4));
        cluster.nodes.get(0).link.towardAll(Fault.loseReply());
        // The renewal, and its end without an answer, are at one and two thirds.
        cluster.env.advance(LEASE.dividedBy(2));
        cluster.nodes.get(0).link.heal();
        cluster.env.advance(LEASE.multipliedBy(2));
        assertThat(held.remaining()).isPositive();
        assertThat(await(held.release())).isTrue();
        assertThat(await(map(cluster.cluster(1)).get("reports"))).isEmpty();
    }

    @Test
    void aTakingWithoutAnAnswerIsResolved() {
        cluster.nodes.values().forEach(node -> node.link.towardAll(Fault.loseReply()));
        CompletionStage<Optional<HeldLock>> taking = lock(cluster.cluster(0)).tryLock(LEASE.multipliedBy(4), LEASE);
        cluster.env.advance(LEASE);
        cluster.nodes.values().forEach(node -> node.link.heal());
        HeldLock held = await(taking).orElseThrow();
        assertThat(held.remaining()).isPositive();
        assertThat(await(held.release())).isTrue();
    }

    @Test
    void removingTheKeyBreaksTheLock() {
        HeldLock held = take(lock(cluster.cluster(0)));
        await(map(cluster.cluster(1)).remove("reports"));
        assertThat(await(held.ended())).isEqualTo("its key was removed");
        assertThat(held.remaining()).isZero();
        HeldLock next = take(lock(cluster.cluster(1)));
        assertThat(next.token()).isGreaterThan(held.token());
        assertThat(await(held.release())).isFalse();
        assertThat(next.remaining()).isPositive();
    }

    @Test
    void aKeyThatHoldsSomethingElseIsNoLock() {
        await(map(cluster.cluster(0)).put("reports", "paid"));
        assertThat(failure(lock(cluster.cluster(1)).tryLock(Duration.ofSeconds(5), LEASE)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage(
                        "lock reports of map locks is no lock: its key holds something else; remove the key, or take"
                                + " another one")
                .extracting(error -> ((DhtException) error).code())
                .isEqualTo(ErrorCode.ATOMIC_KIND);
    }

    @Test
    void timesOutOfTheirRangesAreRefused() {
        DhtLock lock = lock(cluster.cluster(0));
        assertThatThrownBy(() -> lock.tryLock(Duration.ofMillis(-1), LEASE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("wait must be 0s to 1d, not -1ms");
        assertThatThrownBy(() -> lock.tryLock(Duration.ZERO, Duration.ofMillis(99)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("lease must be 100ms to 1d, not 99ms");
    }

    @Test
    void aNameOrKeyThatDoesNotFitIsRefusedAtOnce() {
        Cluster node = cluster.cluster(0);
        assertThatThrownBy(() -> node.lock("", Key.of("k")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the name of a map has 1 to 255 bytes in UTF-8, not 0");
        assertThatThrownBy(() -> node.lock("locks", Key.of(new byte[Key.MAX_LENGTH])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a key of map locks has at most");
    }

    @Test
    void withoutAMajorityTakingFailsWhenTheWaitIsOver() {
        cluster.crash(1);
        cluster.crash(2);
        Duration begun = cluster.env.elapsed();
        assertThat(failure(lock(cluster.cluster(0)).tryLock(LEASE, LEASE))).isInstanceOf(DhtException.class);
        assertThat(cluster.env.elapsed().minus(begun)).isBetween(LEASE, LEASE.multipliedBy(3));
    }

    @Test
    void closingEndsWhatIsHeldAndWaitedFor() {
        Cluster application = application(At.REMOTE, 0);
        HeldLock held = take(lock(application));
        CompletionStage<Optional<HeldLock>> waiting = lock(application).tryLock(LEASE, LEASE);
        application.close();
        assertThat(await(held.ended())).isEqualTo("this client is closed");
        assertThat(failure(waiting)).isInstanceOf(CancellationException.class).hasMessage("this client is closed");
        assertThat(failure(lock(application).tryLock(LEASE, LEASE))).isInstanceOf(CancellationException.class);
        cluster.env.advance(Duration.ofMillis(100));
        take(lock(cluster.cluster(1)));
    }

    @Test
    void atARemovedNodeALockEndsAndClosesAndAnotherOneIsRefusedAtOnce() {
        await(cluster.cluster(0).membership().add(node(3).id()));
        cluster.join(3, List.of(node(0)));
        cluster.awaitStarts();
        Cluster application = cluster.cluster(3);
        HeldLock held = take(lock(application));
        CompletionStage<Optional<HeldLock>> waiting = lock(application).tryLock(Duration.ofHours(1), LEASE);
        await(cluster.cluster(0).membership().remove(node(3).id()));
        assertThat(await(held.ended())).startsWith("this node can no longer serve: ");
        assertThat(failure(waiting)).isInstanceOf(CancellationException.class);
        held.close();
        assertThat(held).asString().contains(", no longer held, ");
        assertThat(failure(lock(application).tryLock(Duration.ofHours(1), LEASE)))
                .isInstanceOf(CancellationException.class)
                .hasMessageStartingWith("this node can no longer serve: ");
    }

    @Test
    void aLockWhoseStageWasCancelledIsReleasedWhenItIsTaken() {
        CompletionStage<Optional<HeldLock>> taking = lock(cluster.cluster(0)).tryLock(LEASE, LEASE);
        assertThat(taking.toCompletableFuture().cancel(false)).isTrue();
        cluster.env.advance(Duration.ofMillis(500));
        take(lock(cluster.cluster(1)));
    }

    @Test
    void leasesOfHoursAreRenewedAndReleased() {
        HeldLock held = await(lock(cluster.cluster(0)).tryLock(Duration.ZERO, Duration.ofHours(4)))
                .orElseThrow();
        cluster.env.advance(Duration.ofMinutes(81));
        assertThat(held.remaining()).isGreaterThan(Duration.ofHours(3));
        assertThat(await(held.release())).isTrue();
        take(lock(cluster.cluster(1)));
    }

    private DhtLock lockOfLateAnswers(Supplier<Duration> lateness) {
        return locksOfLateAnswers(lateness).lock("locks", Key.of("reports"));
    }

    /** Returns the locks of an application whose answers come late, if they do not fail. */
    private Locks locksOfLateAnswers(Supplier<Duration> lateness) {
        Cluster node = cluster.cluster(0);
        InvocationHandler late = (proxy, method, arguments) -> {
            if (!method.getName().equals("execute")) {
                return InvocationHandler.invokeDefault(proxy, method, arguments);
            }
            CompletableFuture<Object> answer = new CompletableFuture<>();
            ((CompletionStage<?>) method.invoke(node, arguments))
                    .thenAccept(result -> cluster.env.schedule(
                            () -> answer.complete(result), lateness.get().toNanos()));
            return answer;
        };
        Cluster application =
                (Cluster) Proxy.newProxyInstance(Cluster.class.getClassLoader(), new Class<?>[] {Cluster.class}, late);
        return new Locks(application, cluster.env);
    }

    @Test
    void aLockThatIsTakenSlowlyIsRenewedInTime() {
        Duration late = LEASE.multipliedBy(2).dividedBy(3);
        Iterator<Duration> answers = List.of(late).iterator();
        HeldLock held = take(lockOfLateAnswers(() -> answers.hasNext() ? answers.next() : Duration.ZERO));
        assertThat(held.remaining()).isLessThan(LEASE.dividedBy(3));
        cluster.env.advance(LEASE);
        assertThat(held.remaining()).isPositive();
    }

    @Test
    void anAnswerThatComesAfterTheLeaseIsNoLock() {
        assertThat(await(lockOfLateAnswers(() -> LEASE).tryLock(Duration.ZERO, LEASE)))
                .isEmpty();
        cluster.env.advance(LEASE.dividedBy(10));
        take(lock(cluster.cluster(1)));
    }

    @Test
    void anAnswerThatComesAfterTheLeaseIsFollowedByAnother() {
        Iterator<Duration> answers = List.of(LEASE).iterator();
        HeldLock held = await(lockOfLateAnswers(() -> answers.hasNext() ? answers.next() : Duration.ZERO)
                        .tryLock(LEASE.multipliedBy(3), LEASE))
                .orElseThrow();
        cluster.env.advance(LEASE.dividedBy(4));
        assertThat(await(lock(cluster.cluster(1)).tryLock(Duration.ZERO, LEASE)))
                .isEmpty();
        assertThat(held.remaining()).isPositive();
    }

    @Test
    void aLeaseHasWholeMilliseconds() {
        cluster.nodes.values().forEach(node -> node.link.towardAll(Fault.loseReply()));
        CompletionStage<Optional<HeldLock>> taking =
                lock(cluster.cluster(0)).tryLock(LEASE.multipliedBy(4), LEASE.plusNanos(500_000));
        cluster.env.advance(LEASE);
        cluster.nodes.values().forEach(node -> node.link.heal());
        Duration healed = cluster.env.elapsed();
        assertThat(await(taking)).isPresent();
        assertThat(cluster.env.elapsed().minus(healed))
                .as("it has found its own write")
                .isLessThan(LEASE);
    }

    @Test
    void whatIsReleasedByAnActionEnds() {
        HeldLock held = await(lock(cluster.cluster(0))
                .tryLock(Duration.ZERO, LEASE)
                .thenCompose(taken -> taken.orElseThrow().release().thenApply(released -> taken.get())));
        assertThat(held.ended().toCompletableFuture()).isCompletedWithValue("it was released");
        take(lock(cluster.cluster(1)));
    }

    @Test
    void aReleaseThatHasFailedMayBeRepeated() {
        HeldLock held = take(lock(cluster.cluster(0)));
        cluster.nodes.get(0).link.towardAll(Fault.loseRequest());
        assertThat(failure(held.release())).isInstanceOf(DhtException.class);
        cluster.nodes.get(0).link.heal();
        await(held.release());
        take(lock(cluster.cluster(1)));
    }

    @Test
    void aHolderOfALongLeaseLearnsSoonThatItsLockIsBroken() {
        HeldLock held = await(lock(cluster.cluster(0)).tryLock(Duration.ZERO, Duration.ofHours(24)))
                .orElseThrow();
        await(map(cluster.cluster(1)).remove("reports"));
        cluster.env.advance(Duration.ofSeconds(6));
        assertThat(held.ended().toCompletableFuture()).isCompletedWithValue("its key was removed");
    }

    @Test
    void manyWaitersOfAProcessShareTheirRequests() {
        HeldLock held = take(lock(cluster.cluster(1)));
        AtomicInteger requests = new AtomicInteger();
        Locks locks = locksOfLateAnswers(() -> {
            requests.incrementAndGet();
            return Duration.ofMillis(20);
        });
        List<CompletionStage<Optional<HeldLock>>> waiting = IntStream.range(0, 300)
                .mapToObj(i -> locks.lock("locks", Key.of("reports")).tryLock(Duration.ofSeconds(20), LEASE))
                .toList();
        AtomicInteger taken = new AtomicInteger();
        waiting.forEach(each -> each.thenAccept(got -> got.ifPresent(next -> {
            taken.incrementAndGet();
            next.release();
        })));
        cluster.env.advance(Duration.ofSeconds(5));
        assertThat(requests.get())
                .as("of 300 waiters, each 4 times a second or more")
                .isLessThan(1500);
        await(held.release());
        waiting.forEach(this::await);
        assertThat(taken.get()).isGreaterThan(50);
    }

    /** Stands for election, with terms that are begun by the test. */
    private LeaderElection stand(int node, List<Runnable> terms, Consumer<HeldLock> term) {
        return LeaderElection.start(lock(cluster.cluster(node)), LEASE, terms::add, term);
    }

    @Test
    void anotherOneLeadsWhenTheLeaderFails() {
        LeaderElection first = stand(0, new ArrayList<>(), held -> {});
        cluster.env.advance(Duration.ofSeconds(1));
        LeaderElection second = stand(1, new ArrayList<>(), held -> {});
        cluster.env.advance(Duration.ofMinutes(3));
        assertThat(first.isLeader()).isTrue();
        assertThat(second.isLeader()).isFalse();
        cluster.crash(0);
        cluster.env.advance(LEASE.multipliedBy(2));
        assertThat(second.isLeader()).isTrue();
        second.close();
        assertThat(second.isLeader()).isFalse();
    }

    @Test
    void aTermDoesNotBeginAfterItsLockAndTheElectionGoesOn() {
        List<Runnable> terms = new ArrayList<>();
        List<HeldLock> begun = new ArrayList<>();
        LeaderElection election = stand(0, terms, begun::add);
        cluster.env.advance(Duration.ofSeconds(1));
        await(map(cluster.cluster(1)).remove("reports"));
        cluster.env.advance(LEASE);
        terms.remove(0).run();
        cluster.env.advance(LEASE);
        assertThat(begun).isEmpty();
        assertThat(election.isLeader()).isTrue();
        assertThat(election.ended().toCompletableFuture()).isNotDone();

        election.close();
        await(election.ended());
        terms.remove(0).run();
        assertThat(begun).as("after it was closed").isEmpty();
    }

    @Test
    void aTermThatReturnsWhileItLeadsResigns() {
        LeaderElection election =
                LeaderElection.start(lock(cluster.cluster(0)), LEASE, cluster.env.executor(), held -> {});
        await(election.ended());
        assertThat(election.isLeader()).isFalse();
        take(lock(cluster.cluster(1)));
    }

    @Test
    void aTermThatThrowsEndsTheElection() {
        List<Runnable> terms = new ArrayList<>();
        LeaderElection election = stand(0, terms, held -> {
            throw new IllegalStateException("the disk is full");
        });
        cluster.env.advance(Duration.ofSeconds(1));
        assertThatThrownBy(terms.remove(0)::run).as("what the executor shows").hasMessage("the disk is full");
        assertThat(failure(election.ended())).hasMessage("the disk is full");
        assertThat(election.isLeader()).isFalse();
        take(lock(cluster.cluster(1)));
    }

    @Test
    void anExecutorWithoutAThreadEndsTheElection() {
        LeaderElection election = LeaderElection.start(
                lock(cluster.cluster(0)),
                LEASE,
                task -> {
                    throw new OutOfMemoryError("unable to create native thread");
                },
                held -> {});
        assertThatThrownBy(() -> await(election.ended())).hasStackTraceContaining("unable to create native thread");
        cluster.env.advance(Duration.ofMillis(100));
        take(lock(cluster.cluster(1)));
    }

    @Test
    void aCandidateThatIsClosedHasEnded() {
        take(lock(cluster.cluster(1)));
        LeaderElection election = stand(0, new ArrayList<>(), held -> {});
        cluster.env.advance(Duration.ofSeconds(1));
        election.close();
        assertThat(election.ended().toCompletableFuture()).isCompleted();
    }
}
