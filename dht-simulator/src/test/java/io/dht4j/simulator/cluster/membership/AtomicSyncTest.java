package io.dht4j.simulator.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.dht4j.AtomicCounter;
import io.dht4j.AtomicMap;
import io.dht4j.Cluster;
import io.dht4j.Codec;
import io.dht4j.DhtLock;
import io.dht4j.ErrorCode;
import io.dht4j.HeldLock;
import io.dht4j.IndeterminateException;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.LeaderElection;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.Versioned;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.core.options.Membership;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.topology.ModelTopologyGroup;
import io.dht4j.testkit.topology.ModelTopologyLog;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The methods of atomic maps and counters that wait, on real threads. */
@Timeout(60)
class AtomicSyncTest {

    private final SystemEnvironment environment = SystemEnvironment.create("atomic-sync");
    private final BlockingStore store = new BlockingStore();
    private final Cluster cluster = ClusterBuilder.of(Membership.bootstrap(
                    new NodeId("n0"),
                    List.of(Node.of("n0", "h0:1")),
                    (ref, initial, any) -> new ModelTopologyLog(new ModelTopologyGroup(initial, 20), ref, environment)))
            .transport(LoopbackNetwork.on(environment).transport("h0:1"))
            .store(store)
            .environment(environment)
            .drainTimeout(Duration.ZERO)
            .start();
    private final AtomicMap.Sync<String, String> map =
            cluster.atomicMap("map", Codec.text(), Codec.text()).sync();
    private final AtomicCounter.Sync counter =
            cluster.atomicCounter("map", Key.of("count")).sync();

    @AfterEach
    void close() {
        cluster.close();
        environment.close();
    }

    @Test
    void methodsReturnWhatTheStagesCompleteWith() {
        Version first = map.put("k", "one");
        assertThat(map.get("k")).contains(new Versioned<>("one", first, Optional.empty()));
        assertThat(map.putIfAbsent("k", "two").isDone()).isFalse();
        assertThat(map.replace("k", first, "two").isDone()).isTrue();
        assertThat(map.remove("k", first)).isFalse();
        assertThat(map.touch("k", Duration.ofMinutes(1))).isTrue();
        assertThat(map.compute("k", before -> before.map(value -> value + "!"))).contains("two!");
        map.remove("k");
        assertThat(map.get("k")).isEmpty();
        assertThat(counter.compareAndSet(0, 5)).isTrue();
        assertThat(counter.get()).isEqualTo(5);
    }

    @Test
    void incrementsOfManyThreadsAreCounted() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            IntStream.range(0, 8)
                    .forEach(i -> threads.execute(() -> IntStream.range(0, 50).forEach(j -> counter.add(1))));
        } finally {
            threads.shutdown();
        }
        assertThat(threads.awaitTermination(50, TimeUnit.SECONDS)).isTrue();
        assertThat(counter.get()).isEqualTo(400);
    }

    @Test
    void aFailureShowsItsCaller() {
        map.put("count", "text");
        assertThatThrownBy(() -> counter.add(1))
                .isInstanceOf(InvalidRequestException.class)
                .satisfies(failure ->
                        assertThat(((InvalidRequestException) failure).code()).isEqualTo(ErrorCode.ATOMIC_KIND))
                .satisfies(failure -> assertThat(failure.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().equals(AtomicSyncTest.class.getName())));
    }

    @Test
    void anActionOfAStageMustNotWait() {
        CountDownLatch acting = new CountDownLatch(1);
        store.beforeApply = entries -> awaitEnd(acting);
        CompletableFuture<Long> action = cluster.atomicCounter("map", Key.of("count"))
                .add(1)
                .thenApply(added -> counter.add(1))
                .toCompletableFuture();
        acting.countDown();
        assertThatThrownBy(() -> action.get(30, TimeUnit.SECONDS))
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("nothing done: this thread runs an action of a stage");
        assertThat(counter.get()).isEqualTo(1);
    }

    @Test
    void anInterruptEndsTheWait() {
        CountDownLatch written = new CountDownLatch(1);
        store.beforeApply = entries -> awaitEnd(written);
        Thread.currentThread().interrupt();
        Throwable failure = catchThrowable(() -> counter.add(1));
        written.countDown();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(failure)
                .isInstanceOf(IndeterminateException.class)
                .hasMessageContaining("interrupted while waiting");
        assertThat(failure.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(AtomicSyncTest.class.getName()));
    }

    @Test
    void aLockOfAClosedNodeIsRefusedWithTheReasonAndTheCaller() {
        DhtLock lock = cluster.lock("locks", Key.of("reports"));
        cluster.close();
        Throwable failure = catchThrowable(() -> lock.sync().tryLock(Duration.ofSeconds(10), Duration.ofHours(1)));
        assertThat(failure).isInstanceOf(CancellationException.class).hasMessage("this node is closed");
        assertThat(failure.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(AtomicSyncTest.class.getName()));
    }

    @Test
    void anInterruptedWaitLeavesNoLock() {
        DhtLock lock = cluster.lock("locks", Key.of("reports"));
        CountDownLatch written = new CountDownLatch(1);
        store.beforeApply = entries -> awaitEnd(written);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock.sync().tryLock(Duration.ofSeconds(10), Duration.ofHours(1)))
                .isInstanceOf(IndeterminateException.class)
                .hasMessage("interrupted while waiting for " + lock + ", which this call does not hold");
        assertThat(Thread.interrupted()).isTrue();
        written.countDown();
        try (HeldLock held =
                lock.sync().tryLock(Duration.ofSeconds(10), Duration.ofHours(1)).orElseThrow()) {
            assertThat(held.remaining()).isPositive();
        }
    }

    @Test
    void anInterruptedReleaseNamesItsLock() {
        DhtLock lock = cluster.lock("locks", Key.of("reports"));
        HeldLock held =
                lock.sync().tryLock(Duration.ofSeconds(10), Duration.ofHours(1)).orElseThrow();
        CountDownLatch released = new CountDownLatch(1);
        store.beforeApply = entries -> awaitEnd(released);
        Thread.currentThread().interrupt();
        assertThatThrownBy(held::close)
                .isInstanceOf(IndeterminateException.class)
                .hasMessageStartingWith("interrupted while releasing lock reports of map locks")
                .hasMessageEndingWith(": it is free a lease after its last renewal at the latest");
        assertThat(Thread.interrupted()).isTrue();
        released.countDown();
    }

    @Test
    void aTermThatWouldBlockAThreadOfTheLibraryIsRefused() {
        DhtLock lock = cluster.lock("locks", Key.of("leader"));
        CountDownLatch started = new CountDownLatch(1);
        store.beforeApply = entries -> awaitEnd(started);
        AtomicBoolean hasRun = new AtomicBoolean();
        LeaderElection election =
                LeaderElection.start(lock, Duration.ofSeconds(10), Runnable::run, held -> hasRun.set(true));
        started.countDown();
        assertThat(election.ended())
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(IllegalStateException.class)
                .withMessageContaining("the executor of the election by lock leader of map locks")
                .withMessageContaining("Runnable::run");
        assertThat(hasRun).isFalse();
        assertThat(lock.sync().tryLock(Duration.ofSeconds(5), Duration.ofSeconds(10)))
                .as("it is free again")
                .isPresent();
    }

    private static void awaitEnd(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
