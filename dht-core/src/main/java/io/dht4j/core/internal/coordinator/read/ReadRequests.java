package io.dht4j.core.internal.coordinator.read;

import io.dht4j.CancellationPolicy;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.peer.OutboundRequest;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.coordinator.quorum.ReplicaAnswer;
import io.dht4j.core.internal.coordinator.quorum.RequestGroups;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.view.FencingToken;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Environment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of one read. The first replica of a key is asked for a value of any size, the others for small
 * values only, and for the versions of large ones. Does not block; safe for use by any number of threads.
 */
final class ReadRequests {

    /** A request, and its answer without values, fit into a frame for any largest value. */
    private static final int MAX_REQUEST_BYTES = FrameCodec.FRAME_OVERHEAD / 2;

    private final Environment environment;
    private final NodeConfig config;
    private final ReplicaClient client;
    private final CallContext context;
    private final ReadOperation operation;
    private final @Nullable ObservedCall observed;
    /** The number of requests in flight, counted only if they are cancelled at the end of the read. */
    private final AtomicInteger awaited = new AtomicInteger();

    ReadRequests(
            Environment environment,
            NodeConfig config,
            ReplicaClient client,
            CallContext context,
            ReadOperation operation,
            @Nullable ObservedCall observed) {
        this.environment = environment;
        this.config = config;
        this.client = client;
        this.context = context;
        this.operation = operation;
        this.observed = observed;
    }

    /** Returns the options of the node. */
    NodeConfig config() {
        return config;
    }

    /** The query of a key to one replica, and whether it asks for a value of any size. */
    record KeyQuery(KeyRead read, boolean whole) {

        Key key() {
            return read.key;
        }
    }

    /** Receives the outcome of a request to a node while it matters. */
    private abstract class Handler implements ReplyHandler {

        final Node node;
        private final boolean first;
        /** The time of sending; unknown unless the request is cancelled at the end of the read. */
        private final long since;

        Handler(Node node, boolean first) {
            this.node = node;
            this.first = first;
            this.since = cancels() ? environment.nanoTime() : 0;
        }

        abstract void found(Reply.Found reply);

        abstract void missed(PeerFailure failure);

        @Override
        public void replied(NodeId by, Reply reply) {
            ended();
            found((Reply.Found) reply);
        }

        @Override
        public void failed(PeerFailure failure) {
            ended();
            if (cancels() && first && context.isCancelled() && !client.order().isLocal(node)) {
                client.hedging().abandoned(environment.nanoTime() - since);
            }
            missed(failure);
        }

        private void ended() {
            if (cancels()) {
                awaited.decrementAndGet();
            }
        }

        @Override
        public boolean isFirst() {
            return first;
        }

        @Override
        public boolean isWanted() {
            return config.calls().cancellation() == CancellationPolicy.NEVER || !operation.isDone();
        }

        @Override
        public @Nullable ObservedCall call() {
            return observed;
        }
    }

    private boolean cancels() {
        return config.calls().cancellation() == CancellationPolicy.PROPAGATE;
    }

    /**
     * Asks more replicas for each of some keys, with one request to each node.
     *
     * @param count returns how many more replicas of a key at most
     * @param first whether these are the first requests of the read
     */
    void askNext(List<KeyRead> keys, ToIntFunction<KeyRead> count, boolean first) {
        if (keys.size() == 1) {
            askNext(keys.get(0), count.applyAsInt(keys.get(0)), first);
            return;
        }
        FencingToken.byView(keys, read -> read.token).forEach(some -> askNextByView(some, count, first));
    }

    private void askNextByView(List<KeyRead> keys, ToIntFunction<KeyRead> count, boolean first) {
        Map<Node, List<KeyQuery>> queries = new LinkedHashMap<>();
        for (KeyRead read : keys) {
            List<Node> replicas = read.take(count.applyAsInt(read));
            for (int i = 0; i < replicas.size(); i++) {
                Node node = replicas.get(i);
                queries.computeIfAbsent(node, each -> new ArrayList<>()).add(query(read, node));
            }
        }
        client.order()
                .localLast(
                        queries,
                        (node, some) -> RequestGroups.split(
                                some,
                                query -> OutboundRequest.BYTES_PER_KEY
                                        + query.key().length(),
                                MAX_REQUEST_BYTES,
                                part -> ask(node, part, first)));
    }

    private void askNext(KeyRead read, int count, boolean first) {
        client.order().localLast(read.take(count), node -> ask(node, List.of(query(read, node)), first));
    }

    private static KeyQuery query(KeyRead read, Node node) {
        return new KeyQuery(read, node.equals(read.replicas.get(0)));
    }

    private void ask(Node node, List<KeyQuery> queries, boolean first) {
        List<Request.Query> wanted = new ArrayList<>(queries.size());
        FencingToken token = null;
        for (KeyQuery query : queries) {
            token = FencingToken.highest(token, query.read().token);
            wanted.add(new Request.Query(query.key(), query.whole()));
        }
        Request request = new Request.ReadKeys(wanted, config.limits().inlineValueBytes());
        FencingToken sent = token;
        send(OutboundRequest.of(request, sent), new Handler(node, first) {
            @Override
            void found(Reply.Found reply) {
                operation.replied(node, queries, reply);
            }

            @Override
            void missed(PeerFailure failure) {
                operation.failed(queries, sent, failure);
            }
        });
    }

    /** Asks a replica for the value of a key. */
    void fetch(Node node, KeyRead read, Consumer<ReplicaAnswer> found, Consumer<PeerFailure> missed) {
        Request request = new Request.ReadKeys(
                List.of(new Request.Query(read.key, true)), config.limits().inlineValueBytes());
        send(OutboundRequest.alone(request, read.token), new Handler(node, false) {
            @Override
            void found(Reply.Found reply) {
                found.accept(new ReplicaAnswer(node, reply.answers().get(0)));
            }

            @Override
            void missed(PeerFailure failure) {
                missed.accept(failure);
            }
        });
    }

    private void send(OutboundRequest outbound, Handler handler) {
        if (cancels()) {
            awaited.incrementAndGet();
        }
        client.ask(handler.node, outbound, context, handler);
    }

    /** Cancels the outstanding requests, if the configuration wants that; called when the read is done. */
    void cancelRest() {
        if (cancels() && awaited.get() > 0) {
            context.cancel();
        }
    }
}
