package io.dht4j.core.internal.coordinator.read;

import io.dht4j.Key;
import io.dht4j.KeyReplica;
import io.dht4j.KeyReplica.State;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.coordinator.peer.OutboundRequest;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * Asks each replica of a key for its version, without a merge. Does not block; safe for use by any number of threads.
 */
public final class ReplicaQuery {

    private final List<CompletableFuture<KeyReplica>> answers = new ArrayList<>();

    private ReplicaQuery() {}

    /**
     * Starts a query.
     *
     * @param view the replicas
     * @param key the key
     * @param client asks them
     * @param environment ends the query at its deadline
     * @param context the deadline
     * @return completes, by the deadline, with what each replica has, in the order of the replicas; never fails
     */
    public static CompletableFuture<List<KeyReplica>> start(
            ClusterView view, Key key, ReplicaClient client, Environment environment, CallContext context) {
        ReplicaQuery query = new ReplicaQuery();
        int partition = view.partitionOf(key);
        List<Node> nodes = view.slots(partition, view.width(partition)).stream()
                .flatMap(slot -> slot.readerFirst().stream())
                .toList();
        // Without room for values: only empty ones are sent.
        OutboundRequest request =
                OutboundRequest.alone(new Request.ReadKeys(List.of(new Request.Query(key, false)), 0), view.token(key));
        for (Node node : nodes) {
            CompletableFuture<KeyReplica> answer = new CompletableFuture<>();
            query.answers.add(answer);
            client.ask(
                    node,
                    request,
                    context,
                    ReplyHandler.of(
                            reply -> answer.complete(answered(node.id(), (Reply.Found) reply)),
                            failure -> answer.complete(unknown(node.id(), failure.message()))));
        }
        Environment.Timer deadline = environment.schedule(() -> query.end(nodes), context.remainingNanos());
        return CompletableFuture.allOf(query.answers.toArray(CompletableFuture[]::new))
                .thenApply(done -> {
                    deadline.cancel();
                    return query.answers.stream().map(CompletableFuture::join).toList();
                });
    }

    private void end(List<Node> nodes) {
        for (int i = 0; i < nodes.size(); i++) {
            answers.get(i).complete(unknown(nodes.get(i).id(), "no answer before the deadline"));
        }
    }

    private static KeyReplica answered(NodeId node, Reply.Found found) {
        Answer answer = found.answers().get(0);
        if (answer instanceof Answer.VersionOnly only) {
            return new KeyReplica(
                    node,
                    State.VALUE,
                    Optional.of(only.version()),
                    OptionalInt.of(only.valueBytes()),
                    Optional.empty());
        }
        if (answer instanceof Answer.Whole whole) {
            Entry entry = whole.entry();
            return new KeyReplica(
                    node,
                    entry.isTombstone() ? State.TOMBSTONE : State.VALUE,
                    Optional.of(entry.version()),
                    entry.isTombstone() ? OptionalInt.empty() : OptionalInt.of(entry.value().length),
                    Optional.empty());
        }
        return new KeyReplica(node, State.ABSENT, Optional.empty(), OptionalInt.empty(), Optional.empty());
    }

    private static KeyReplica unknown(NodeId node, String why) {
        return new KeyReplica(node, State.UNKNOWN, Optional.empty(), OptionalInt.empty(), Optional.of(why));
    }
}
