package io.dht4j.spi;

import java.util.List;

/**
 * Opens the topology log of a node, once the node's identity and the nodes of the cluster are known. What a log needs
 * besides, such as its directory, is an option of the factory.
 */
@FunctionalInterface
public interface TopologyLogFactory {

    /**
     * Opens the log of a node, which the node starts and closes. May block on files; called on a store thread, when the
     * node is, or becomes, a member of the log. A node that becomes one again, or in another generation, has another
     * identity: the files of an earlier one are not needed any more, and that log is closed before.
     *
     * @param self the node as a member of the log
     * @param initialMembers the members with which the log began, the same and in the same order at every node and at
     *     every start of this identity
     * @param environment time, random numbers, threads and timers; closed after the log
     * @return a log that is not started
     * @throws StoreException if its files cannot be used; the message names the file and the way out
     */
    TopologyLog open(NodeRef self, List<NodeRef> initialMembers, Environment environment);
}
