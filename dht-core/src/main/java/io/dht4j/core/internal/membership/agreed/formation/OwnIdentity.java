package io.dht4j.core.internal.membership.agreed.formation;

import io.dht4j.core.internal.membership.agreed.formation.NodeNotes.Identity;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.options.Membership;
import io.dht4j.core.options.Membership.Origin;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Store;
import java.util.Optional;
import java.util.UUID;

/** Determines the identity of a node, and binds its store. */
public final class OwnIdentity {

    private OwnIdentity() {}

    /**
     * Returns the stored identity of a node, or creates one at its first start. Blocks.
     *
     * @param options how the node becomes a member
     * @param founding the settings of the node
     * @param store the node's store, which is bound on return
     * @param notes stores the node's identity
     * @param environment random numbers
     * @return the identity, which is stored
     * @throws IllegalStateException if the store is of another cluster, or is not empty where it must be
     * @throws IllegalArgumentException if the settings cannot be those of a cluster
     */
    public static Identity of(
            Membership options, Founding founding, Store store, NodeNotes notes, Environment environment) {
        Optional<Identity> stored = notes.identity();
        if (stored.isPresent()) {
            store.bind(stored.get().binding());
            return stored.get();
        }
        UUID incarnation =
                new UUID(environment.random().nextLong(), environment.random().nextLong());
        String binding =
                options.origin() == Origin.BOOTSTRAP ? bindingOfFounder(founding) : bindingOfJoiner(options, store);
        store.bind(binding);
        if (options.origin() == Origin.BOOTSTRAP && store.entries() > 0) {
            // A static cluster may have acknowledged writes above the replication factor: the owners may lack them.
            notes.diverged().add(Epoch.FIRST, founding.notOwned(options.self().id()));
        }
        Identity made = new Identity(incarnation, Optional.empty(), binding);
        notes.keep(made);
        return made;
    }

    /** Returns the description of the static cluster: its data stays where it is. */
    private static String bindingOfFounder(Founding founding) {
        founding.requireFits();
        return founding.binding();
    }

    /**
     * Returns a binding without the incarnation. A new incarnation is created if the process ends before it is stored.
     */
    private static String bindingOfJoiner(Membership options, Store store) {
        if (store.entries() > 0) {
            throw new IllegalStateException("the data directory of node "
                    + options.self().id() + " holds " + store.entries()
                    + " entries of no agreed cluster: a node joins with an empty one");
        }
        return "node " + options.self().id() + " of an agreed cluster";
    }
}
