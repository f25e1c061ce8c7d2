package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.refill.RefillSource;
import io.dht4j.core.internal.replica.Replica;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import java.util.BitSet;
import java.util.Optional;

/** Brings pages of other nodes as scans read them, and merges them as writes are merged. */
public final class PeerPages implements RefillSource {

    private static final int PAGE_ENTRIES = 1000;
    private static final int PAGE_BYTES = 256 * 1024;

    private final NodeComponents parts;
    private final NodeConfig limits;
    private final ReplicaClient peers;
    private final Replica replica;

    public PeerPages(NodeComponents parts, NodeConfig limits, ReplicaClient peers, Replica replica) {
        this.parts = parts;
        this.limits = limits;
        this.peers = peers;
        this.replica = replica;
    }

    @Override
    public void bring(Node node, BitSet partitions, Key start, Outcome outcome) {
        KeyRange range = new KeyRange(start, Optional.empty());
        Request request = new Request.ScanPage(range, partitions, PAGE_ENTRIES, PAGE_BYTES);
        peers.ask(node, Outgoing.alone(request), context(), new ReplyHandler() {
            @Override
            public void replied(Reply reply) {
                merge((Reply.Page) reply, outcome);
            }

            @Override
            public void failed(PeerFailure failure) {
                outcome.failed(failure.toString());
            }
        });
    }

    private void merge(Reply.Page page, Outcome outcome) {
        int count = page.entries().size();
        if (count == 0) {
            outcome.brought(0, 0, page.resume());
            return;
        }
        long bytes = 0;
        for (Entry entry : page.entries()) {
            bytes += (long) entry.key().length() + entry.value().length;
        }
        long size = bytes;
        replica.refill(new Request.ApplyEntries(page.entries()), reply -> {
            if (reply instanceof Reply.Failed failed) {
                outcome.failed("what it sent cannot be kept here: " + failed.message());
            } else {
                outcome.brought(count, size, page.resume());
            }
        });
    }

    private CallContext context() {
        return new CallContext(parts.environment()::nanoTime, limits.timeout().toNanos());
    }
}
