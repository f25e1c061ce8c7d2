package io.dht4j.core.internal.coordinator.config;

import io.dht4j.NodeId;
import io.dht4j.core.options.Batching;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.core.options.NodeOptions.Calls;
import io.dht4j.core.options.NodeOptions.Limits;
import io.dht4j.core.options.NodeOptions.Times;
import io.dht4j.core.options.Observation;
import io.dht4j.core.options.OverloadProtection;
import io.dht4j.core.options.Repair;
import java.util.Set;

/**
 * The options of a node, as its builder was given them.
 *
 * @param refillWithout other nodes that a refill does not read, because their content is lost too, or given up
 * @param calls how calls run unless they say otherwise
 * @param limits how much the node holds at a time
 * @param times how far clocks may differ, and how long the node waits for others
 * @param batching how requests to a node are combined in frames
 * @param handoff how missed writes are kept and delivered
 * @param repair how replicas are compared; {@code purgeAfter} is long enough for {@code maxClockSkew}
 * @param overload the limits that keep the node working under overload
 * @param observation the receivers of reports about calls
 */
public record NodeConfig(
        Set<NodeId> refillWithout,
        Calls calls,
        Limits limits,
        Times times,
        Batching batching,
        HintedHandoff handoff,
        Repair repair,
        OverloadProtection overload,
        Observation observation) {}
