package io.dht4j.core.internal.membership;

import io.dht4j.NodeId;

/**
 * The calls of {@link io.dht4j.ClusterMembership} in messages for operators. The library names calls, since an
 * application has no command line; the server translates them into its commands.
 */
public final class Remedies {

    /** Lets partitions move. */
    public static final String RESUME = "membership().change(MembershipChange.Rebalance.resume())";

    private Remedies() {}

    /** Returns the call that admits a node, as an instruction. */
    public static String add(NodeId node) {
        return "call " + addition(node);
    }

    /** Returns the call that admits a node. */
    public static String addition(NodeId node) {
        return call("add", node);
    }

    /** Returns the call that empties and removes a node, as an instruction. */
    public static String remove(NodeId node) {
        return "call " + removal(node);
    }

    /** Returns the call that empties and removes a node. */
    public static String removal(NodeId node) {
        return call("remove", node);
    }

    /** Returns the call that declares a node lost, as an instruction. */
    public static String replace(NodeId node) {
        return "call " + call("replace", node);
    }

    private static String call(String method, NodeId node) {
        return "membership()." + method + "(new NodeId(\"" + node + "\"))";
    }
}
