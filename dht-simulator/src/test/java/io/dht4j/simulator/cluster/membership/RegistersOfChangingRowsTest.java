package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.AgreedCluster.COORDINATOR;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.AtomicChange;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.RequestId;
import io.dht4j.Version;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.core.internal.atomic.Executed;
import io.dht4j.core.internal.atomic.Operation;
import io.dht4j.core.internal.atomic.Register;
import io.dht4j.core.internal.atomic.RegisterCodec;
import io.dht4j.core.internal.replica.promise.Promises;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.RegisterReply;
import io.dht4j.core.internal.wire.RegisterRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.core.options.Repair;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Frame;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.store.ModelStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.assertj.core.api.Condition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What replicas answer to proposers that send one message at a time, while replicas restart and slots move. */
class RegistersOfChangingRowsTest extends MovingSlot {

    private final Key key = IntStream.iterate(0, i -> i + 1)
            .mapToObj(i -> AtomicSpace.key("counters", Key.of("c" + i)))
            .filter(each -> agreed.views(0).current().partitionOf(each) == MOVED)
            .findFirst()
            .orElseThrow();

    private final long start = cluster.env.currentTimeMillis();

    RegistersOfChangingRowsTest() {
        // So that the coordinator knows all replicas.
        put(List.of(agreed.key(MOVED)), 1, ALL);
    }

    /** A ballot, the higher the later. */
    private Version ballot(int number) {
        return Version.of(start, number);
    }

    private Entry register(int ballot, long number) {
        byte[] value = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        return RegisterCodec.entry(
                key,
                ballot(ballot),
                new Register(Register.Kind.COUNTER, ballot(ballot), Entry.NEVER, new Version(0), List.of(), value));
    }

    private Reply send(int node, RegisterRequest request) {
        return agreed.send(COORDINATOR, node, MOVED, request);
    }

    private Reply prepare(int node, int ballot) {
        return send(node, new RegisterRequest.Prepare(key, ballot(ballot)));
    }

    private Reply accept(int node, int ballot, long number) {
        return send(node, new RegisterRequest.Accept(register(ballot, number), new Version(0)));
    }

    /** Lets some nodes accept a state, as a proposer does that fails meanwhile. */
    private void acceptAt(int ballot, long number, int... nodes) {
        for (int node : nodes) {
            assertThat(prepare(node, ballot)).isInstanceOf(RegisterReply.Promised.class);
            assertThat(accept(node, ballot, number)).isInstanceOf(RegisterReply.Accepted.class);
        }
    }

    private static void assertRefused(Reply reply) {
        assertThat(reply).isInstanceOf(RegisterReply.Refused.class);
    }

    private static ErrorCode code(Reply reply) {
        return ((Reply.Failed) reply).code();
    }

    private boolean holds(int node) {
        return agreed.stores.get(node).get(key).isPresent();
    }

    @Test
    void aRestartedReplicaRefusesWhatItMayHaveRefusedBefore() {
        assertThat(prepare(OTHER, 10)).isInstanceOf(RegisterReply.Promised.class);
        assertRefused(prepare(OTHER, 9));
        agreed.restart(OTHER);
        cluster.env.advance(Duration.ofSeconds(10));
        assertRefused(prepare(OTHER, 9));
        assertRefused(accept(OTHER, 10, 1));
    }

    @Test
    void aReplicaRefusesWhatItHasRefusedAlsoWithoutRoomForThePromise() {
        Promises promises = new Promises(1, 0, new ModelStore(), cluster.env);
        promises.resume();
        cluster.await(promises.permit(ballot(1_000)));
        promises.promise(key, 0, ballot(10), 1, () -> {});
        for (int i = 0; i < 200; i++) {
            promises.promise(Key.of("other" + i), 0, ballot(5), 1, () -> {});
        }
        assertThat(promises.promise(key, 0, ballot(9), 1, () -> {})).isEqualTo(Promises.Verdict.REFUSED);
    }

    @Test
    void anHeirRefusesWhatTheOwnerHasRefused() {
        assertThat(prepare(OWNER, 10)).isInstanceOf(RegisterReply.Promised.class);
        move(Phase.COPY, HEIR);
        awaitComplete();
        move(Phase.BOTH, HEIR);
        assertRefused(prepare(HEIR, 9));
        assertThat(prepare(HEIR, 20_000)).isInstanceOf(RegisterReply.Promised.class);
    }

    @Test
    void aPromiseCountsInOneRowOnly() {
        assertThat(prepare(OTHER, 10)).isInstanceOf(RegisterReply.Promised.class);
        Request accept = new RegisterRequest.Accept(register(10, 1), new Version(0));
        Frame byOldRow = agreed.frame(COORDINATOR, OTHER, MOVED, accept);
        move(Phase.COPY, HEIR);
        assertThat(code(agreed.send(COORDINATOR, OTHER, byOldRow, accept))).isEqualTo(ErrorCode.STALE_TOPOLOGY);
        assertRefused(accept(OTHER, 10, 1));
        assertThat(holds(OTHER)).isFalse();
    }

    private Reply accept(int node, int ballot, long number, int next) {
        return send(node, new RegisterRequest.Accept(register(ballot, number), ballot(next)));
    }

    @Test
    void anAcceptPromisesTheNextBallot() {
        assertThat(prepare(OTHER, 10)).isInstanceOf(RegisterReply.Promised.class);
        assertThat(accept(OTHER, 10, 1, 20)).isEqualTo(new RegisterReply.Accepted(true));
        // A copy of the request, as after a broken connection.
        assertThat(accept(OTHER, 10, 1, 20)).isEqualTo(new RegisterReply.Accepted(true));
        assertRefused(prepare(OTHER, 15));
        assertRefused(accept(OTHER, 15, 3, 0));
        assertThat(accept(OTHER, 20, 2, 30)).isEqualTo(new RegisterReply.Accepted(true));
        assertThat(prepare(OTHER, 40)).isInstanceOf(RegisterReply.Promised.class);
        assertRefused(accept(OTHER, 30, 4, 50));
        assertThat(agreed.stores.get(OTHER).get(key)).contains(register(20, 2));
    }

    @Test
    void theNextBallotCountsInOneRowAndUntilARestart() {
        assertThat(prepare(OTHER, 10)).isInstanceOf(RegisterReply.Promised.class);
        assertThat(accept(OTHER, 10, 1, 20)).isEqualTo(new RegisterReply.Accepted(true));
        move(Phase.COPY, HEIR);
        assertRefused(accept(OTHER, 20, 2, 30));
        assertThat(prepare(OTHER, 30)).isInstanceOf(RegisterReply.Promised.class);
        assertThat(accept(OTHER, 30, 2, 40)).isEqualTo(new RegisterReply.Accepted(true));
        agreed.restart(OTHER);
        cluster.env.advance(Duration.ofSeconds(10));
        assertRefused(accept(OTHER, 40, 3, 50));
    }

    @Test
    void aPrepareWaitsForTheAcceptThatIsBeingStored() throws FrameException {
        acceptAt(10, 1, OTHER);
        assertThat(prepare(OTHER, 20)).isInstanceOf(RegisterReply.Promised.class);
        agreed.stores.get(OTHER).remembers = true;
        Request prepare = new RegisterRequest.Prepare(key, ballot(30));
        Frame frame = agreed.frame(COORDINATOR, OTHER, MOVED, prepare);
        CompletableFuture<byte[]> reply = new CompletableFuture<>();
        agreed.stores.get(OTHER).beforeApply = entries -> agreed.handlers
                .get(OTHER)
                .handle(frame.toBytes(), new CallContext(cluster.env::nanoTime, SimulatedCluster.BOUND.toNanos()))
                .whenComplete((bytes, error) -> reply.complete(bytes));
        assertThat(accept(OTHER, 20, 2)).isInstanceOf(RegisterReply.Accepted.class);
        agreed.stores.get(OTHER).beforeApply = entries -> {};
        Reply promised = FrameCodec.decodeReply(cluster.await(reply), prepare, AgreedCluster.NAMES)
                .message();
        assertThat(promised)
                .isInstanceOfSatisfying(
                        RegisterReply.Promised.class,
                        given -> assertThat(given.held()).isEqualTo(new Answer.Whole(register(20, 2))));
    }

    @Test
    void anAcceptIsConfirmedOnceItIsStored() {
        assertThat(prepare(OTHER, 10)).isInstanceOf(RegisterReply.Promised.class);
        agreed.stores.get(OTHER).broken = true;
        assertThat(code(accept(OTHER, 10, 1))).isEqualTo(ErrorCode.STORE_FAILED);
        agreed.stores.get(OTHER).broken = false;
        assertThat(holds(OTHER)).isFalse();
    }

    /** A read shows what is chosen, or lets it be chosen first. */
    @ParameterizedTest
    @CsvSource({"STABLE, 1, 1", "BOTH, 0, 1"})
    void whatAReadHasShownIsOnAMajority(Phase phase, int one, int other) {
        if (phase == Phase.BOTH) {
            move(Phase.COPY, HEIR);
            awaitComplete();
            move(Phase.BOTH, HEIR);
        }
        acceptAt(10, 1, IntStream.of(one, other).distinct().toArray());
        // The others answer later.
        IntStream.of(THIRD, HEIR)
                .forEach(node -> agreed.link(COORDINATOR)
                        .toward(SimulatedCluster.id(node), Fault.delay(Duration.ofMillis(20), Duration.ZERO)));
        RegisterReply.Outcome read = cluster.await(agreed.node(COORDINATOR)
                .registers()
                .execute(
                        key,
                        AtomicChange.read(),
                        Optional.empty(),
                        new CallContext(
                                cluster.env::nanoTime, Duration.ofSeconds(3).toNanos()),
                        null));
        if (read.executed().number() == 1) {
            boolean isOnFirst = holds(OWNER) && (phase == Phase.STABLE || holds(HEIR));
            assertThat(List.of(isOnFirst, holds(OTHER), holds(THIRD)))
                    .as("which slots have what was shown")
                    .areAtLeast(2, new Condition<>(has -> has, "has it"));
        }
    }

    /** It lacks what the dead owner has accepted and the sources of its copy have not. */
    @Test
    void anHeirOfADeadOwnerDoesNotPromise() {
        acceptAt(10, 1, OWNER, OTHER);
        move(Phase.FILL, HEIR);
        IntStream.of(COORDINATOR, THIRD, HEIR)
                .forEach(node -> agreed.link(node).toward(SimulatedCluster.id(OTHER), Fault.loseRequest()));
        cluster.env.advance(Duration.ofMinutes(1));
        CompletableFuture<RegisterReply.Outcome> added = agreed.node(COORDINATOR)
                .registers()
                .execute(
                        key,
                        AtomicChange.add(1),
                        Optional.empty(),
                        new CallContext(
                                cluster.env::nanoTime, Duration.ofSeconds(3).toNanos()),
                        null);
        cluster.env.advance(Duration.ofSeconds(4));
        assertThat(added).isCompletedExceptionally();
    }

    /** Its disk may be an older one, without what it has accepted. */
    @Test
    void aRestartedReplicaVotesOnceOthersHaveConfirmedItsDisk() {
        acceptAt(10, 1, OWNER, OTHER);
        agreed.restart(OTHER);
        agreed.link(OTHER).towardAll(Fault.loseRequest());
        assertThat(code(prepare(OTHER, 20_000))).isEqualTo(ErrorCode.REPLICA_REFILLING);
        assertThat(code(send(OTHER, new RegisterRequest.Read(key)))).isEqualTo(ErrorCode.REPLICA_REFILLING);
        agreed.link(OTHER).heal();
        cluster.env.advance(Duration.ofMinutes(1));
        Version later = Version.of(cluster.env.currentTimeMillis(), 0);
        assertThat(send(OTHER, new RegisterRequest.Prepare(key, later)))
                .isInstanceOfSatisfying(
                        RegisterReply.Promised.class,
                        promise -> assertThat(promise.held()).isEqualTo(new Answer.Whole(register(10, 1))));
    }

    /** Repair chooses a state; it does not take over the newer one. */
    @Test
    void repairLetsReplicasAgree() {
        acceptAt(10, 1, OTHER);
        agreed.repair(THIRD, MOVED);
        List<Entry> held = IntStream.of(OWNER, OTHER, THIRD)
                .mapToObj(node -> agreed.stores.get(node).get(key).orElseThrow())
                .toList();
        assertThat(held).allMatch(held.get(0)::equals);
        assertThat(held.get(0).version()).isGreaterThan(ballot(10));
    }

    private Executed execute(AtomicChange change) {
        return cluster.await(agreed.node(COORDINATOR)
                        .registers()
                        .execute(
                                key,
                                change,
                                Optional.empty(),
                                new CallContext(cluster.env::nanoTime, SimulatedCluster.BOUND.toNanos()),
                                null))
                .executed();
    }

    private void repairAfterLong() {
        cluster.env.advance(Repair.on().purgeAfter().multipliedBy(2));
        IntStream.of(OWNER, OTHER, THIRD).forEach(node -> agreed.repair(node, MOVED));
    }

    @Test
    void aRemovedRegisterIsPurged() {
        execute(AtomicChange.add(1));
        execute(AtomicChange.remove());
        assertThat(holds(OTHER)).isTrue();
        repairAfterLong();
        assertThat(List.of(holds(OWNER), holds(OTHER), holds(THIRD))).containsOnly(false);
        assertThat(execute(AtomicChange.add(5)).number()).isEqualTo(5);
    }

    @Test
    void anExpiredRegisterIsPurged() {
        execute(AtomicChange.put(new byte[] {1}, 1_000));
        repairAfterLong();
        assertThat(holds(OTHER)).as("absent first").isTrue();
        repairAfterLong();
        assertThat(List.of(holds(OWNER), holds(OTHER), holds(THIRD))).containsOnly(false);
    }

    @Test
    void anOperationIsNotExecutedAgainAfterAPurge() {
        RegisterRequest add = new RegisterRequest.Execute(
                key, new Operation(RequestId.of(cluster.env.currentTimeMillis(), 1, 1), AtomicChange.add(1)));
        assertThat(send(OWNER, add)).isInstanceOf(RegisterReply.Outcome.class);
        execute(AtomicChange.remove());
        assertThat(send(OWNER, add))
                .isInstanceOfSatisfying(
                        RegisterReply.Outcome.class,
                        again -> assertThat(again.executed().number()).isEqualTo(1));
        repairAfterLong();
        assertThat(holds(OTHER)).isFalse();
        assertThat(send(OWNER, add)).isInstanceOf(RegisterReply.Unknown.class);
        assertThat(execute(AtomicChange.read()).number()).isZero();
    }

    /** The caller repeats it under the same id, and knows that it may have been executed. */
    @Test
    void noTransportRepeatsAnOperation() {
        execute(AtomicChange.read());
        agreed.link(COORDINATOR).toward(SimulatedCluster.id(OWNER), Fault.failAfterDelivery());
        assertThat(execute(AtomicChange.add(1)).number()).isEqualTo(1);
        assertThat(agreed.between(COORDINATOR, OWNER).stream()
                        .filter(sent -> FrameHeaders.request(sent.request) instanceof RegisterRequest.Execute))
                .hasSize(1);
    }
}
