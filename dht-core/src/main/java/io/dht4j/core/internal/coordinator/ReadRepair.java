package io.dht4j.core.internal.coordinator;

import io.dht4j.Node;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the replicas that answered a read with an older entry up to date, with the newest entry as it is: its version, whether it is
 * a tombstone, its expiry. Nothing of it is made for a read whose answers agree.
 *
 * <p>A monotonic read waits until as many replicas hold what it returns as its policy asks for, so that every later read whose
 * replicas overlap with them sees that too: the second phase of a read in H. Attiya, A. Bar-Noy and D. Dolev, <em>Sharing Memory
 * Robustly in Message-Passing Systems</em>, 1995. Where a replica cannot be brought up to date, one that has not answered takes its
 * place. Other reads, and answers that come late, are repaired behind the reply, and nobody waits for it.
 */
final class ReadRepair {

    private static final Logger LOG = LoggerFactory.getLogger(ReadRepair.class);

    private final Peers peers;

    ReadRepair(Peers peers) {
        this.peers = peers;
    }

    /** Takes the end of the wait for replicas that were behind. */
    interface Outcome {

        /** Enough replicas hold the newest entry. */
        void repaired();

        /** They cannot be brought to. */
        void failed(String why);
    }

    /** Sends the newest entry to replicas, whatever becomes of it: the next read or the background repair tries again. */
    void behind(Entry newest, List<Node> stale, CallContext context) {
        Outgoing outgoing = Outgoing.of(new Request.ApplyEntries(List.of(newest)));
        for (Node node : stale) {
            peers.ask(node, outgoing, context, new ReplyHandler() {
                @Override
                public void replied(Reply reply) {
                    LOG.debug("{} has caught up on {}", node.id(), newest.key());
                }

                @Override
                public void failed(PeerFailure failure) {
                    LOG.debug("{} stays behind on {}: {}", node.id(), newest.key(), failure);
                }
            });
        }
    }

    /**
     * Sends the newest entry to replicas until enough have it.
     *
     * @param stale those that answered with less; more than none
     * @param others those that have not answered, by preference
     * @param missing how many must get it
     * @param outcome called once, perhaps on this thread; not at all if the context ends before
     */
    void before(Entry newest, List<Node> stale, List<Node> others, int missing, CallContext context, Outcome outcome) {
        Wait wait = new Wait(newest, others, missing, context, outcome);
        wait.begin(stale);
    }

    /** Safe for use by any number of threads; asks and is told outside of its lock. */
    private final class Wait {

        private final Outgoing outgoing;
        private final CallContext context;
        private final Outcome outcome;
        // Guarded by this.
        private final List<Node> others;
        private final Set<Node> asked = new HashSet<>();
        private int missing;
        private int underWay;
        private boolean over;

        Wait(Entry newest, List<Node> others, int missing, CallContext context, Outcome outcome) {
            this.outgoing = Outgoing.of(new Request.ApplyEntries(List.of(newest)));
            this.others = new ArrayList<>(others);
            this.missing = missing;
            this.context = context;
            this.outcome = outcome;
        }

        void begin(List<Node> stale) {
            synchronized (this) {
                underWay = stale.size();
                asked.addAll(stale);
            }
            stale.forEach(this::ask);
        }

        private void ask(Node node) {
            peers.ask(node, outgoing, context, new ReplyHandler() {
                @Override
                public void replied(Reply reply) {
                    if (got()) {
                        outcome.repaired();
                    }
                }

                @Override
                public void failed(PeerFailure failure) {
                    instead().ifPresentOrElse(Wait.this::ask, () -> {
                        if (gaveUp()) {
                            outcome.failed(failure.toString());
                        }
                    });
                }
            });
        }

        /** Whether the wait is over by this. */
        private synchronized boolean got() {
            underWay--;
            missing--;
            boolean enough = missing == 0 && !over;
            over |= enough;
            return enough;
        }

        private synchronized Optional<Node> instead() {
            underWay--;
            while (!over && !others.isEmpty()) {
                Node next = others.remove(0);
                if (asked.add(next)) {
                    underWay++;
                    return Optional.of(next);
                }
            }
            return Optional.empty();
        }

        private synchronized boolean gaveUp() {
            boolean hopeless = missing > underWay && !over;
            over |= hopeless;
            return hopeless;
        }
    }
}
