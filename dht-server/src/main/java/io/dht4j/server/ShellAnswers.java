package io.dht4j.server;

import io.dht4j.Cluster;
import io.dht4j.ClusterMembership;
import io.dht4j.DhtException;
import io.dht4j.KeyReplica;
import io.dht4j.KeyValue;
import io.dht4j.MembershipChange;
import io.dht4j.MembershipEvent;
import io.dht4j.MembershipStatus;
import io.dht4j.NodeStatus;
import io.dht4j.RebalancePlan;
import io.dht4j.RepairStatus;
import io.dht4j.Scan;
import io.dht4j.StoreProblem;
import io.dht4j.server.log.ShellWords;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The answers of a {@link Cluster} in the words of a server: remedies are {@linkplain ShellWords commands}. All other
 * content is unchanged.
 */
final class ShellAnswers {

    private ShellAnswers() {}

    /** Returns the same stage, except for the message of a failure. */
    static <T> CompletionStage<T> of(CompletionStage<T> stage) {
        return stage.exceptionallyCompose(error -> CompletableFuture.failedFuture(failure(error)));
    }

    static Scan of(Scan scan) {
        return new Scan() {
            @Override
            public CompletionStage<List<KeyValue>> next() {
                return of(scan.next());
            }

            @Override
            public long heldBytes() {
                return scan.heldBytes();
            }

            @Override
            public void close() {
                scan.close();
            }
        };
    }

    static List<KeyReplica> of(List<KeyReplica> replicas) {
        return replicas.stream()
                .map(replica -> new KeyReplica(
                        replica.node(),
                        replica.state(),
                        replica.version(),
                        replica.valueBytes(),
                        replica.failure().map(ShellWords::of)))
                .toList();
    }

    static NodeStatus of(NodeStatus status) {
        if (status.storeProblems().isEmpty()) {
            return status;
        }
        List<StoreProblem> problems = status.storeProblems().stream()
                .map(problem -> new StoreProblem(problem.kind(), problem.since(), ShellWords.of(problem.message())))
                .toList();
        return new NodeStatus(
                status.id(),
                status.topology(),
                status.replicationFactor(),
                status.partitions(),
                status.placement(),
                status.hash(),
                status.transport(),
                status.store(),
                status.version(),
                status.entries(),
                status.entriesAge(),
                status.hintBytes(),
                status.hintBytesDropped(),
                status.overload(),
                problems,
                status.refill(),
                status.suspected(),
                status.disagreeing(),
                status.clockProblem(),
                status.uptime(),
                status.publicAddresses());
    }

    static RepairStatus of(RepairStatus status) {
        return new RepairStatus(
                status.node(),
                status.running(),
                status.partitions(),
                status.partitionsDone(),
                status.rounds(),
                status.sent(),
                status.received(),
                status.refused(),
                status.purged(),
                status.lastError().map(ShellWords::of),
                status.blocked(),
                status.completed());
    }

    static MembershipStatus of(MembershipStatus status) {
        MembershipStatus.Metadata metadata = status.metadata();
        MembershipStatus.Rebalance rebalance = status.rebalance();
        return new MembershipStatus(
                status.cluster(),
                status.node(),
                status.epoch(),
                status.replicationFactor(),
                status.partitions(),
                status.members().stream().map(ShellAnswers::of).toList(),
                status.moves().stream().map(ShellAnswers::of).toList(),
                new MembershipStatus.Metadata(
                        metadata.voters(),
                        metadata.wantedVoters(),
                        metadata.leader(),
                        ShellWords.of(metadata.waitsFor())),
                new MembershipStatus.Rebalance(
                        rebalance.bytesPerSecond(), rebalance.paused(), ShellWords.of(rebalance.waitsFor())));
    }

    private static MembershipStatus.Member of(MembershipStatus.Member member) {
        return new MembershipStatus.Member(
                member.name(),
                member.number(),
                member.state(),
                member.address(),
                member.publicAddresses(),
                member.weight(),
                member.zone(),
                member.partitions(),
                member.toCome(),
                member.toGive(),
                member.epoch(),
                member.silence(),
                ShellWords.of(member.waitsFor()));
    }

    private static MembershipStatus.Move of(MembershipStatus.Move move) {
        return new MembershipStatus.Move(
                move.batch(),
                move.from(),
                move.to(),
                move.partitions(),
                move.phase(),
                move.copiedBytes(),
                move.totalBytes(),
                ShellWords.of(move.waitsFor()));
    }

    static ClusterMembership of(ClusterMembership membership) {
        return new ClusterMembership() {
            @Override
            public CompletionStage<MembershipStatus> status() {
                return of(membership.status()).thenApply(ShellAnswers::of);
            }

            @Override
            public CompletionStage<RebalancePlan> plan() {
                return of(membership.plan());
            }

            @Override
            public CompletionStage<Long> change(MembershipChange change) {
                return of(membership.change(change));
            }

            @Override
            public Subscription listen(Consumer<MembershipEvent> listener) {
                return membership.listen(listener);
            }

            @Override
            public boolean isRemoved() {
                return membership.isRemoved();
            }
        };
    }

    private static Throwable failure(Throwable error) {
        if (!(DhtException.unwrap(error) instanceof DhtException known)) {
            return error;
        }
        String message = String.valueOf(known.getMessage());
        String words = ShellWords.of(message);
        return words.equals(message) ? known : known.withMessage(words);
    }
}
